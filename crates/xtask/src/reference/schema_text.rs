//! Describes a JSON Schema in words.

use serde_json::{Map, Value};

/// A field of an object.
pub(super) struct SchemaField<'a> {
    pub(super) name: &'a str,
    pub(super) kind: String,
    pub(super) is_required: bool,
    pub(super) about: String,
}

/// The fields of an object schema, in order.
pub(super) fn schema_fields(schema: &Value) -> Vec<SchemaField<'_>> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|known| known == name));
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut found = Vec::new();
    for (name, inner) in properties.into_iter().flatten() {
        let about = inner.get("description").and_then(Value::as_str).unwrap_or_default();
        // A row of a table is one line.
        let about = about.replace('\n', " ");
        found.push(SchemaField { name, kind: describe_type(inner), is_required: is_required(name), about });
    }
    found
}

/// The definitions that a schema refers to.
pub(super) fn referenced_definitions(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("$defs").and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

/// The type of a value in words; a definition is a link to its section.
pub(super) fn describe_type(schema: &Value) -> String {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let name = reference.rsplit('/').next().unwrap_or(reference);
        return format!("[{name}](#piece-{})", name.to_lowercase());
    }
    // An optional definition is the definition or null.
    let choices = schema.get("anyOf").and_then(Value::as_array);
    if let Some(defined) = choices.into_iter().flatten().find(|choice| choice.get("$ref").is_some()) {
        return describe_type(defined);
    }
    let nullable = |kinds: &Value| kinds.as_array().and_then(|kinds| kinds.first().cloned());
    let name = schema.get("type").map(|kinds| nullable(kinds).unwrap_or_else(|| kinds.clone()));
    match name.as_ref().and_then(Value::as_str) {
        Some("array") => {
            format!("list of {}", schema.get("items").map_or_else(|| String::from("anything"), describe_type))
        }
        Some("string") => String::from("text"),
        Some("boolean") => String::from("true or false"),
        Some(other) => other.to_owned(),
        None => String::from("anything"),
    }
}
