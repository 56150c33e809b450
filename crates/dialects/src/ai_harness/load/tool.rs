//! Reads one tool.

use pintle_contract::{Location, ScriptSource, ToolSpec};
use serde_json::{Map, Value, json};

use super::hook::has_fenced_list;
use super::merge::{DeclarationSource, GatheredFiles, ToolDraft, new_report};
use crate::Artifact;
use crate::document::{DocNode, FieldReader, KeyTable, UnknownKeys, key, split, to_json};

/// The default timeout of a tool.
const DEFAULT_TIMEOUT_MS: u64 = 60_000;

/// The parameter types of the reference, and `integer`.
const TYPES: [&str; 6] = ["string", "number", "integer", "boolean", "object", "array"];

/// The types as they may be written: AI Harness documents two of them by shorter names.
const WRITTEN_TYPES: [(&str, &str); 8] = [
    ("string", "string"),
    ("number", "number"),
    ("integer", "integer"),
    ("boolean", "boolean"),
    ("object", "object"),
    ("array", "array"),
    ("int", "integer"),
    ("bool", "boolean"),
];

/// Reads a tool file. The file's stem is the name, the body the description.
pub(super) fn read_file(artifact: &Artifact, gathered: &mut GatheredFiles) {
    let report = new_report(artifact, "tool ");
    if let Some(document) = split(&report) {
        let place = report.first_line(document.matter_span);
        let owner = format!("tool `{}`", artifact.name);
        let mut fields = FieldReader::new(&report, owner, document.matter.as_ref(), place);
        let help = format!("the tool is named after its file, `{}`; rename the file to rename the tool", artifact.name);
        fields.misplaced("name", &help);
        let mut spec = read_keys(&mut fields, artifact.name.clone(), report.location(place));
        if !document.body.is_empty() {
            spec.description = document.body.to_owned();
        } else if spec.description.is_empty() {
            spec.description.clone_from(&artifact.name);
        }
        TOOL.finish(fields);
        if spec.script.is_none() && has_fenced_list(&spec.description, &["name:"]) {
            let message =
                format!("file `{}` has its tools in a fenced block of its body, which is ignored", artifact.name);
            let help = "list them under `tools:` in the frontmatter of a file in `.harness/plugins/`";
            report.warning("fenced_block", message, place, help);
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
        report.error("missing_field", format!("tools[{index}].name cannot be empty"), place, "add `name:`");
    }
    let shown = name.clone().unwrap_or_else(|| format!("tools[{index}]"));
    let mut spec = read_keys(&mut own, shown, report.location(place));
    TOOL.finish(own);
    if spec.description.is_empty() {
        spec.description.clone_from(&spec.name);
    }
    name.is_some().then_some(ToolDraft { spec, source })
}

fn read_keys(fields: &mut FieldReader<'_>, name: String, location: Location) -> ToolSpec {
    let report = fields.report();
    let ToolKeys { description, parameters, script, timeout_ms, verify } = TOOL.read(fields);
    let script_node = fields.node("script");
    let script = script.filter(has_text);
    if script.is_none() && script_node.is_none_or(|node| node.as_text().is_some()) {
        let message = format!("tool \"{name}\" is configured but no handler has been registered");
        report.warning("no_script", message, location.span, "add `script: |` with a function `run(args)`");
    }
    // Zero means the default, as if the field were absent.
    let timeout_ms = u64::try_from(timeout_ms).unwrap_or_else(|_| {
        let place = fields.span_of("timeout_ms");
        report.error("bad_value", format!("tool \"{name}\" timeout_ms must be >= 0"), place, None);
        0
    });
    let timeout_ms = if timeout_ms == 0 { DEFAULT_TIMEOUT_MS } else { timeout_ms };
    ToolSpec { name, description, parameters, script, timeout_ms, verify: verify.filter(has_text), location }
}

fn has_text(script: &ScriptSource) -> bool {
    !script.text.trim().is_empty()
}

/// The keys of a tool, apart from its name.
#[derive(Debug)]
pub(super) struct ToolKeys {
    description: String,
    parameters: Value,
    script: Option<ScriptSource>,
    timeout_ms: i64,
    verify: Option<ScriptSource>,
}

pub(super) static TOOL: KeyTable<ToolKeys> = KeyTable {
    title: "Tool",
    about: "A tool file, and each item of a `tools:` list. The body is the tool's description, which the model reads.",
    start: || ToolKeys {
        description: String::new(),
        parameters: no_parameters(),
        script: None,
        timeout_ms: DEFAULT_TIMEOUT_MS.cast_signed(),
        verify: None,
    },
    unknown: UnknownKeys::Guarding(&["script", "parameters", "verify"]),
    keys: &[
        key!("name": listed("text", "required in lists"),
            "The tool's name, for tools in a list; a tool file's tool is named after the file."),
        key!(description: text, "What the tool does; the body of a file takes precedence."),
        key!("parameters": with(|fields, tool: &mut ToolKeys| tool.parameters = read_parameters(fields),
            "mapping", "none"), "Its parameters: by name, each as below; or a JSON Schema of an object."),
        key!(script?: script, "none", "The source that defines `run(args)`; see [Built-ins](builtins.md)."),
        key!(timeout_ms: integer(i64::MIN..=i64::MAX), "Time limit of one run, in milliseconds; 0 means the default."),
        key!(verify?: script, "none",
            "The source that defines `run(result)`, which decides whether a result is accepted."),
        key!("verify_policy": reserved),
        key!("async": unsupported("the tool finishes before the model continues")),
    ],
};

fn no_parameters() -> Value {
    json!({"type": "object", "properties": {}, "additionalProperties": false})
}

/// The JSON Schema of a tool's arguments: an object with only the declared properties.
///
/// A mapping that is already such a schema (`type: object` with `properties`) is used unchanged.
fn read_parameters(fields: &mut FieldReader<'_>) -> Value {
    let report = fields.report();
    let Some(node) = fields.node("parameters").filter(|node| !node.is_null()) else {
        return no_parameters();
    };
    let Some(entries) =
        report.entries("parameters", "a mapping of names", node, "write lines such as `name: {type: string}`")
    else {
        return no_parameters();
    };
    let is_schema = node.get("type").and_then(DocNode::as_text) == Some("object")
        && node.get("properties").is_some_and(|properties| properties.entries().is_some());
    if is_schema {
        return read_json(fields, node).unwrap_or_else(no_parameters);
    }
    let mut properties = Map::new();
    let mut required = Vec::new();
    for entry in entries {
        let own = PARAMETER.read_whole(FieldReader::of_entry(report, "parameter", entry));
        if entry.value.get("type").is_none() {
            let help = format!("one of {}", TYPES.join(", "));
            report.value_error("missing_field", "the parameter has no type", entry.key_span, help);
        }
        if own.required {
            required.push(Value::String(entry.key.clone()));
        }
        properties.insert(entry.key.clone(), Value::Object(own.property));
    }
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if let (false, Some(fields)) = (required.is_empty(), schema.as_object_mut()) {
        fields.insert(String::from("required"), Value::Array(required));
    }
    schema
}

/// A parameter of a tool.
#[derive(Debug, Default)]
pub(super) struct ParameterKeys {
    property: Map<String, Value>,
    required: bool,
}

pub(super) static PARAMETER: KeyTable<ParameterKeys> = KeyTable {
    title: "Parameter of a tool",
    about: "Each value of `parameters`.",
    start: ParameterKeys::default,
    unknown: UnknownKeys::Warned,
    keys: &[
        key!("type": with(read_type, "`string`, `number`, `integer`, `boolean`, `object`, `array`", "required"),
            "Its type. Arguments are checked against it before `tool.pre`."),
        key!("description": with(read_description, "text", "none"), "The parameter's description, for the model."),
        key!(required: boolean, "Whether a call must contain it."),
        key!("enum": with(|fields, own| copy_json(fields, own, "enum"), "list", "none"), "The only allowed values."),
        key!("items": with(|fields, own| copy_json(fields, own, "items"), "mapping", "none"),
            "For a list: the JSON Schema of each item."),
        key!("default": with(|fields, own| copy_json(fields, own, "default"), "any", "none"),
            "Its value if a call omits it."),
        key!("properties": with(|fields, own| copy_json(fields, own, "properties"), "mapping", "none"),
            "For an object: the JSON Schemas of its fields, by name."),
        key!("minimum": with(|fields, own| copy_json(fields, own, "minimum"), "number", "none"),
            "The smallest allowed number."),
        key!("maximum": with(|fields, own| copy_json(fields, own, "maximum"), "number", "none"),
            "The largest allowed number."),
        key!("pattern": with(|fields, own| copy_json(fields, own, "pattern"), "text", "none"),
            "A regular expression that a text must match."),
    ],
};

fn read_type(fields: &mut FieldReader<'_>, keys: &mut ParameterKeys) {
    if let Some(kind) = fields.choice("type", &WRITTEN_TYPES) {
        keys.property.insert(String::from("type"), Value::from(kind));
    }
}

fn read_description(fields: &mut FieldReader<'_>, keys: &mut ParameterKeys) {
    if let Some(description) = fields.text("description") {
        keys.property.insert(String::from("description"), Value::String(description));
    }
}

/// Copies a key to the JSON Schema unchanged.
fn copy_json(fields: &mut FieldReader<'_>, keys: &mut ParameterKeys, key: &'static str) {
    if let Some(value) = fields.node(key).and_then(|node| read_json(fields, node)) {
        keys.property.insert(key.to_owned(), value);
    }
}

fn read_json(fields: &FieldReader<'_>, node: &DocNode) -> Option<Value> {
    to_json(node)
        .map_err(|node| {
            fields.report().value_error("bad_value", "a number must be finite and fit in 64 bits", node.span, None)
        })
        .ok()
}
