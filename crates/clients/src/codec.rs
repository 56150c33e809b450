//! The codec of a client's hooks.

use std::sync::Arc;

use pintle_contract::{Codec, Event, FileContentKeys, HandlerOutput, Verdict, read_payload};
use serde_json::{Map, Value};

use crate::client::{ClientDef, EnvVariable};
use crate::host::{HostEventData, HostField, at_path};
use crate::key_values::KeyValue;
use crate::{ClientEventDef, ClientKey, EncodeContext, decode, key_values};

/// The codec of one hook: the client, and the hook's own options.
#[derive(Debug, Clone)]
pub struct ClientCodec {
    pub client: &'static ClientDef,
    /// The project directory; `None` is the session's.
    pub project: Option<Arc<str>>,
    /// The directory of the plugin that declares the hook.
    pub plugin: Option<Arc<str>>,
    /// Whether the hook must print an answer.
    pub needs_answer: bool,
    /// Whether plain text that has no reader is invalid output.
    pub needs_json: bool,
}

impl ClientCodec {
    /// The codec of a hook outside a project.
    pub fn for_client(client: &'static ClientDef) -> Arc<dyn Codec> {
        Arc::new(Self { client, project: None, plugin: None, needs_answer: false, needs_json: false })
    }
}

impl Codec for ClientCodec {
    fn dialect(&self) -> &'static str {
        self.client.dialect.unwrap_or(self.client.name)
    }

    fn encode(&self, event: &Event, event_alias: &str) -> Option<Value> {
        encode(self.client, event, event_alias)
    }

    fn encode_bytes(&self, event: &Event, event_alias: &str) -> Vec<u8> {
        encode_bytes(self.client, event, event_alias)
    }

    fn tool_vocabulary(&self, event_alias: &str) -> Option<&'static str> {
        Some(self.client.event_def(event_alias)?.style.tools.name)
    }

    fn event_filter(&self, event_alias: &str) -> Option<fn(&Event) -> bool> {
        self.client.event_def(event_alias)?.event_filter
    }

    fn file_content_keys(&self, event_alias: &str) -> Option<FileContentKeys> {
        self.client.event_def(event_alias)?.file_content
    }

    fn can_deny(&self, event_alias: &str) -> bool {
        self.client.event_def(event_alias).is_none_or(crate::ClientEventDef::can_deny)
    }

    fn environment(&self, event: &Event, _event_alias: &str) -> Vec<(String, String)> {
        let origin = &event.origin;
        let of = |variable: &EnvVariable| match variable {
            EnvVariable::Project => Some(self.project.as_deref().unwrap_or(&origin.cwd).to_owned()),
            EnvVariable::Session => Some(origin.session.clone()),
            EnvVariable::Directory => Some(origin.cwd.clone()),
            EnvVariable::Plugin => self.plugin.as_deref().map(str::to_owned),
            EnvVariable::Fixed(value) => Some((*value).to_owned()),
            EnvVariable::FixedElsewhere(value) => (!reported_by(self.client, event)).then(|| (*value).to_owned()),
        };
        let named = self.client.environment.iter();
        named.filter_map(|(name, variable)| Some(((*name).to_owned(), of(variable)?))).collect()
    }

    fn decode(&self, event: &Event, event_alias: &str, answer: HandlerOutput) -> Verdict {
        decode::decode(self, event, event_alias, answer)
    }
}

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
