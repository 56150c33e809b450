//! Tool vocabularies: what agents call their tools and arguments, and the translation both ways.
//!
//! A tool call is one thing, in every agent. [`ToolVocabulary::to_canonical`] converts a call into Pintle's words
//! (`shell`, `read`, `write`, `edit`, `patch`, `delete`, `list`, `glob`, `grep`, `fetch`, `search`, `agent` and
//! `mcp__server__tool`), [`ToolVocabulary::to_native`] converts such a call into an agent's words, and
//! [`ToolVocabulary::merge_back`] merges changed arguments into the caller's own. A [`HookVocabulary`] says which words
//! a hook is written in; [`translate_hook`] makes it hear every call in them.

mod argument_names;
mod call;
mod call_paths;
mod code_files;
mod fields;
mod hook_vocabulary;
mod input_shape;
mod operations;
mod part_verdicts;
pub mod patch;
mod translate;
mod translated_hook;
mod vocabularies;
mod vocabulary;
mod wanted_names;

pub use argument_names::nearest_argument;
pub use call::{call_facts, caller_of, calls_of, kind_of, own_vocabulary, remember_call};
pub use call_paths::PathResolver;
pub use code_files::DiskFiles;
pub use hook_vocabulary::{HookVocabulary, NamedVocabularies, tool_names};
pub use input_shape::{InputShape, ListElement};
pub use operations::{
    PartSite, call_digest, commands_in_call, commands_of, effects_of_parts, is_allowed_once, is_paused,
    operations_in_call, operations_of,
};
pub use translate::heard_events;
pub use translated_hook::translate_hook;
pub use vocabularies::{
    AI_HARNESS, CLAUDE, CLINE, CODEX, COPILOT, COPILOT_AS_CLAUDE, CURSOR, DOCKER_AGENT, DROID, GEMINI, GOOSE, HARN,
    OPENCODE, PI, PINTLE, QWEN, VOCABULARIES, vocabulary_by_name,
};
pub use vocabulary::{CanonicalCall, McpNames, NativeToolCall, ToolMapping, ToolVocabulary, UnmappableArguments};
pub use wanted_names::WantedNames;

#[cfg(test)]
mod tests;
