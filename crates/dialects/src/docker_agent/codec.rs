//! How the hooks of this dialect are spoken to.

use std::sync::Arc;

use pintle_contract::{Codec, Event, HandlerOutput, HookInfluence, Verdict};
use serde_json::Value;

use super::encode::DockerHookInput;
use super::{DIALECT, DockerAgentVersion, decode, event_def};

/// The codec of a hook whose options are the defaults.
#[must_use]
pub fn codec() -> Arc<dyn Codec> {
    Arc::new(DockerAgentCodec::default())
}

/// The codec of one hook: it knows which version is spoken and what the hook's author wrote about its output.
#[derive(Debug, Clone, Default)]
pub(super) struct DockerAgentCodec {
    /// The version.
    pub(super) compat: DockerAgentVersion,
    /// Whether the output has to be exactly one object without anything that the event ignores.
    pub(super) strict_output: bool,
    /// What a model's reply has to be; `None` is any text.
    pub(super) schema: Option<Arc<str>>,
}

impl Codec for DockerAgentCodec {
    fn dialect(&self) -> &'static str {
        DIALECT.name
    }

    fn encoding_key(&self) -> &'static str {
        match self.compat {
            DockerAgentVersion::Newest => DIALECT.name,
            DockerAgentVersion::G1 => "docker_agent/g1",
        }
    }

    fn event_filter(&self, spelling: &str) -> Option<fn(&Event) -> bool> {
        // The catalogue's event ends every call; docker-agent's is for tools that ran (docker-agent behaviour, section 1.4).
        (spelling == "post_tool_use").then_some(|event| event.payload.field("executed") != Some(&Value::Bool(false)))
    }

    fn influence(&self, spelling: &str) -> HookInfluence {
        event_def::ROWS
            .iter()
            .find(|row| row.name == spelling)
            .map_or(HookInfluence::Shapes, event_def::DockerEventDef::influence)
    }

    fn encode(&self, event: &Event, spelling: &str) -> Option<Value> {
        Some(self.input(event, spelling).to_value())
    }

    fn encode_bytes(&self, event: &Event, spelling: &str) -> Vec<u8> {
        self.input(event, spelling).to_bytes()
    }

    fn decode(&self, event: &Event, spelling: &str, answer: HandlerOutput) -> Verdict {
        decode::decode(self, event, event_def::for_event(event, spelling), answer)
    }
}

impl DockerAgentCodec {
    fn input<'a>(&self, event: &'a Event, spelling: &'a str) -> DockerHookInput<'a> {
        DockerHookInput {
            event,
            event_alias: spelling,
            def: event_def::for_event(event, spelling),
            compat: self.compat,
        }
    }
}
