//! AI Harness: Markdown files with Starlark hooks, and Pintle's own format.
//!
//! Where the reference and its implementation differ, Pintle follows the reference; `DEVIATIONS.md` lists each
//! difference. Pintle adds optional keys to a hook: `timeout_ms`, `on_error`, `mode`, `files` and `examples`, and hooks
//! can subscribe to every event of the catalogue.

mod decode;
mod encode;
mod load;

use std::sync::Arc;

use pintle_contract::{Codec, Event, EventKind, HandlerOutput, Profile, Verdict};
use serde_json::Value;

pub use load::{InlineHook, declare_hook, declare_pack, load, read_hook};

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

const fn same_name_mapping(kind: EventKind) -> EventMapping {
    EventMapping { canonical: kind, native: kind.name() }
}

/// The events of the reference, and `agent.stop`. All names are canonical.
static EVENTS: &[EventMapping] = &[
    same_name_mapping(EventKind::SessionStart),
    same_name_mapping(EventKind::SessionEnd),
    same_name_mapping(EventKind::TurnStart),
    same_name_mapping(EventKind::TurnEnd),
    same_name_mapping(EventKind::ToolPre),
    same_name_mapping(EventKind::ToolPost),
    same_name_mapping(EventKind::CompletionPre),
    same_name_mapping(EventKind::CompletionPost),
    same_name_mapping(EventKind::DelegationPre),
    same_name_mapping(EventKind::DelegationPost),
    same_name_mapping(EventKind::DelegationPostVerify),
    same_name_mapping(EventKind::AgentStop),
    same_name_mapping(EventKind::Error),
    same_name_mapping(EventKind::Custom),
    same_name_mapping(EventKind::Meta),
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
