//! One event of a host.

use pintle::dialects::tools::ToolVocabulary;
use serde_json::Value;

use crate::{HostDecision, HostEventData, HostResponse, HostSupport};

/// One event of a host.
#[derive(Debug)]
pub struct HostEventDef {
    /// The host's name of it.
    pub name: &'static str,
    /// The canonical events, in the order they are fired; empty for one that no canonical event is about.
    pub fires: &'static [&'static str],
    /// Whether something is held back until the answer comes, so that no answer means no.
    pub is_guard: bool,
    /// Whether it comes often and says so little that it is installed only where a hook listens.
    pub high_volume: bool,
    /// How its tools are called here, where that is not as the host calls them elsewhere.
    pub tools: Option<&'static ToolVocabulary>,
    /// Reads the payload.
    pub read_payload: fn(payload: &Value) -> Result<HostEventData, HostPayloadError>,
    /// What becomes of every decision.
    pub support: &'static HostSupport,
    /// Writes a ruling, narrowed by `can`, in the host's terms.
    pub write_response: fn(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse,
}

/// Reads a payload.
type ReadPayloadFn = fn(payload: &Value) -> Result<HostEventData, HostPayloadError>;

/// Writes a ruling in the host's terms.
type WriteResponseFn = fn(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse;

impl HostEventDef {
    /// An event at which nothing is held back, and whose tools are called as the host calls them.
    pub(crate) const fn observe_only(
        name: &'static str,
        fires: &'static [&'static str],
        read: ReadPayloadFn,
        can: &'static HostSupport,
        answer: WriteResponseFn,
    ) -> Self {
        Self {
            name,
            fires,
            is_guard: false,
            high_volume: false,
            tools: None,
            read_payload: read,
            support: can,
            write_response: answer,
        }
    }
}

/// What an encoder may look at besides the ruling.
#[derive(Debug, Clone, Copy)]
pub struct ResponseContext<'a> {
    /// The event.
    pub event_def: &'static HostEventDef,
    /// The payload as the host sent it; null when it could not be read.
    pub payload: &'a Value,
}

/// Why a payload is none of its event, in one line: `tool_name` is missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HostPayloadError(pub String);
