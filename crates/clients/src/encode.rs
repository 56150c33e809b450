//! Encodes events as one JSON object for a client's hooks.

use pintle_contract::Event;
use serde_json::{Map, Value};

use crate::EncodeContext;
use crate::client::ClientDef;

/// The payload; `None` if the client does not have the event.
pub(crate) fn encode(client: &ClientDef, event: &Event, spelling: &str) -> Option<Value> {
    let def = client.event_def(spelling)?;
    let context = EncodeContext { event, event_alias: spelling, style: def.style };
    let mut fields = Map::new();
    for key in def.all_keys() {
        if let Some(value) = (key.value)(&context) {
            insert(&mut fields, key.name, value);
        }
    }
    Some(Value::Object(fields))
}

/// Inserts a value under a name, or in the object that the name's first part names.
fn insert(fields: &mut Map<String, Value>, name: &str, value: Value) {
    let Some((outer, inner)) = name.split_once('/') else {
        fields.insert(name.to_owned(), value);
        return;
    };
    if let Value::Object(object) = fields.entry(outer).or_insert_with(|| Value::Object(Map::new())) {
        insert(object, inner, value);
    }
}
