//! From tables of keys to JSON Schemas.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::document::{KeyRow, KeySection};

/// What the value of a key is, if it has keys of its own.
#[derive(Debug, Clone, Copy)]
pub(super) enum NestedShape {
    /// A mapping.
    Mapping,
    /// A list of mappings.
    List,
    /// A mapping with names as its keys.
    Named,
    /// A text or a mapping.
    TextOrMapping,
    /// A list of texts and mappings.
    MixedList,
}

/// The sections that the keys of a section lead to: section, key, shape and section.
pub(super) type NestedSection = (&'static str, &'static str, NestedShape, &'static str);

/// The sections of one dialect, and how its files use them.
pub(super) struct SectionSchemas {
    pub(super) sections: &'static [&'static dyn KeySection],
    pub(super) nested: &'static [NestedSection],
    /// Keys whose values are not described by words: section, key and schema.
    pub(super) own: Vec<(&'static str, &'static str, Value)>,
    /// Keys that are required only with some others.
    pub(super) optional: &'static [(&'static str, &'static str)],
    /// Whether a number is a text, and a single text a list.
    pub(super) is_lenient: bool,
}

impl SectionSchemas {
    /// The schema of a section, with those that it leads to among its definitions.
    pub(super) fn schema_of(&self, title: &str) -> Value {
        let mut definitions = BTreeMap::new();
        let mut schema = self.object_of(title, false, &mut definitions);
        if let (Some(fields), false) = (schema.as_object_mut(), definitions.is_empty()) {
            fields.insert(String::from("$defs"), definitions.into_iter().collect());
        }
        schema
    }

    /// The schema of a mapping, which is a whole file or nested in one.
    fn object_of(&self, title: &str, is_nested: bool, definitions: &mut BTreeMap<String, Value>) -> Value {
        let Some(section) = self.sections.iter().find(|section| section.title() == title) else { return json!({}) };
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for row in section.rows() {
            // What is in a file of its own is named after the file.
            let is_named_in_lists = row.default == "required in lists";
            if is_named_in_lists && !is_nested {
                continue;
            }
            if (row.default == "required" || is_named_in_lists) && !self.optional.contains(&(title, row.name)) {
                required.push(row.name);
            }
            properties.insert(row.name.to_owned(), self.property_of(title, &row, definitions));
        }
        let description = section.description();
        json!({
            "description": description,
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }

    fn property_of(&self, title: &str, row: &KeyRow, definitions: &mut BTreeMap<String, Value>) -> Value {
        let nested = self.nested.iter().find(|(section, key, ..)| *section == title && *key == row.name);
        let own = self.own.iter().find(|(section, key, _)| *section == title && *key == row.name);
        let mut schema = match (own, nested) {
            (Some((.., schema)), _) => schema.clone(),
            (None, Some((.., shape, target))) => self.nested_schema(*shape, target, definitions),
            (None, None) => values_schema(&row.values, self.is_lenient).unwrap_or_else(|| json!({})),
        };
        if let Some(fields) = schema.as_object_mut() {
            let default = match row.default.as_str() {
                "none" | "required" | "required in lists" | "as below" | "any" => String::new(),
                default => format!(" Default: {default}."),
            };
            fields.insert(String::from("description"), Value::from(format!("{}{default}", row.meaning)));
            if ["Not supported:", "An error:", "Reserved:"].iter().any(|start| row.meaning.starts_with(start)) {
                fields.insert(String::from("deprecated"), Value::from(true));
            }
        }
        schema
    }

    /// A reference to the schema of a section, which is added to the definitions.
    pub(super) fn reference_to(&self, title: &str, definitions: &mut BTreeMap<String, Value>) -> Value {
        let name: String =
            title.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, '.' | ' ')).collect();
        let name = name.replace(' ', "_");
        if !definitions.contains_key(&name) {
            // A section may lead to itself.
            definitions.insert(name.clone(), Value::Null);
            let schema = self.object_of(title, true, definitions);
            definitions.insert(name.clone(), schema);
        }
        json!({"$ref": format!("#/$defs/{name}")})
    }

    fn nested_schema(&self, shape: NestedShape, title: &str, definitions: &mut BTreeMap<String, Value>) -> Value {
        let one = self.reference_to(title, definitions);
        let absent = json!({"type": "null"});
        match shape {
            NestedShape::Mapping => json!({"anyOf": [one, absent]}),
            NestedShape::List => json!({"type": ["array", "null"], "items": one}),
            NestedShape::Named => json!({"type": ["object", "null"], "additionalProperties": one}),
            NestedShape::TextOrMapping => json!({"anyOf": [{"type": "string"}, one, absent]}),
            NestedShape::MixedList => {
                json!({"type": ["array", "null"], "items": {"anyOf": [{"type": "string"}, one]}})
            }
        }
    }
}

/// The schema of what a table says about values; `None` if it says so in words of its own.
pub(super) fn values_schema(values: &str, is_lenient: bool) -> Option<Value> {
    let text = if is_lenient { json!(["string", "number", "boolean"]) } else { json!("string") };
    let or_absent = |kinds: &Value| {
        let kinds = kinds.as_array().cloned().unwrap_or_else(|| vec![kinds.clone()]);
        Value::Array(kinds.into_iter().chain([json!("null")]).collect())
    };
    let words = || values.split(", ").map(|word| word.strip_prefix('`')?.strip_suffix('`')).collect::<Option<Vec<_>>>();
    Some(match values {
        "any" => json!({}),
        "text" => json!({"type": or_absent(&text)}),
        "Starlark" => json!({"type": "string"}),
        "true or false" => json!({"type": "boolean"}),
        "number" => json!({"type": "number"}),
        "whole number" => json!({"type": "integer"}),
        "mapping" => json!({"type": ["object", "null"]}),
        "mapping of texts" => json!({"type": ["object", "null"], "additionalProperties": {"type": text}}),
        "text or mapping" => json!({"type": ["string", "object", "null"]}),
        "list" => json!({"type": ["array", "null"]}),
        "list of texts" if is_lenient => {
            json!({"anyOf": [{"type": ["array", "null"], "items": {"type": text}}, {"type": "string"}]})
        }
        "list of texts" => json!({"type": ["array", "null"], "items": {"type": "string"}}),
        "text or list of texts" => {
            json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]})
        }
        "time" | "duration" => json!({"type": "string"}),
        "mapping of results" => json!({"type": ["object", "null"]}),
        "mapping of numbers" => json!({"type": ["object", "null"], "additionalProperties": {"type": "number"}}),
        "list of events" => json!({"type": ["array", "null"]}),
        "list of numbers" => json!({"type": ["array", "null"], "items": {"type": "number"}}),
        "list of whole numbers" => json!({"type": ["array", "null"], "items": {"type": "integer"}}),
        _ => match (words(), values.split_once(", ")) {
            (Some(words), _) => json!({"enum": words}),
            (None, Some((kind @ ("whole number" | "number"), bounds))) => {
                let kind = if kind == "number" { "number" } else { "integer" };
                let mut schema = json!({"type": kind});
                let fields = schema.as_object_mut()?;
                match (bounds.split_once(" to "), bounds.strip_suffix(" or more")) {
                    (Some((least, most)), _) => {
                        fields.insert(String::from("minimum"), number(least)?);
                        fields.insert(String::from("maximum"), number(most)?);
                    }
                    (None, Some(least)) => drop(fields.insert(String::from("minimum"), number(least)?)),
                    (None, None) => return None,
                }
                schema
            }
            _ => return None,
        },
    })
}

fn number(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}
