//! The value of one input key.

use std::borrow::Cow;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::chat::DockerChatMessage;

/// The value of one key, borrowed from the payload if possible.
#[derive(Debug)]
pub(crate) enum DockerValue<'a> {
    /// Unchanged JSON.
    Json(&'a Value),
    Text(Cow<'a, str>),
    /// A mapping, with sorted keys at every depth.
    Sorted(&'a Map<String, Value>),
    /// Chat messages, in docker-agent's form.
    Messages(&'a [Value]),
    /// Computed from several fields.
    Computed(Value),
}

impl DockerValue<'_> {
    /// Whether Go omits it: 0, false, and empty strings, lists and mappings.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Json(value) => is_empty(value),
            Self::Text(text) => text.is_empty(),
            Self::Sorted(fields) => fields.is_empty(),
            Self::Messages(messages) => messages.is_empty(),
            Self::Computed(value) => is_empty(value),
        }
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

impl Serialize for DockerValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Json(value) => value.serialize(serializer),
            Self::Computed(value) => value.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Sorted(fields) => serialize_sorted(fields, serializer),
            Self::Messages(messages) => serializer.collect_seq(messages.iter().map(DockerChatMessage)),
        }
    }
}

/// A value whose mappings are written with sorted keys.
struct SortedValue<'a>(&'a Value);

impl Serialize for SortedValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(fields) => serialize_sorted(fields, serializer),
            Value::Array(items) => serializer.collect_seq(items.iter().map(SortedValue)),
            plain => plain.serialize(serializer),
        }
    }
}

fn serialize_sorted<S: Serializer>(fields: &Map<String, Value>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut ordered: Vec<(&String, &Value)> = fields.iter().collect();
    ordered.sort_unstable_by_key(|(key, _)| *key);
    let mut map = serializer.serialize_map(Some(ordered.len()))?;
    for (key, value) in ordered {
        map.serialize_entry(key, &SortedValue(value))?;
    }
    map.end()
}
