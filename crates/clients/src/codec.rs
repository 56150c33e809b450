//! The codec of a client's hooks.

use std::sync::Arc;

use pintle_contract::{Codec, Event, FileContentKeys, HandlerOutput, Verdict};
use serde_json::Value;

use crate::client::{ClientDef, EnvVariable};
use crate::sent_payload::reported_by;
use crate::{decode, encode};

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
        encode::encode(self.client, event, event_alias)
    }

    fn encode_bytes(&self, event: &Event, event_alias: &str) -> Vec<u8> {
        encode::encode_bytes(self.client, event, event_alias)
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
