//! Tool vocabularies: what agents call their tools and arguments, and the translation both ways.
//!
//! A tool call is one thing, in every agent. [`ToolVocabulary::to_canonical`] converts a call into Pintle's words
//! (`shell`, `read`, `write`, `edit`, `patch`, `delete`, `list`, `glob`, `grep`, `fetch`, `search`, `agent` and
//! `mcp__server__tool`), [`ToolVocabulary::to_native`] converts such a call into an agent's words, and
//! [`ToolVocabulary::merge_back`] merges changed arguments into the caller's own. A [`HookVocabulary`] says which words
//! a hook is written in; [`translate_hook`] makes it hear every call in them.

mod call;
mod claude;
mod cline;
mod codex;
mod copilot;
mod cursor;
mod fields;
mod gemini;
mod goose;
mod hook_vocabulary;
mod input_shape;
mod mcp;
mod opencode;
mod own;
mod part_verdicts;
pub mod patch;
mod translate;
mod translated_hook;
mod vocabulary;
mod wanted_names;

pub use call::{call_facts, caller_of, calls_of, kind_of, own_vocabulary};
pub use claude::CLAUDE;
pub use cline::CLINE;
pub use codex::CODEX;
pub use copilot::{COPILOT, COPILOT_AS_CLAUDE};
pub use cursor::CURSOR;
pub use gemini::{GEMINI, QWEN};
pub use goose::GOOSE;
pub use hook_vocabulary::{HookVocabulary, NamedVocabularies, tool_names};
pub use input_shape::{InputShape, ListElement};
pub use mcp::McpNames;
pub use opencode::OPENCODE;
pub use own::{AI_HARNESS, DOCKER_AGENT, HARN, PINTLE};
pub use translate::heard_events;
pub use translated_hook::translate_hook;
pub use vocabulary::{CanonicalCall, NativeToolCall, ToolMapping, ToolVocabulary, UnmappableArguments};
pub use wanted_names::WantedNames;

/// Every vocabulary. Those of Pintle's own loop come first: if a name belongs to several, the first is meant.
pub static VOCABULARIES: &[&ToolVocabulary] = &[
    &PINTLE,
    &AI_HARNESS,
    &DOCKER_AGENT,
    &HARN,
    &CLAUDE,
    &CODEX,
    &GEMINI,
    &QWEN,
    &COPILOT,
    &COPILOT_AS_CLAUDE,
    &CURSOR,
    &CLINE,
    &GOOSE,
    &OPENCODE,
];

/// The vocabulary with a name, such as `claude`.
#[must_use]
pub fn vocabulary_by_name(name: &str) -> Option<&'static ToolVocabulary> {
    VOCABULARIES.iter().find(|vocabulary| vocabulary.name == name).copied()
}

#[cfg(test)]
mod tests;
