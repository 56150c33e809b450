//! What the schema of a file says about a place in it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use pintle_host::dialects::{FileSchema, file_schemas};
use serde_json::Value;

use super::data_cursor::DataStep;

/// The deepest chain of references and choices that is followed.
const MOST_STEPS: u32 = 32;

static SCHEMAS: LazyLock<Vec<FileSchema>> = LazyLock::new(file_schemas);

/// The schemas of a place: all that may apply.
pub(super) struct PlaceSchemas {
    root: &'static Value,
    found: Vec<&'static Value>,
}

impl PlaceSchemas {
    /// The schemas of a place in a file.
    pub(super) fn find(name: &str, path: &[DataStep]) -> Option<Self> {
        let root = &SCHEMAS.iter().find(|file| file.name == name)?.schema;
        let mut place = Self { root, found: Vec::new() };
        place.add(root, 0);
        for step in path {
            let before = std::mem::take(&mut place.found);
            for schema in before {
                let next = match step {
                    DataStep::Key(key) => schema
                        .pointer("/properties")
                        .and_then(|known| known.get(key))
                        .or_else(|| schema.get("additionalProperties")),
                    DataStep::Item => schema.get("items"),
                };
                next.into_iter().for_each(|next| place.add(next, 0));
            }
        }
        Some(place)
    }

    fn add(&mut self, schema: &'static Value, depth: u32) {
        if depth > MOST_STEPS || !schema.is_object() {
            return;
        }
        self.found.push(schema);
        let reference = schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
        if let Some(target) = reference.and_then(|pointer| self.root.pointer(pointer)) {
            self.add(target, depth + 1);
        }
        for choices in ["anyOf", "oneOf"].iter().filter_map(|key| schema.get(key)?.as_array()) {
            choices.iter().for_each(|choice| self.add(choice, depth + 1));
        }
    }

    /// The keys that a mapping may have here, with what they mean. Keys without an effect are left out.
    pub(super) fn keys(&self) -> BTreeMap<&'static str, &'static str> {
        let properties = self.found.iter().filter_map(|schema| schema.get("properties")?.as_object()).flatten();
        let known = properties.filter(|(_, schema)| schema.get("deprecated").is_none());
        known.map(|(key, schema)| (key.as_str(), description_of(schema))).collect()
    }

    /// The words that a value may be.
    pub(super) fn words(&self) -> Vec<&'static str> {
        let words = self.found.iter().filter_map(|schema| schema.get("enum")?.as_array()).flatten();
        let mut found: Vec<&str> = words.filter_map(Value::as_str).collect();
        if self.found.iter().any(|schema| schema.get("type").and_then(Value::as_str) == Some("boolean")) {
            found.extend(["true", "false"]);
        }
        found
    }

    /// What the place is for.
    pub(super) fn description(&self) -> &'static str {
        self.found.iter().map(|schema| description_of(schema)).find(|text| !text.is_empty()).unwrap_or_default()
    }
}

fn description_of(schema: &'static Value) -> &'static str {
    schema.get("description").and_then(Value::as_str).unwrap_or_default()
}
