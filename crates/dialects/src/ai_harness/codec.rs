//! The codec of AI Harness hooks.

use std::sync::Arc;

use pintle_contract::{Codec, Event, HandlerOutput, Profile, Verdict};
use serde_json::Value;

use super::{decode, encode};

/// The name of the dialect.
pub(super) const NAME: &str = "ai_harness";

/// How the verdicts of its hooks are composed.
pub(super) const PROFILE: Profile = Profile::SequentialFirstDeny;

/// The codec of the dialect. It has no state.
pub fn codec() -> Arc<dyn Codec> {
    Arc::new(AiHarnessCodec)
}

#[derive(Debug)]
struct AiHarnessCodec;

impl Codec for AiHarnessCodec {
    fn dialect(&self) -> &'static str {
        NAME
    }

    fn encode(&self, event: &Event, _event_alias: &str) -> Option<Value> {
        encode::encode(event)
    }

    fn decode(&self, event: &Event, _event_alias: &str, answer: HandlerOutput) -> Verdict {
        decode::decode(event, answer)
    }
}
