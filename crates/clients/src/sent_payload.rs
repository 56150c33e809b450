//! The payload that a client sent, for the client's own hooks.

use pintle_contract::{Event, read_payload};
use serde_json::{Map, Value};

use crate::client::ClientDef;
use crate::encode::insert;
use crate::host::{HostEventData, HostField, at_path};
use crate::{ClientEventDef, ClientKey};

/// What a hook can change in an event.
const CHANGEABLE: [HostField; 8] = [
    HostField::Input,
    HostField::Path,
    HostField::Response,
    HostField::Error,
    HostField::Prompt,
    HostField::Answer,
    HostField::Task,
    HostField::Request,
];

/// The payload of an event that the client itself reported.
pub(crate) struct SentPayload {
    /// The reported event, which can be another one than the hook's.
    pub(crate) def: &'static ClientEventDef,
    payload: Value,
}

impl SentPayload {
    /// The payload, if the event came from this client.
    pub(crate) fn find(client: &ClientDef, event: &Event) -> Option<Self> {
        let sent = event.origin.sent.as_deref().filter(|_| reported_by(client, event))?;
        let host = event.payload.field("host")?;
        let def = client.events.iter().find(|def| host.get("event").is_some_and(|name| name == def.name))?;
        let payload = read_payload(sent).ok().filter(Value::is_object)?;
        Some(Self { def, payload })
    }

    /// The payload with what hooks changed since it was sent, and whether that is nothing. Everything else is as it was
    /// sent, also what Pintle does not know.
    pub(crate) fn with_changes(mut self, written: Value) -> (Value, bool) {
        if changeable_data(self.def, &self.payload) == changeable_data(self.def, &written) {
            return (self.payload, true);
        }
        let is_changeable = |key: &&ClientKey| key.field.is_some_and(|field| CHANGEABLE.contains(&field));
        for key in self.def.all_keys().filter(is_changeable) {
            let Some(mut value) = at_path(&written, key.name).cloned() else { continue };
            // The client may have sent it under another name, which Pintle only reads, or as JSON text.
            let mut names = self.def.all_keys().chain(self.def.read_only_keys());
            let is_sent = |other: &&ClientKey| other.field == key.field && at_path(&self.payload, other.name).is_some();
            let name = names.find(is_sent).map_or(key.name, |key| key.name);
            if at_path(&self.payload, name).is_some_and(Value::is_string) && !value.is_string() {
                value = Value::from(value.to_string());
            }
            if let Value::Object(fields) = &mut self.payload {
                insert(fields, name, value);
            }
        }
        (self.payload, false)
    }

    /// The payload of another event of the same call: it has what the client sent about the session, and what Pintle
    /// does not know.
    pub(crate) fn complete(self, mut written: Map<String, Value>) -> Map<String, Value> {
        let is_known = |name: &String| self.def.all_keys().any(|key| key.name.split('/').next() == Some(name));
        let is_base = |name: &String| self.def.style.base.iter().any(|key| key.name == name);
        for (name, value) in self.payload.as_object().into_iter().flatten() {
            let is_about_session = is_base(name) && written.contains_key(name) && value != self.def.name;
            if is_about_session || (!is_known(name) && !written.contains_key(name)) {
                written.insert(name.clone(), value.clone());
            }
        }
        written
    }
}

/// Whether the client itself reported an event, through the bridge.
pub(crate) fn reported_by(client: &ClientDef, event: &Event) -> bool {
    event.payload.field("host").and_then(|host| host.get("client")).is_some_and(|name| name == client.name)
}

/// What hooks can change in a payload, as it is read. What is written of a model's request or answer always differs.
fn changeable_data(def: &'static ClientEventDef, payload: &Value) -> Option<Vec<Value>> {
    Some(match def.read(payload).ok()?.data {
        HostEventData::BeforeTool(call) | HostEventData::PermissionDenied { call, .. } => vec![call.input],
        HostEventData::AfterTool { call, response, .. } => vec![call.input, response],
        HostEventData::Prompt { text, .. } => vec![text.into()],
        HostEventData::SubagentStart { task, .. } => vec![task.into()],
        HostEventData::SubagentStop { answer, .. } | HostEventData::Stop { answer, .. } => vec![answer.into()],
        HostEventData::Model { request, response } => vec![request, response],
        _ => Vec::new(),
    })
}
