//! Encodes events as one JSON object, as a client sends them to its hooks.

use pintle_contract::Event;
use serde_json::{Map, Value};

use crate::client::ClientDef;
use crate::host::HostField;
use crate::key_values::{self, KeyValue};
use crate::sent_payload::SentPayload;
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
pub(crate) fn encode(client: &ClientDef, event: &Event, event_alias: &str) -> Option<Value> {
    Some(encode_or_keep(client, event, event_alias)?.0)
}

/// The payload as bytes: those that the client sent, if it reported this event and no hook changed it.
pub(crate) fn encode_bytes(client: &ClientDef, event: &Event, event_alias: &str) -> Vec<u8> {
    let encoded = encode_or_keep(client, event, event_alias);
    match (&event.origin.sent, encoded.as_ref()) {
        (Some(bytes), Some((_, true))) => bytes.to_vec(),
        // A `Value` can always be serialised to JSON.
        (_, encoded) => {
            serde_json::to_vec(encoded.map_or(event.payload.value(), |(value, _)| value)).unwrap_or_default()
        }
    }
}

/// The payload, and whether it is the one that the client sent.
fn encode_or_keep(client: &ClientDef, event: &Event, event_alias: &str) -> Option<(Value, bool)> {
    let def = client.event_def(event_alias)?;
    let written = encode_keys(def, &EncodeContext { event, event_alias, style: def.style });
    Some(match SentPayload::find(client, event) {
        Some(sent) if sent.def.name == event_alias => sent.with_changes(Value::Object(written)),
        Some(sent) => (Value::Object(sent.complete(written)), false),
        None => (Value::Object(written), false),
    })
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
pub(crate) fn insert(fields: &mut Map<String, Value>, name: &str, value: Value) {
    let Some((outer, inner)) = name.split_once('/') else {
        fields.insert(name.to_owned(), value);
        return;
    };
    if let Value::Object(object) = fields.entry(outer).or_insert_with(|| Value::Object(Map::new())) {
        insert(object, inner, value);
    }
}
