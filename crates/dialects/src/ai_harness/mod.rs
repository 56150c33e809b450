//! AI Harness: Markdown files with Starlark hooks, and Pintle's own format.
//!
//! The contract is the AI Harness reference (Hook Artifact Schema; Concepts, Hooks). Where its documents and its code
//! differ the documents win; `DEVIATIONS.md` lists each difference. Pintle adds optional keys to a hook: `timeout_ms`,
//! `on_error`, `mode`, `files` and `examples`; and every event of the catalogue can be subscribed to.

mod decode;
mod encode;
mod load;

use std::sync::Arc;

use pintle_contract::{Codec, Event, HandlerOutput, Profile, Verdict};
use serde_json::Value;

pub use load::{Declared, declare_hook, load, read_hook};

use crate::{Alias, Dialect, Mapping, Others};

/// The dialect.
pub static DIALECT: Dialect = Dialect {
    name: "ai_harness",
    description: "AI Harness: Markdown files with Starlark hooks, tools and agents under `.harness/`",
    profile: Profile::SequentialFirstDeny,
    events: EVENTS,
    aliases: ALIASES,
    others: Others::Accepted,
    codec,
    load,
};

const fn same(name: &'static str) -> Mapping {
    Mapping { canonical: name, native: name }
}

/// The events of the reference, section Events, and `agent.stop` of the concepts page. All names are canonical.
static EVENTS: &[Mapping] = &[
    same("session.start"),
    same("session.end"),
    same("turn.start"),
    same("turn.end"),
    same("tool.pre"),
    same("tool.post"),
    same("completion.pre"),
    same("completion.post"),
    same("delegation.pre"),
    same("delegation.post"),
    same("delegation.post_verify"),
    same("agent.stop"),
    same("error"),
    same("custom.*"),
    same("meta.*"),
];

/// The names of the reference for what is really fired under the names of the code. Both work.
static ALIASES: &[Alias] = &[
    Alias { spelling: "meta.tool_register", canonical: "meta.register_tool" },
    Alias { spelling: "meta.hook_register", canonical: "meta.register_hook" },
    Alias { spelling: "meta.agent_register", canonical: "meta.register_agent" },
];

/// The codec of the dialect. It has no state.
pub fn codec() -> Arc<dyn Codec> {
    Arc::new(AiHarness)
}

#[derive(Debug)]
struct AiHarness;

impl Codec for AiHarness {
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
