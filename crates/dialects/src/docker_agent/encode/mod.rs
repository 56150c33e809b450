//! Encodes events as one JSON object for the hooks of this dialect.

pub(super) mod chat;
mod go_json;
pub(super) mod keys;

use std::borrow::Cow;

use pintle_contract::Event;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use self::chat::DockerChatMessage;
use super::event_def::{DockerAgentVersion, DockerEventDef};

/// The object on a hook's standard input, written directly from the event without copying it.
#[derive(Debug, Clone, Copy)]
pub(super) struct DockerHookInput<'a> {
    pub(super) event: &'a Event,
    /// The event's name as the hook's author wrote it.
    pub(super) event_alias: &'a str,
    pub(super) def: &'static DockerEventDef,
    pub(super) compat: DockerAgentVersion,
}

impl DockerHookInput<'_> {
    /// The object as a value, for templates.
    pub(super) fn to_value(self) -> Value {
        // Plain data with string keys can always be JSON.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// The object as docker-agent writes it: compact, on one line, without a trailing newline.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        go_json::to_go_json(&self)
    }
}

impl Serialize for DockerHookInput<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { event, event_alias, def: row, compat } = *self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("session_id", &(row.opening.session)(event))?;
        map.serialize_entry("cwd", (row.opening.cwd)(event))?;
        map.serialize_entry("hook_event_name", event_alias)?;
        let agent = (row.opening.agent)(event);
        if !agent.is_empty() && (compat == DockerAgentVersion::Newest || row.opening.agent_in_g1) {
            map.serialize_entry("agent_name", agent)?;
        }
        for key in
            row.keys.iter().copied().flatten().filter(|key| compat == DockerAgentVersion::Newest || key.since == compat)
        {
            if let Some(given) = key.value_for(event) {
                map.serialize_entry(key.name, &given)?;
            }
        }
        map.end()
    }
}

#[cfg(test)]
mod tests;

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
