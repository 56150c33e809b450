//! The codec of docker-agent hooks, and docker-agent's rules for the agent loop.

use std::sync::Arc;

use pintle_contract::{Codec, Event, EventKind, HandlerOutput, HookInfluence, LoopRules, RefusalWording, Verdict};
use pintle_tools::DOCKER_AGENT;
use serde_json::Value;

use super::decode;
use super::encode::DockerHookInput;
use super::event_def::{self, DockerAgentVersion};

/// The name of the dialect.
pub(super) const NAME: &str = "docker_agent";

/// The codec of a hook with the default options.
#[must_use]
pub fn codec() -> Arc<dyn Codec> {
    Arc::new(DockerAgentCodec::default())
}

/// The codec of one hook: the docker-agent version and the hook's output options.
#[derive(Debug, Clone, Default)]
pub(super) struct DockerAgentCodec {
    pub(super) compat: DockerAgentVersion,
    /// Whether the output must be exactly one object with only fields that the event supports.
    pub(super) strict_output: bool,
    /// The schema of a model's reply; `None` is any text.
    pub(super) schema: Option<Arc<str>>,
}

impl Codec for DockerAgentCodec {
    fn dialect(&self) -> &'static str {
        NAME
    }

    fn tool_vocabulary(&self, _event_alias: &str) -> Option<&'static str> {
        Some(DOCKER_AGENT.name)
    }

    fn encoding_key(&self) -> &'static str {
        match self.compat {
            DockerAgentVersion::Newest => NAME,
            DockerAgentVersion::G1 => "docker_agent/g1",
        }
    }

    fn event_filter(&self, event_alias: &str) -> Option<fn(&Event) -> bool> {
        // The catalogue's event follows every call; docker-agent's only calls whose tool ran.
        (event_alias == "post_tool_use").then_some(|event| event.payload.field("executed") != Some(&Value::Bool(false)))
    }

    fn influence(&self, event_alias: &str) -> HookInfluence {
        event_def::by_name(event_alias).map_or(HookInfluence::Shapes, event_def::DockerEventDef::influence)
    }

    fn encode(&self, event: &Event, event_alias: &str) -> Option<Value> {
        Some(self.input(event, event_alias).to_value())
    }

    fn encode_bytes(&self, event: &Event, event_alias: &str) -> Vec<u8> {
        self.input(event, event_alias).to_bytes()
    }

    fn decode(&self, event: &Event, event_alias: &str, answer: HandlerOutput) -> Verdict {
        decode::decode(self, event, event_def::for_event(event, event_alias), answer)
    }
}

impl DockerAgentCodec {
    fn input<'a>(&self, event: &'a Event, event_alias: &'a str) -> DockerHookInput<'a> {
        DockerHookInput { event, event_alias, def: event_def::for_event(event, event_alias), compat: self.compat }
    }
}

/// docker-agent's rules for the agent loop: its events always fire, and its hooks know these texts.
pub const LOOP_RULES: LoopRules = LoopRules {
    fires_team_events: true,
    submits_steering: false,
    reports_denials: true,
    has_own_sessions: true,
    tool_vocabulary: Some(DOCKER_AGENT.name),
    wording: RefusalWording {
        call: "The tool call was rejected by a {event} hook. Reason: {reason}",
        call_without_reason: "The tool call was rejected by a {event} hook.",
        event_names: &[
            (EventKind::ToolTransform, "tool_input_transform"),
            (EventKind::ToolGuard, "tool_guard"),
            (EventKind::ToolPre, "pre_tool_use"),
            (EventKind::PermissionAsk, "permission_request"),
        ],
        skipped_call: "The tool call was skipped because a post_tool_use hook signalled run termination.",
        turn: "{reason}",
        quotes_hooks: true,
    },
};
