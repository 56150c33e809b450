//! JSON Schemas of the files that users write, from the tables that the loaders read them by.
//!
//! A schema knows the keys that the loader knows. What a value means, for example whether a pack exists, only the loader
//! tells: `pintle validate` finds more than a schema can.

mod policy_schema;
mod section_schemas;
mod settings_schemas;

use std::collections::BTreeMap;

use pintle_contract::event::CATALOGUE;
use serde_json::{Map, Value, json};

use self::section_schemas::{NestedSection, NestedShape, SectionSchemas};
use crate::{ARTIFACT_KEYS, ai_harness, command_hooks, docker_agent, lifecycle_hooks};

/// The schema of one kind of file.
#[derive(Debug, Clone)]
pub struct FileSchema {
    /// The name: `schemas/NAME.json`.
    pub name: String,
    /// The files, as globs of paths.
    pub files: &'static [&'static str],
    /// What the files are.
    pub description: &'static str,
    /// The schema: of the frontmatter of a Markdown file, otherwise of the whole file.
    pub schema: Value,
}

/// The schemas of all kinds of files.
#[must_use]
pub fn file_schemas() -> Vec<FileSchema> {
    let artifacts = artifact_sections();
    let docker = docker_sections();
    let artifact =
        |name: &str, files, description, title: &str| new_schema(name, files, description, artifacts.schema_of(title));
    let mut schemas = vec![
        artifact("hook", &["hooks/*.md"], "The frontmatter of a hook.", "Hook"),
        artifact("tool", &["tools/*.md"], "The frontmatter of a tool.", "Tool"),
        artifact(
            "agent",
            &[".harness/agents/*.md"],
            "The frontmatter of an agent that others may delegate to.",
            "Agent",
        ),
        artifact(
            "bundle",
            &[".harness/*.md", "plugins/*.md", "builtins/*.md", "overrides/*.md"],
            "The frontmatter of hooks and tools together.",
            "Bundle",
        ),
        artifact(
            "harness",
            &["harness.md", "harness.yaml"],
            "An agent's own file: its frontmatter, or all of it.",
            "harness.md",
        ),
        new_schema("policy", &["policy.yaml", "rules/*.yaml"], "Packs and rules of your own.", policy_schema::schema()),
        new_schema(
            "cases",
            &["*.cases.yaml"],
            "Calls and events, and what all hooks decide about them.",
            list_of(&artifacts, "Case"),
        ),
        new_schema(
            "scenario",
            &["*.scenario.yaml"],
            "Turns of an agent with a scripted model, and what they must show.",
            list_of(&artifacts, "Scenario"),
        ),
        new_schema(
            "docker-agent",
            &["agent.yaml", "agents.yaml"],
            "Agents of docker-agent, with their hooks.",
            docker.schema_of("The file"),
        ),
        new_schema(
            "docker-agent-hooks",
            &["hooks.d/*.yaml", "hooks/*.yaml"],
            "One block of docker-agent's hooks.",
            hooks_block(&docker),
        ),
        new_schema(
            "config",
            &["config.yaml"],
            "A user's or an organisation's settings.",
            settings_schemas::user_settings(hooks_block(&docker)),
        ),
        new_schema("harn", &["harn.toml"], "The manifest of a package, with its hooks and personas.", harn_manifest()),
        new_schema(
            "harness-framework",
            &["settings.json"],
            "Hooks of The Harness Framework.",
            settings_schemas::framework(),
        ),
    ];
    schemas.extend(settings_schemas::client_settings());
    schemas
}

fn new_schema(name: &str, files: &'static [&'static str], description: &'static str, schema: Value) -> FileSchema {
    let mut whole = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": name,
    });
    let (mut schema, mut definitions) = (schema, Map::new());
    hoist_definitions(&mut schema, &mut definitions);
    if let (Some(fields), Value::Object(own)) = (whole.as_object_mut(), schema) {
        fields.extend(own);
        fields.insert(String::from("description"), Value::from(description));
        if !definitions.is_empty() {
            fields.insert(String::from("$defs"), Value::Object(definitions));
        }
    }
    FileSchema { name: name.to_owned(), files, description, schema: whole }
}

/// Where the tables of the AI Harness lead to each other.
const ARTIFACT_NESTED: &[NestedSection] = &[
    ("Hook", "examples", NestedShape::List, "Example of a hook"),
    ("Agent", "model", NestedShape::TextOrMapping, "model"),
    ("Agent", "tools", NestedShape::MixedList, "Tool"),
    ("Agent", "hooks", NestedShape::MixedList, "Hook"),
    ("`agents`", "model", NestedShape::TextOrMapping, "model"),
    ("`agents`", "tools", NestedShape::MixedList, "Tool"),
    ("`agents`", "hooks", NestedShape::MixedList, "Hook"),
    ("Bundle", "tools", NestedShape::List, "Tool"),
    ("Bundle", "hooks", NestedShape::List, "Hook"),
    ("harness.md", "model", NestedShape::TextOrMapping, "model"),
    ("harness.md", "models", NestedShape::MixedList, "model"),
    ("harness.md", "context", NestedShape::Mapping, "context"),
    ("harness.md", "tools", NestedShape::List, "Tool"),
    ("harness.md", "tools_policy", NestedShape::Mapping, "tools_policy"),
    ("harness.md", "hooks", NestedShape::List, "Hook"),
    ("harness.md", "agents", NestedShape::List, "`agents`"),
    ("harness.md", "delegation", NestedShape::Mapping, "delegation"),
    ("harness.md", "meta", NestedShape::Mapping, "meta"),
    ("harness.md", "network", NestedShape::Mapping, "network"),
    ("harness.md", "exit_policy", NestedShape::Mapping, "exit_policy"),
    ("harness.md", "compaction", NestedShape::Mapping, "compaction"),
    ("model", "retry", NestedShape::Mapping, "model.retry"),
    ("delegation", "verify_policy", NestedShape::Mapping, "delegation.verify_policy"),
    ("Scenario", "steps", NestedShape::List, "Step of a scenario"),
    ("Scenario", "faults", NestedShape::List, "Fault of a scenario"),
    ("Step of a scenario", "calls", NestedShape::List, "Call of a scenario"),
];

/// The tables of the AI Harness.
fn artifact_sections() -> SectionSchemas {
    let expect = example_expectations();
    SectionSchemas {
        sections: ARTIFACT_KEYS,
        nested: ARTIFACT_NESTED,
        own: vec![
            ("Hook", "event", event_schema(ai_harness::DIALECT.events.names())),
            ("Case", "event", event_schema(ai_harness::DIALECT.events.names())),
            ("Case", "expect", expect.clone()),
            ("Call of a scenario", "expect", expect),
        ],
        optional: &[],
        is_lenient: false,
    }
}

fn example_expectations() -> Value {
    let rows = ARTIFACT_KEYS
        .iter()
        .filter(|section| section.title() == "Example of a hook")
        .flat_map(|section| section.rows());
    rows.filter(|row| row.name == "expect")
        .find_map(|row| section_schemas::values_schema(&row.values, false))
        .unwrap_or_default()
}

/// Events by name, and by the beginnings of families.
fn event_schema(names: impl Iterator<Item = &'static str>) -> Value {
    let (families, names): (Vec<&str>, Vec<&str>) = names.partition(|name| name.ends_with('*'));
    let families = CATALOGUE.iter().filter(|def| def.family().is_some()).map(|def| def.name).chain(families);
    let patterns = families.map(|name| format!("^{}", name.trim_end_matches('*').replace('.', "\\.")));
    let mut patterns: Vec<String> = patterns.collect();
    patterns.sort();
    patterns.dedup();
    let mut options = vec![json!({"enum": names})];
    options.extend(patterns.iter().map(|pattern| json!({"type": "string", "pattern": pattern})));
    json!({"anyOf": options})
}

fn list_of(sections: &SectionSchemas, title: &str) -> Value {
    json!({"type": "array", "items": sections.schema_of(title)})
}

/// Where the tables of docker-agent lead to each other.
const DOCKER_NESTED: &[NestedSection] = &[
    ("The file", "agents", NestedShape::Named, "agents.NAME"),
    ("The file", "models", NestedShape::Named, "models.NAME"),
    ("The file", "providers", NestedShape::Named, "providers.NAME"),
    ("Entry with a matcher", "hooks", NestedShape::List, "Hook"),
    ("Hook", "sandbox", NestedShape::Mapping, "sandbox"),
];

/// The tables of docker-agent.
fn docker_sections() -> SectionSchemas {
    let plain = SectionSchemas {
        sections: command_hooks::KEY_SECTIONS,
        nested: DOCKER_NESTED,
        own: Vec::new(),
        optional: &[("Hook", "command"), ("Hook", "model"), ("Hook", "prompt")],
        is_lenient: true,
    };
    let hooks = hooks_block(&plain);
    SectionSchemas { own: vec![("agents.NAME", "hooks", hooks)], ..plain }
}

/// Hooks by event: a list, or a single one.
fn hooks_block(sections: &SectionSchemas) -> Value {
    let mut definitions = BTreeMap::new();
    let [entry, hook] = ["Entry with a matcher", "Hook"].map(|title| sections.reference_to(title, &mut definitions));
    let property = |def: &docker_agent::DockerEventDef| {
        let one = if def.matcher { &entry } else { &hook };
        let description = def.canonical.def().fires_when;
        let schema = json!({"description": description, "anyOf": [{"type": ["array", "null"], "items": one}, one]});
        (def.name.to_owned(), schema)
    };
    let properties: Map<String, Value> = command_hooks::ROWS.iter().map(property).collect();
    json!({
        "type": ["object", "null"],
        "properties": properties,
        "additionalProperties": false,
        "$defs": definitions,
    })
}

/// Moves the definitions of parts of a schema to the whole.
fn hoist_definitions(schema: &mut Value, definitions: &mut Map<String, Value>) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(|item| hoist_definitions(item, definitions)),
        Value::Object(fields) => {
            let own = fields.shift_remove("$defs");
            fields.values_mut().for_each(|value| hoist_definitions(value, definitions));
            for (name, mut definition) in own.as_ref().and_then(Value::as_object).cloned().unwrap_or_default() {
                hoist_definitions(&mut definition, definitions);
                definitions.insert(name, definition);
            }
        }
        _ => {}
    }
}

fn harn_manifest() -> Value {
    let personas = SectionSchemas {
        sections: lifecycle_hooks::KEY_SECTIONS,
        nested: &[
            ("[[personas]]", "budget", NestedShape::Mapping, "budget"),
            ("[[personas]]", "prices", NestedShape::List, "[[personas.prices]]"),
            ("[[personas]]", "steps", NestedShape::List, "[[personas.steps]]"),
            ("[[personas.steps]]", "budget", NestedShape::Mapping, "budget"),
        ],
        own: Vec::new(),
        optional: &[],
        is_lenient: false,
    };
    settings_schemas::harn_manifest(&personas.schema_of("[[personas]]"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::KeySection;

    #[test]
    fn every_value_of_the_tables_has_a_schema() {
        let own = |section: &dyn KeySection, key: &str| {
            let known = [artifact_sections(), docker_sections()];
            known.iter().any(|sections| {
                sections.own.iter().any(|(title, name, _)| *title == section.title() && *name == key)
                    || sections.nested.iter().any(|(title, name, ..)| *title == section.title() && *name == key)
            })
        };
        let sections = [ARTIFACT_KEYS, command_hooks::KEY_SECTIONS, lifecycle_hooks::KEY_SECTIONS];
        for section in sections.into_iter().flatten().filter(|section| section.title() != "Policy file") {
            for row in section.rows() {
                let has_one = own(*section, row.name) || section_schemas::values_schema(&row.values, false).is_some();
                assert!(has_one, "{}: {}: {}", section.title(), row.name, row.values);
            }
        }
    }

    #[test]
    fn what_tables_lead_to_is_there() {
        for (sections, nested) in [(ARTIFACT_KEYS, ARTIFACT_NESTED), (command_hooks::KEY_SECTIONS, DOCKER_NESTED)] {
            for (title, key, _, target) in nested {
                let find = |title: &str| sections.iter().find(|section| section.title() == title);
                let has_key = find(title).is_some_and(|section| section.rows().iter().any(|row| row.name == *key));
                assert!(has_key && find(target).is_some(), "{title}: {key}: {target}");
            }
        }
    }
}
