//! Events as the hooks of this dialect receive them: one JSON object (docker-agent behaviour, section 1.2).

pub(super) mod chat;
pub(super) mod keys;
mod letters;
mod value;

use pintle_contract::Event;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

pub(super) use self::value::Given;

use super::{Compat, Row};

/// The object on a hook's standard input, written straight from the event: nothing is copied first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) event: &'a Event,
    /// The event's name as the hook's author wrote it.
    pub(super) spelling: &'a str,
    pub(super) row: &'static Row,
    pub(super) compat: Compat,
}

impl Input<'_> {
    /// The object as a value, for templates.
    pub(super) fn to_value(self) -> Value {
        // Text keys and plain data always have a JSON form.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// The object as docker-agent writes it: compact, on one line, without a line end.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        letters::write(&self)
    }
}

impl Serialize for Input<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { event, spelling, row, compat } = *self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("session_id", &(row.opening.session)(event))?;
        map.serialize_entry("cwd", (row.opening.cwd)(event))?;
        map.serialize_entry("hook_event_name", spelling)?;
        let agent = (row.opening.agent)(event);
        if !agent.is_empty() && (compat == Compat::Newest || row.opening.agent_in_g1) {
            map.serialize_entry("agent_name", agent)?;
        }
        for key in row.keys.iter().copied().flatten().filter(|key| compat == Compat::Newest || key.since == compat) {
            if let Some(given) = key.of(event) {
                map.serialize_entry(key.name, &given)?;
            }
        }
        map.end()
    }
}

#[cfg(test)]
mod tests;
