//! Encodes events for Harn hooks.

pub(super) mod keys;

use pintle_contract::{Event, LazyPayload};
use serde_json::{Map, Value};

use super::event_def;

/// The payload of an event, encoded key by key; `None` if Harn does not have the event.
pub(super) fn lazy_payload(event: &Event) -> Option<LazyPayload<'_>> {
    event_def::for_event(event).map(|def| LazyPayload::new(event, [keys::EVERYWHERE, def.keys]))
}

/// The payload of an event. `event_alias` is the name of an event that Harn does not have.
pub(super) fn encode(event: &Event, event_alias: &str) -> Value {
    let fields = match lazy_payload(event) {
        Some(parts) => parts.to_object(),
        None => {
            let mut fields = Map::from_iter([(String::from("event"), Value::from(event_alias))]);
            fields.extend(LazyPayload::new(event, [keys::EVERYWHERE, &[]]).to_object());
            fields
        }
    };
    Value::Object(fields)
}

#[cfg(test)]
mod tests;
