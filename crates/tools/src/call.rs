//! The tool call of an event: who made it, and the call in Pintle's words.

use std::collections::HashMap;
use std::sync::LazyLock;

use pintle_contract::event::CallFacts;
use pintle_contract::{Payload, ToolKind};
use serde_json::Value;

use super::vocabularies::{VOCABULARIES, vocabulary_by_name};
use super::vocabulary::{CanonicalCall, ToolMapping, ToolVocabulary};
use crate::vocabularies::{AI_HARNESS, DOCKER_AGENT, PINTLE};

/// The vocabularies of Pintle's own loop, by the names of their tools.
static OWN_TOOLS: LazyLock<HashMap<&str, Vec<(&ToolVocabulary, &ToolMapping)>>> = LazyLock::new(|| {
    let mut index: HashMap<&str, Vec<(&ToolVocabulary, &ToolMapping)>> = HashMap::new();
    for vocabulary in [&PINTLE, &AI_HARNESS, &DOCKER_AGENT] {
        for tool in vocabulary.tools {
            for name in tool.native_names {
                index.entry(name).or_default().push((vocabulary, tool));
            }
        }
    }
    index
});

/// The names of each canonical tool, in the order of [`VOCABULARIES`].
static NAMES: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut index: HashMap<&str, Vec<&str>> = HashMap::new();
    for tool in PINTLE.tools {
        let names = index.entry(tool.canonical).or_default();
        for name in VOCABULARIES.iter().filter_map(|vocabulary| vocabulary.native_names(tool.canonical).next()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    index
});

/// The view of a payload that has its call in Pintle's words.
const CALLS: &str = "calls";

/// The vocabulary of the agent that made a call: the one that the payload names, otherwise one of Pintle's own loop.
#[must_use]
#[inline]
pub fn caller_of(payload: &Payload) -> &'static ToolVocabulary {
    payload.classified(|| {
        let named = payload.field("vocabulary").and_then(Value::as_str).and_then(vocabulary_by_name);
        named.unwrap_or_else(|| {
            let name = payload.field("name").and_then(Value::as_str).unwrap_or_default();
            own_vocabulary(name, payload.field("args").unwrap_or(&Value::Null))
        })
    })
}

/// The call of a payload in Pintle's words, part by part in the order in which they happen; never empty. It is converted
/// once for each payload.
#[must_use]
pub fn calls_of(payload: &Payload) -> &[CanonicalCall] {
    payload.cached_view(CALLS, |_| {
        let name = payload.field("name").and_then(Value::as_str).unwrap_or_default();
        let mut calls = caller_of(payload).to_canonical(name, payload.field("args").unwrap_or(&Value::Null));
        // The agent knows its servers; a name may not say that a tool is one's.
        if payload.field("kind").and_then(Value::as_str) == Some(ToolKind::Mcp.as_str()) {
            calls.iter_mut().filter(|call| call.kind == ToolKind::Other).for_each(|call| call.kind = ToolKind::Mcp);
        }
        calls
    })
}

/// Remembers the call of a new payload, which has one part in Pintle's words. It must be what [`calls_of`] would find.
pub fn remember_call(payload: &Payload, call: CanonicalCall) {
    payload.cached_view(CALLS, |_| vec![call]);
}

/// The kind of a payload's call: that of its first part.
#[must_use]
pub fn kind_of(payload: &Payload) -> ToolKind {
    calls_of(payload).first().map_or(ToolKind::Other, |call| call.kind)
}

/// What events say about a call beside its name and arguments: its vocabulary, kind, names and category. `parts` is the
/// call in Pintle's words.
#[must_use]
pub fn call_facts(vocabulary: &'static ToolVocabulary, name: &str, parts: &[CanonicalCall]) -> CallFacts {
    let mut names = vec![name.to_owned()];
    let mut add = |name: &str| {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    };
    for part in parts {
        match NAMES.get(part.name.as_str()) {
            Some(known) => known.iter().for_each(|name| add(name)),
            None => VOCABULARIES.iter().filter_map(|words| words.mcp.to_native(&part.name)).for_each(|name| add(&name)),
        }
    }
    let kind = parts.first().map_or(ToolKind::Other, |part| part.kind);
    CallFacts {
        vocabulary: Some(vocabulary.name.to_owned()),
        kind: Some(kind),
        names,
        category: Some(kind.category().to_owned()),
        ..CallFacts::default()
    }
}

/// The vocabulary of a call in Pintle's own loop: the one that has most of the call's names. A host that knows its tools
/// passes no arguments, because they come from the model.
///
/// An argument that also has its canonical name shows nothing: `{"command": "rm x", "cmd": "ls"}` is a call with the
/// argument `command`, which must not be read as one with `cmd`.
#[must_use]
pub fn own_vocabulary(name: &str, args: &Value) -> &'static ToolVocabulary {
    let has = |field: &str| args.get(field).is_some();
    let known =
        |tool: &ToolMapping| tool.fields.iter().filter(|(native, canonical)| has(native) && !has(canonical)).count();
    // Of equals, the last one is the greatest, so the first of the table has to come last.
    let candidates = OWN_TOOLS.get(name).into_iter().flatten().rev();
    candidates.max_by_key(|(_, tool)| known(tool)).map_or(&PINTLE, |(vocabulary, _)| vocabulary)
}
