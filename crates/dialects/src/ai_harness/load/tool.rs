//! Reads one tool.

use pintle_contract::{ByteSpan, Location, ScriptSource, ToolSpec};
use serde_json::{Map, Value, json};

use super::gathered::{GatheredFiles, new_report};
use super::hook::has_fenced_list;
use super::merge::{DeclarationSource, ToolDraft};
use crate::Artifact;
use crate::document::{DocNode, FieldReader, split, to_json};

/// The restricting keys.
const GUARDING: &[&str] = &["script", "parameters", "verify"];

/// The default timeout of a tool.
const DEFAULT_TIMEOUT_MS: u64 = 60_000;

/// The parameter types of the reference, and `integer`.
const TYPES: [&str; 6] = ["string", "number", "integer", "boolean", "object", "array"];

/// Reads a tool file. The file's stem is the name, the body the description.
pub(super) fn read_file(artifact: &Artifact, gathered: &mut GatheredFiles) {
    let report = new_report(artifact, "tool ");
    if let Some(document) = split(&report) {
        let place = report.first_line(document.matter_span);
        let owner = format!("tool `{}`", artifact.name);
        let mut fields = FieldReader::new(&report, owner, document.matter.as_ref(), place);
        let help = format!("the tool is named after its file, `{}`; rename the file to rename the tool", artifact.name);
        fields.misplaced("name", &help);
        let mut spec = read_fields(&mut fields, artifact.name.clone(), report.location(place));
        if !document.body.is_empty() {
            spec.description = document.body.to_owned();
        } else if spec.description.is_empty() {
            spec.description.clone_from(&artifact.name);
        }
        fields.finish_guarding(GUARDING);
        if spec.script.is_none() && has_fenced_list(&spec.description, &["name:"]) {
            let message =
                format!("file `{}` has its tools in a fenced block of its body, which is ignored", artifact.name);
            let help = "list them under `tools:` in the frontmatter of a file in `.harness/plugins/`";
            report.warning("fenced_block", message, place, Some(help.to_owned()));
        }
        gathered.tools.push(ToolDraft { spec, source: DeclarationSource::File });
    }
    gathered.findings.extend(report.into_diagnostics());
}

pub(super) fn read_list(fields: &mut FieldReader<'_>, source: DeclarationSource) -> Vec<ToolDraft> {
    let items = fields.list("tools").unwrap_or_default();
    items.iter().enumerate().filter_map(|(index, item)| read_inline(fields, index, item, source)).collect()
}

/// Reads one tool of a list; `None` if it has no name or is not a mapping, which is reported.
pub(super) fn read_inline(
    fields: &FieldReader<'_>,
    index: usize,
    item: &DocNode,
    source: DeclarationSource,
) -> Option<ToolDraft> {
    let report = fields.report();
    let named = item.get("name").and_then(DocNode::as_text).unwrap_or_default();
    let owner = if named.is_empty() { format!("tools[{index}]") } else { format!("tool `{named}`") };
    let mut own = FieldReader::new(report, owner, Some(item), item.span);
    item.entries()?;
    let name = own.text("name").filter(|name| !name.is_empty());
    let place = report.first_line(item.span);
    if name.is_none() && own.node("name").is_none_or(|node| node.is_null() || node.as_text().is_some()) {
        report.error(
            "missing_field",
            &format!("tools[{index}].name cannot be empty"),
            place,
            Some(String::from("add `name:`")),
        );
    }
    let shown = name.clone().unwrap_or_else(|| format!("tools[{index}]"));
    let mut spec = read_fields(&mut own, shown, report.location(place));
    own.finish_guarding(GUARDING);
    if spec.description.is_empty() {
        spec.description.clone_from(&spec.name);
    }
    name.is_some().then_some(ToolDraft { spec, source })
}

fn read_fields(fields: &mut FieldReader<'_>, name: String, location: Location) -> ToolSpec {
    let report = fields.report();
    let description = fields.text("description").unwrap_or_default();
    let parameters = read_parameters(fields);
    let script_node = fields.node("script");
    let script = fields.script("script").filter(has_text);
    if script.is_none() && script_node.is_none_or(|node| node.as_text().is_some()) {
        let message = format!("tool \"{name}\" is configured but no handler has been registered");
        let help = String::from("add `script: |` with a function `run(args)`");
        report.warning("no_script", message, location.span, Some(help));
    }
    let timeout_ms = read_timeout(fields, &name);
    let verify = fields.script("verify").filter(has_text);
    fields.note_reserved("verify_policy");
    fields.warn_unsupported("async", "the tool finishes before the model continues");
    ToolSpec { name, description, parameters, script, timeout_ms, verify, location }
}

fn has_text(script: &ScriptSource) -> bool {
    !script.text.trim().is_empty()
}

/// Zero means the default, as if the field were absent.
fn read_timeout(fields: &mut FieldReader<'_>, name: &str) -> u64 {
    let Some(value) = fields.integer("timeout_ms", i64::MIN..=i64::MAX) else {
        return DEFAULT_TIMEOUT_MS;
    };
    match u64::try_from(value) {
        Ok(0) => DEFAULT_TIMEOUT_MS,
        Ok(value) => value,
        Err(_) => {
            let place = fields.span_of("timeout_ms");
            fields.report().error("bad_value", &format!("tool \"{name}\" timeout_ms must be >= 0"), place, None);
            DEFAULT_TIMEOUT_MS
        }
    }
}

/// The JSON Schema of a tool's arguments: an object with only the declared properties.
///
/// A mapping that is already such a schema (`type: object` with `properties`) is used unchanged.
fn read_parameters(fields: &mut FieldReader<'_>) -> Value {
    let report = fields.report();
    let none = || json!({"type": "object", "properties": {}, "additionalProperties": false});
    let Some(node) = fields.node("parameters").filter(|node| !node.is_null()) else {
        return none();
    };
    let Some(entries) = node.entries() else {
        let message = format!("parameters must be a mapping of names, not {}", node.describe());
        report.value_error(
            "wrong_type",
            &message,
            node.span,
            Some(String::from("write lines such as `name: {type: string}`")),
        );
        return none();
    };
    let is_schema = node.get("type").and_then(DocNode::as_text) == Some("object")
        && node.get("properties").is_some_and(|properties| properties.entries().is_some());
    if is_schema {
        return read_json(fields, node).unwrap_or_else(none);
    }
    let mut properties = Map::new();
    let mut required = Vec::new();
    for entry in entries {
        let mut own = FieldReader::of_entry(report, "parameter", entry);
        let mut property = Map::new();
        read_property(&mut own, &mut property, entry.key_span);
        if own.boolean("required") == Some(true) {
            required.push(Value::String(entry.key.clone()));
        }
        own.finish();
        properties.insert(entry.key.clone(), Value::Object(property));
    }
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if let (false, Some(fields)) = (required.is_empty(), schema.as_object_mut()) {
        fields.insert(String::from("required"), Value::Array(required));
    }
    schema
}

/// The keys of a parameter that are copied to the JSON Schema unchanged.
const SCHEMA_KEYS: [&str; 7] = ["enum", "items", "default", "properties", "minimum", "maximum", "pattern"];

fn read_property(fields: &mut FieldReader<'_>, property: &mut Map<String, Value>, place: ByteSpan) {
    let kind = match fields.node("type") {
        None => {
            let help = Some(format!("one of {}", TYPES.join(", ")));
            fields.report().value_error("missing_field", "the parameter has no type", place, help);
            None
        }
        Some(_) => fields.choice("type", &TYPES.map(|word| (word, word))),
    };
    if let Some(kind) = kind {
        property.insert(String::from("type"), Value::from(kind));
    }
    if let Some(description) = fields.text("description") {
        property.insert(String::from("description"), Value::String(description));
    }
    for key in SCHEMA_KEYS {
        if let Some(value) = fields.node(key).and_then(|node| read_json(fields, node)) {
            property.insert(key.to_owned(), value);
        }
    }
}

fn read_json(fields: &FieldReader<'_>, node: &DocNode) -> Option<Value> {
    to_json(node)
        .map_err(|node| {
            fields.report().value_error("bad_value", "a number must be finite and fit in 64 bits", node.span, None)
        })
        .ok()
}
