//! Events as the hooks of an agent receive them: one JSON object.

use pintle_contract::Event;
use serde_json::{Map, Value};

use super::Given;
use super::client::Client;

/// The object; `None` for an event that the agent does not have.
pub(super) fn encode(client: &Client, event: &Event, spelling: &str) -> Option<Value> {
    let row = client.row(spelling)?;
    let given = Given { event, spelling, voice: row.voice };
    let mut fields = Map::new();
    for key in row.all_keys() {
        if let Some(value) = (key.made)(&given) {
            fields.insert(key.name.to_owned(), value);
        }
    }
    Some(Value::Object(fields))
}
