//! The schema of a policy file, whose rules are not tables of keys.

use pintle_contract::EventKind;
use pintle_packs::{RULE_SUBJECTS, RuleDef, SEVERITY_WORDS, packs};
use serde_json::{Map, Value, json};

use crate::ARTIFACT_KEYS;
use crate::ai_harness::load::policy_rules::{CONDITIONS, OPERATION_KEYS, RULE_KEYS};
use crate::document::KeyRow;

/// The schema of `policy.yaml` and `rules/*.yaml`.
pub(super) fn schema() -> Value {
    let rows =
        ARTIFACT_KEYS.iter().filter(|section| section.title() == "Policy file").flat_map(|section| section.rows());
    let property = |name: &str| match name {
        "use" => {
            json!({"type": ["array", "null"], "items": {"enum": packs().iter().map(|pack| pack.name).collect::<Vec<_>>()}})
        }
        "rules" => pack_rules(),
        "version" => json!({"const": 1}),
        "requires" => json!({"type": "string", "pattern": BOUNDS}),
        "extends" => bases(),
        name if RULE_KEYS.iter().any(|(key, _)| *key == name) => {
            json!({"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/rule"}}, {"$ref": "#/$defs/rule"}, {"type": "null"}]})
        }
        _ => json!({}),
    };
    let properties: Map<String, Value> =
        rows.map(|row| (row.name.to_owned(), with_description(property(row.name), row.meaning))).collect();
    json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "$defs": {"rule": rule(), "operation": operation(), "texts": texts()},
    })
}

/// Bounds of versions, such as `>=0.1, <0.3`.
const BOUNDS: &str = r"^\s*(>=|<=|>|<|=)\s*\d+(\.\d+){0,2}\s*(,\s*(>=|<=|>|<|=)\s*\d+(\.\d+){0,2}\s*)*$";

/// A policy file that is extended, or a list of some.
fn bases() -> Value {
    let section = ARTIFACT_KEYS.iter().filter(|section| section.title() == "Item of `extends`");
    let row = |row: KeyRow| (row.name.to_owned(), with_description(json!({"type": "string"}), row.meaning));
    let properties: Map<String, Value> = section.flat_map(|section| section.rows()).map(row).collect();
    let remote = json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "oneOf": [{"required": ["git", "revision"]}, {"required": ["oci"]}],
    });
    let base = json!({"anyOf": [{"type": "string", "pattern": "\\.yaml$"}, remote]});
    json!({"anyOf": [base, {"type": "array", "items": base}, {"type": "null"}]})
}

fn with_description(mut schema: Value, description: &str) -> Value {
    if let Some(fields) = schema.as_object_mut() {
        fields.insert(String::from("description"), Value::from(description));
    }
    schema
}

/// The settings of the rules of packs.
fn pack_rules() -> Value {
    let severity = json!({"enum": SEVERITY_WORDS.iter().map(|(word, _)| Value::from(*word)).chain([json!(false)]).collect::<Vec<_>>()});
    let setting = json!({"anyOf": [severity, {
        "type": "object",
        "properties": {"severity": severity, "allow": {"$ref": "#/$defs/texts"}},
        "additionalProperties": false,
    }]});
    let rules = packs().iter().flat_map(|pack| {
        let name = |rule: &RuleDef| format!("{}.{}", pack.name, rule.id);
        let property = move |rule: &'static RuleDef| {
            (name(rule), with_description(json!({"$ref": "#/$defs/setting"}), rule.reason))
        };
        pack.rules.iter().map(property)
    });
    let properties: Map<String, Value> = rules.collect();
    json!({
        "type": ["object", "null"],
        "properties": properties,
        "additionalProperties": false,
        "$defs": {"setting": setting},
    })
}

/// A text, or a list of some. Numbers and booleans are texts.
fn texts() -> Value {
    let text = json!({"type": ["string", "number", "boolean"]});
    json!({"anyOf": [text, {"type": "array", "items": text, "minItems": 1}]})
}

/// A command, or a mapping with one subject.
fn rule() -> Value {
    let kinds = kind_descriptions();
    let mut properties = Map::new();
    properties.insert(
        String::from("run"),
        json!({"$ref": "#/$defs/texts", "description": "Commands that the call runs: the program and words of its arguments, in this order."}),
    );
    properties.insert(
        String::from("tool"),
        json!({"$ref": "#/$defs/texts", "description": "Every call of these tools, such as `mcp__github__*`."}),
    );
    for (word, operation_kinds) in RULE_SUBJECTS {
        let described = operation_kinds.iter().filter_map(|kind| {
            let kind = serde_json::to_value(kind).ok()?;
            kinds.iter().find(|(known, _)| kind == **known).map(|(_, text)| text.as_str())
        });
        let description = described.collect::<Vec<_>>().join(" ");
        properties.insert(
            word.to_owned(),
            json!({"anyOf": [{"$ref": "#/$defs/texts"}, {"$ref": "#/$defs/operation"}], "description": description}),
        );
    }
    let subjects: Vec<Value> = properties.keys().map(|key| json!({"required": [key]})).collect();
    for (key, meaning) in CONDITIONS {
        let schema = match key {
            "reason" | "instead" | "name" => json!({"type": ["string", "number", "boolean"]}),
            _ => json!({"$ref": "#/$defs/texts"}),
        };
        properties.insert(key.to_owned(), with_description(schema, meaning));
    }
    json!({"anyOf": [
        {"type": ["string", "number", "boolean"], "description": "A command."},
        {"type": "object", "properties": properties, "additionalProperties": false, "oneOf": subjects},
    ]})
}

fn operation() -> Value {
    let tags = words_of("OperationTag");
    let property = |(key, meaning): (&str, &str)| {
        let schema = match key {
            "tags" => json!({"anyOf": [{"enum": tags}, {"type": "array", "items": {"enum": tags}, "minItems": 1}]}),
            _ => json!({"$ref": "#/$defs/texts"}),
        };
        (key.to_owned(), with_description(schema, meaning))
    };
    let properties: Map<String, Value> = OPERATION_KEYS.into_iter().map(property).collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false, "minProperties": 1})
}

/// The kinds of operations, with what they are.
fn kind_descriptions() -> Vec<(String, String)> {
    let schema = EventKind::ToolPre.def().schema();
    let words = schema.pointer("/$defs/OperationKind/oneOf").and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |word: &Value, key: &str| word.get(key).and_then(Value::as_str).map(str::to_owned);
    words.iter().filter_map(|word| Some((text(word, "const")?, text(word, "description")?))).collect()
}

/// The words of a type of the payload.
fn words_of(name: &str) -> Vec<Value> {
    let schema = EventKind::ToolPre.def().schema();
    let words = schema.pointer(&format!("/$defs/{name}/oneOf")).and_then(Value::as_array).cloned().unwrap_or_default();
    words.iter().filter_map(|word| word.get("const").cloned()).collect()
}
