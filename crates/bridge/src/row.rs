//! One event of a host.

use pintle::dialects::tools::ToolVocabulary;
use serde_json::Value;

use crate::{Abilities, Answer, Moment, Ruling};

/// One event of a host.
#[derive(Debug)]
pub struct Row {
    /// The host's name of it.
    pub name: &'static str,
    /// The canonical events, in the order they are fired; empty for one that no canonical event is about.
    pub fires: &'static [&'static str],
    /// Whether something is held back until the answer comes, so that no answer means no.
    pub guards: bool,
    /// Whether it comes often and says so little that it is installed only where a hook listens.
    pub noisy: bool,
    /// How its tools are called here, where that is not as the host calls them elsewhere.
    pub tools: Option<&'static ToolVocabulary>,
    /// Reads the payload.
    pub read: fn(payload: &Value) -> Result<Moment, Unreadable>,
    /// What becomes of every decision.
    pub can: &'static Abilities,
    /// Writes a ruling, narrowed by `can`, in the host's terms.
    pub answer: fn(asked: &Asked<'_>, ruling: &Ruling) -> Answer,
}

/// Reads a payload.
type Read = fn(payload: &Value) -> Result<Moment, Unreadable>;

/// Writes a ruling in the host's terms.
type Write = fn(asked: &Asked<'_>, ruling: &Ruling) -> Answer;

impl Row {
    /// An event at which nothing is held back, and whose tools are called as the host calls them.
    pub(crate) const fn telling(
        name: &'static str,
        fires: &'static [&'static str],
        read: Read,
        can: &'static Abilities,
        answer: Write,
    ) -> Self {
        Self { name, fires, guards: false, noisy: false, tools: None, read, can, answer }
    }
}

/// What an encoder may look at besides the ruling.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The event.
    pub row: &'static Row,
    /// The payload as the host sent it; null when it could not be read.
    pub payload: &'a Value,
}

/// Why a payload is none of its event, in one line: `tool_name` is missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);
