//! The words of events, payloads, tools and scripts, with their one-line documentation.

use pintle_host::dialects::{DIALECTS, lifecycle_hooks};
use pintle_host::event::{CATALOGUE, EventDef};
use pintle_host::packs::packs;
use pintle_host::script::{ScriptKind, catalogue};
use pintle_host::shell::known_actions;
use pintle_host::tools::VOCABULARIES;
use pintle_host::{EventKind, EventName};
use serde_json::Value;

/// A word that can be written, and what it means.
pub(super) type KnownWord = (String, String);

/// The definition of an event that some dialect calls so.
pub(super) fn find_event(name: &str) -> Option<&'static EventDef> {
    let canonical = || EventName::parse(name).ok().map(|event| event.def());
    let of_dialect = || DIALECTS.iter().find_map(|dialect| dialect.events.find(name).ok()).map(|event| event.def());
    canonical().or_else(of_dialect)
}

/// What an event is, in Markdown.
pub(super) fn describe_event(def: &EventDef) -> String {
    let deny = if def.deny_means.is_empty() { String::new() } else { format!("\n\nDeny: {}", def.deny_means) };
    format!("**{}**\n\n{}{deny}", def.name, def.fires_when)
}

/// The names of tools, in all vocabularies, with who calls them so.
pub(super) fn tool_words() -> Vec<KnownWord> {
    let mut words: Vec<KnownWord> = Vec::new();
    for vocabulary in VOCABULARIES {
        for tool in vocabulary.tools {
            for name in tool.native_names {
                match words.iter_mut().find(|(known, _)| known == name) {
                    Some((_, owners)) if owners.split(", ").any(|owner| owner == vocabulary.name) => {}
                    Some((_, owners)) => owners.push_str(&format!(", {}", vocabulary.name)),
                    None => words.push(((*name).to_owned(), format!("`{}` of {}", tool.canonical, vocabulary.name))),
                }
            }
        }
    }
    words
}

/// The packs.
pub(super) fn pack_words() -> Vec<KnownWord> {
    packs().iter().map(|pack| (pack.name.to_owned(), pack.doc.to_owned())).collect()
}

/// The events of hooks.
pub(super) fn event_words() -> Vec<KnownWord> {
    CATALOGUE.iter().map(|def| (def.name.to_owned(), def.fires_when.to_owned())).collect()
}

/// The events of Harn.
pub(super) fn harn_event_words() -> Vec<KnownWord> {
    let names = lifecycle_hooks::DIALECT.events.names();
    names.map(|name| (name.to_owned(), find_event(name).map_or("", |def| def.fires_when).to_owned())).collect()
}

/// The built-ins of a kind of script: signature and what they do, by name.
pub(super) fn builtin_words(script_kind: ScriptKind) -> Vec<KnownWord> {
    let own = catalogue().iter().filter(|builtin| builtin.roles.contains(&script_kind));
    own.map(|builtin| (builtin.name.to_owned(), format!("`{}`\n\n{}", builtin.signature, builtin.doc))).collect()
}

/// The fields of the payload of an event, or of `tool.pre` if the event is not known.
pub(super) fn payload_words(event: Option<&EventDef>) -> Vec<KnownWord> {
    let def = event.unwrap_or_else(|| EventKind::ToolPre.def());
    let mut words = field_words(def.schema());
    for (name, alias) in def.aliases {
        if let Some((_, meaning)) = words.iter().find(|(known, _)| known == name).cloned() {
            words.push(((*alias).to_owned(), meaning));
        }
    }
    words
}

/// The fields of what a list of the payload contains.
pub(super) fn item_words(event: Option<&EventDef>, field: &str) -> Vec<KnownWord> {
    let schema = event.unwrap_or_else(|| EventKind::ToolPre.def()).schema();
    let list = schema.pointer("/properties").and_then(|fields| fields.get(field));
    list.and_then(find_reference).and_then(|pointer| schema.pointer(pointer)).map(field_words).unwrap_or_default()
}

/// The first reference in a schema.
fn find_reference(schema: &'static Value) -> Option<&'static str> {
    match schema {
        Value::Object(fields) => match fields.get("$ref").and_then(Value::as_str) {
            Some(reference) => reference.strip_prefix('#'),
            None => fields.values().find_map(find_reference),
        },
        Value::Array(items) => items.iter().find_map(find_reference),
        _ => None,
    }
}

fn field_words(schema: &'static Value) -> Vec<KnownWord> {
    let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    fields.map(|(name, field)| (name.clone(), description_of(field))).collect()
}

fn description_of(schema: &Value) -> String {
    schema.get("description").and_then(Value::as_str).unwrap_or_default().replace('\n', " ")
}

/// The actions of operations of these kinds, with their kinds; of all kinds if there are none.
pub(super) fn action_words(kinds: &[&str]) -> Vec<KnownWord> {
    let mut words: Vec<KnownWord> = Vec::new();
    for (kind, action) in known_actions() {
        let kind = serde_json::to_value(kind).unwrap_or_default();
        let kind = kind.as_str().unwrap_or_default();
        if !kinds.is_empty() && !kinds.contains(&kind) {
            continue;
        }
        match words.iter_mut().find(|(known, _)| known == action) {
            Some((_, owners)) => owners.push_str(&format!(", `{kind}`")),
            None => words.push((action.to_owned(), format!("an action of `{kind}`"))),
        }
    }
    words
}

/// The words that a field of a payload, an operation or a path may be.
pub(super) fn words_of_field(field: &str) -> Vec<KnownWord> {
    let definitions: &[&str] = match field {
        "name" | "tool" => return tool_words(),
        "action" => return action_words(&[]),
        "kind" => &["OperationKind", "ToolKind"],
        "place" => &["PathPlace"],
        "tags" => &["OperationTag"],
        _ => return Vec::new(),
    };
    let schema = EventKind::ToolPre.def().schema();
    let words =
        definitions.iter().filter_map(|name| schema.pointer(&format!("/$defs/{name}/oneOf"))?.as_array()).flatten();
    words.filter_map(|word| Some((word.get("const")?.as_str()?.to_owned(), description_of(word)))).collect()
}
