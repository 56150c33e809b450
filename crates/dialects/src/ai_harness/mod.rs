//! AI Harness: Markdown files with Starlark hooks, and Pintle's own format.
//!
//! Where the reference and its implementation differ, Pintle follows the reference; `DEVIATIONS.md` lists each
//! difference. Pintle adds optional keys to a hook: `timeout_ms`, `on_error`, `mode`, `files` and `examples`, and hooks
//! can subscribe to every event of the catalogue.

mod decode;
mod encode;
mod load;

use std::sync::Arc;

use pintle_contract::{Codec, Event, HandlerOutput, Profile, Verdict};
use serde_json::Value;

pub use load::{InlineHook, declare_hook, load, read_hook};

use crate::{Dialect, EventAlias, EventMapping, UnmappedEvents};

/// The AI Harness dialect.
pub static DIALECT: Dialect = Dialect {
    name: "ai_harness",
    description: "AI Harness: Markdown files with Starlark hooks, tools and agents under `.harness/`",
    profile: Profile::SequentialFirstDeny,
    events: EVENTS,
    aliases: ALIASES,
    unmapped: UnmappedEvents::Accepted,
    codec,
    load,
};

const fn same_name_mapping(name: &'static str) -> EventMapping {
    EventMapping { canonical: name, native: name }
}

/// The events of the reference, and `agent.stop`. All names are canonical.
static EVENTS: &[EventMapping] = &[
    same_name_mapping("session.start"),
    same_name_mapping("session.end"),
    same_name_mapping("turn.start"),
    same_name_mapping("turn.end"),
    same_name_mapping("tool.pre"),
    same_name_mapping("tool.post"),
    same_name_mapping("completion.pre"),
    same_name_mapping("completion.post"),
    same_name_mapping("delegation.pre"),
    same_name_mapping("delegation.post"),
    same_name_mapping("delegation.post_verify"),
    same_name_mapping("agent.stop"),
    same_name_mapping("error"),
    same_name_mapping("custom.*"),
    same_name_mapping("meta.*"),
];

/// The reference's names of events that the implementation fires under other names. Both work.
static ALIASES: &[EventAlias] = &[
    EventAlias { name: "meta.tool_register", canonical: "meta.register_tool" },
    EventAlias { name: "meta.hook_register", canonical: "meta.register_hook" },
    EventAlias { name: "meta.agent_register", canonical: "meta.register_agent" },
];

/// The codec of the dialect. It has no state.
pub fn codec() -> Arc<dyn Codec> {
    Arc::new(AiHarnessCodec)
}

#[derive(Debug)]
struct AiHarnessCodec;

impl Codec for AiHarnessCodec {
    fn dialect(&self) -> &'static str {
        DIALECT.name
    }

    fn encode(&self, event: &Event, _spelling: &str) -> Option<Value> {
        encode::encode(event)
    }

    fn decode(&self, event: &Event, _spelling: &str, answer: HandlerOutput) -> Verdict {
        decode::decode(event, answer)
    }
}
