//! Tool vocabularies: the clients' names of tools and arguments, and Pintle's.
//!
//! A policy uses Pintle's own tools (`shell`, `read`, `write`, `edit`, `list`, `glob`, `grep`, `fetch`, and also
//! `patch`, `delete`, `search`, `agent` and `mcp__server__tool`). One table for each client maps its tools and their
//! arguments: [`ToolVocabulary::to_canonical`] converts a native call, [`ToolVocabulary::merge_back`] merges changed
//! arguments into it, and [`ToolVocabulary::to_native`] converts a canonical call.

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
pub mod patch;
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
