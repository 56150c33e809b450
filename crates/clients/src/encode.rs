//! Encodes events as one JSON object, as a client sends them to its hooks.

use pintle_contract::Event;
use serde_json::{Map, Value};

use crate::client::ClientDef;
use crate::host::HostField;
use crate::key_values::{self, KeyValue};
use crate::{ClientEventDef, EncodeContext};

/// The fields of a tool call that a client may send under keys that Pintle only reads.
const CALL: [(HostField, KeyValue); 5] = [
    (HostField::Session, key_values::SESSION),
    (HostField::Directory, key_values::DIRECTORY),
    (HostField::Tool, key_values::TOOL),
    (HostField::Input, key_values::INPUT),
    (HostField::CallId, key_values::CALL_ID),
];

/// The payload; `None` if the client does not have the event.
pub(crate) fn encode(client: &ClientDef, event: &Event, spelling: &str) -> Option<Value> {
    let def = client.event_def(spelling)?;
    Some(Value::Object(encode_keys(def, &EncodeContext { event, event_alias: spelling, style: def.style })))
}

fn encode_keys(def: &ClientEventDef, context: &EncodeContext<'_>) -> Map<String, Value> {
    let mut fields = Map::new();
    for key in def.all_keys() {
        if let Some(value) = (key.value)(context) {
            insert(&mut fields, key.name, value);
        }
    }
    fields
}

impl ClientEventDef {
    /// The payload that the client itself sends about a tool call. The call of the event is in the client's words.
    #[must_use]
    pub fn call_payload(&self, event: &Event) -> Value {
        let context = EncodeContext { event, event_alias: self.name, style: self.style };
        let mut fields = encode_keys(self, &context);
        for (field, value) in CALL {
            let mut keys = self.all_keys().filter(|key| key.field == Some(field));
            let mut read_only = self.read_only_keys().filter(|key| key.field == Some(field));
            if let (None, Some(key), Some(value)) = (keys.next(), read_only.next(), (value.write)(&context)) {
                insert(&mut fields, key.name, value);
            }
        }
        Value::Object(fields)
    }
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
