//! The codec of Harness Framework hooks.

use std::sync::Arc;

use pintle_contract::{Codec, Event, HandlerOutput, Verdict};
use pintle_tools::CLAUDE;
use serde_json::Value;

use super::{DIALECT, decode, encode, event_def};

/// The codec of a hook without a name.
#[must_use]
pub fn codec() -> Arc<dyn Codec> {
    Arc::new(FrameworkCodec { hook: Arc::from("") })
}

/// The codec of one hook, with its name for the explanation of a block without one.
#[derive(Debug, Clone)]
pub(super) struct FrameworkCodec {
    pub(super) hook: Arc<str>,
}

impl Codec for FrameworkCodec {
    fn dialect(&self) -> &'static str {
        DIALECT.name
    }

    fn tool_vocabulary(&self, _event_alias: &str) -> Option<&'static str> {
        Some(CLAUDE.name)
    }

    fn event_filter(&self, event_alias: &str) -> Option<fn(&Event) -> bool> {
        let is_outermost = event_def::by_name(event_alias).is_some_and(|def| def.is_outermost_only);
        // `Stop` comes with a response, which a failed turn does not have.
        is_outermost.then_some(|event| event.origin.depth == 0 && event.payload.field("error").is_none())
    }

    fn encode(&self, event: &Event, event_alias: &str) -> Option<Value> {
        Some(encode::build_payload(event, event_alias))
    }

    fn decode(&self, event: &Event, event_alias: &str, answer: HandlerOutput) -> Verdict {
        decode::decode(
            &decode::FrameworkDecodeContext { hook: &self.hook, event, event_alias, def: event_def::for_event(event) },
            answer,
        )
    }
}
