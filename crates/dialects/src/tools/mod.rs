//! What agents call their tools, and what Pintle calls them.
//!
//! A policy speaks of Pintle's own tools (`shell`, `read`, `write`, `edit`, `list`, `glob`, `grep`, `fetch`, and beside
//! them `patch`, `delete`, `search`, `agent` and `mcp__server__tool`). One table an agent says how its tools and their
//! arguments are called there; [`ToolVocabulary::to_canonical`] reads a call of the agent's, [`ToolVocabulary::merge_back`] puts changed
//! arguments back, and [`ToolVocabulary::to_native`] spells a call of Pintle's own as the agent would.
//!
//! The tables hold facts of "agents' hook contracts, Names of common tools".

pub mod patch;

mod claude;
mod cline;
mod codex;
mod copilot;
mod cursor;
mod fields;
mod gemini;
mod goose;
mod input_shape;
mod mcp;
mod opencode;
mod pintle;
mod vocabulary;

pub use claude::CLAUDE;
pub use cline::CLINE;
pub use codex::CODEX;
pub use copilot::{COPILOT, COPILOT_AS_CLAUDE};
pub use cursor::CURSOR;
pub use gemini::{GEMINI, QWEN};
pub use goose::GOOSE;
pub use input_shape::{InputShape, ListElement};
pub use mcp::McpNames;
pub use opencode::OPENCODE;
pub use pintle::{alternate_calls, to_canonical};
pub use vocabulary::{CanonicalCall, NativeToolCall, ToolMapping, ToolVocabulary, UnmappableArguments};

/// Every vocabulary.
pub static VOCABULARIES: &[&ToolVocabulary] =
    &[&CLAUDE, &CODEX, &GEMINI, &QWEN, &COPILOT, &COPILOT_AS_CLAUDE, &CURSOR, &CLINE, &GOOSE, &OPENCODE];

#[cfg(test)]
mod tests;
