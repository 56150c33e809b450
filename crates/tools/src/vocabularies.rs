//! The table of vocabularies.

use super::claude::CLAUDE;
use super::cline::CLINE;
use super::codex::CODEX;
use super::copilot::{COPILOT, COPILOT_AS_CLAUDE};
use super::cursor::CURSOR;
use super::gemini::{GEMINI, QWEN};
use super::goose::GOOSE;
use super::opencode::OPENCODE;
use super::own::{AI_HARNESS, DOCKER_AGENT, HARN, PINTLE};
use super::vocabulary::ToolVocabulary;

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
