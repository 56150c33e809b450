//! Encodes events as one JSON object for the hooks of this dialect.

pub(super) mod chat;
mod go_json;
pub(super) mod keys;
mod value;

use pintle_contract::Event;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

pub(super) use self::value::DockerValue;

use super::{DockerAgentVersion, DockerEventDef};

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
