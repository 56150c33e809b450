//! Encodes events as one JSON object for a client's hooks.

use pintle_contract::Event;
use serde_json::{Map, Value};

use super::EncodeContext;
use super::client::ClientDef;

/// The payload; `None` if the client does not have the event.
pub(super) fn encode(client: &ClientDef, event: &Event, spelling: &str) -> Option<Value> {
    let def = client.event_def(spelling)?;
    let context = EncodeContext { event, event_alias: spelling, voice: def.style };
    let mut fields = Map::new();
    for key in def.all_keys() {
        if let Some(value) = (key.value)(&context) {
            fields.insert(key.name.to_owned(), value);
        }
    }
    Some(Value::Object(fields))
}
