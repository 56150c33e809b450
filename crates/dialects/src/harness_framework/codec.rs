//! How the hooks of this dialect are spoken to.

use std::sync::Arc;

use pintle_contract::{Codec, Event, HandlerOutput, Verdict};
use serde_json::Value;

use super::{DIALECT, decode, encode, event_def};

/// The codec of a hook that nobody gave a name.
#[must_use]
pub fn codec() -> Arc<dyn Codec> {
    Arc::new(FrameworkCodec { hook: Arc::from("") })
}

/// The codec of one hook, which knows its name: a block without an explanation gets one.
#[derive(Debug, Clone)]
pub(super) struct FrameworkCodec {
    pub(super) hook: Arc<str>,
}

impl Codec for FrameworkCodec {
    fn dialect(&self) -> &'static str {
        DIALECT.name
    }

    fn event_filter(&self, spelling: &str) -> Option<fn(&Event) -> bool> {
        let is_outermost = event_def::by_name(spelling).is_some_and(|row| row.is_outermost_only);
        // `StopEffect` comes with a response: a turn that failed has none.
        is_outermost.then_some(|event| event.origin.depth == 0 && event.payload.field("error").is_none())
    }

    fn encode(&self, event: &Event, spelling: &str) -> Option<Value> {
        Some(encode::build_payload(event, spelling))
    }

    fn decode(&self, event: &Event, spelling: &str, answer: HandlerOutput) -> Verdict {
        decode::decode(
            &decode::FrameworkDecodeContext {
                hook: &self.hook,
                event_alias: spelling,
                def: event_def::for_event(event),
            },
            answer,
        )
    }
}
