//! Reads shell commands that are tools.

use pintle_contract::{ScriptToolSpec, ToolsetKind, did_you_mean};
use serde_json::{Map, Value, json};

use super::super::entries_of;
use super::super::model::read_names;
use crate::document::{FieldReader, FileReport, MapEntry, to_json};

pub(super) fn read(fields: &mut FieldReader<'_>) -> Option<ToolsetKind> {
    let report = fields.report();
    let environment = fields.pairs("env");
    let entries = entries_of(fields, "shell");
    if entries.is_empty() {
        let help = "for example `shell:`, below it `run_tests:`, and below that `cmd: make test`";
        report.value_error("missing_key", "the toolset `script` declares no tools", fields.span(), help);
        return None;
    }
    let tools = entries.iter().filter_map(|entry| read_tool(report, entry, &environment));
    Some(ToolsetKind::Script(tools.collect()))
}

fn read_tool(report: &FileReport, entry: &MapEntry, context: &[(String, String)]) -> Option<ScriptToolSpec> {
    let mut fields = FieldReader::of_entry(report, "the tool", entry);
    if !is_tool_name(&entry.key) {
        let message = format!("`{}` is not a valid tool name", entry.key);
        let help = "use letters, digits, `_` and `-`, starting with a letter or `_`";
        report.value_error("bad_value", message, entry.key_span, help);
    }
    let command = fields.text("cmd");
    if command.is_none() && fields.node("cmd").is_none_or(|node| node.is_null()) {
        let message = format!("the tool `{}` needs a `cmd`", entry.key);
        report.value_error("missing_key", message, entry.key_span, "for example `cmd: make test`");
    }
    let description = fields.text("description");
    let parameters = read_parameters(&mut fields);
    let mut environment = context.to_vec();
    for (name, value) in fields.pairs("env") {
        environment.retain(|(known, _)| *known != name);
        environment.push((name, value));
    }
    let directory = fields.text("working_dir");
    fields.finish_strictly();
    let command = command?;
    Some(ScriptToolSpec {
        name: entry.key.clone(),
        description: description.unwrap_or_else(|| format!("Runs `{}`.", command.trim())),
        parameters,
        command,
        environment,
        directory,
        timeout_ms: None,
    })
}

/// Reads `args` and `required` as one schema. Without `required`, every argument is required.
fn read_parameters(fields: &mut FieldReader<'_>) -> Value {
    let report = fields.report();
    let mut properties = Map::new();
    for entry in entries_of(fields, "args") {
        match to_json(&entry.value) {
            Ok(schema @ Value::Object(_)) => {
                properties.insert(entry.key.clone(), schema);
            }
            Ok(_) => {
                let help = "for example `{type: string, description: ..}`";
                report.wrong_type(format_args!("the argument `{}`", entry.key), "a mapping", &entry.value, help);
            }
            Err(node) => report.value_error("bad_value", "the number cannot be written as JSON", node.span, None),
        }
    }
    let required: Vec<String> = if fields.node("required").is_some_and(|node| node.items().is_some()) {
        let written = read_names(fields, "required");
        for (name, span) in written.iter().filter(|(name, _)| !properties.contains_key(name)) {
            let help = did_you_mean(name, properties.keys().map(String::as_str))
                .unwrap_or_else(|| String::from("declare it under `args`"));
            report.value_error("unknown_name", format!("the required argument `{name}` is not declared"), *span, help);
        }
        written.into_iter().map(|(name, _)| name).collect()
    } else {
        let _ = fields.texts("required");
        properties.keys().cloned().collect()
    };
    json!({"type": "object", "properties": properties, "required": required})
}

fn is_tool_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'))
}
