//! Defines one host event.

use pintle::tools::ToolVocabulary;
use serde_json::Value;

use crate::{HostDecision, HostEventData, HostResponse, HostSupport};

/// The definition of one host event.
#[derive(Debug)]
pub struct HostEventDef {
    /// The host's name of the event.
    pub name: &'static str,
    /// The canonical events in firing order; empty if no canonical event corresponds.
    pub fires: &'static [&'static str],
    /// Whether the host waits for permission, so that a missing response means a denial.
    pub is_guard: bool,
    /// Whether the event is so frequent that it is installed only if a hook listens to it.
    pub high_volume: bool,
    /// The tool vocabulary at this event, if it differs from the host's usual one.
    pub tools: Option<&'static ToolVocabulary>,
    /// Reads the payload.
    pub read_payload: fn(payload: &Value) -> Result<HostEventData, HostPayloadError>,
    /// The host's support for every decision.
    pub support: &'static HostSupport,
    /// Writes a decision, fitted to [`HostEventDef::support`], as a host response.
    pub write_response: fn(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse,
}

type ReadPayloadFn = fn(payload: &Value) -> Result<HostEventData, HostPayloadError>;

type WriteResponseFn = fn(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse;

impl HostEventDef {
    /// An event that cannot block anything, with the host's usual tool vocabulary.
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

/// The inputs of a response writer other than the decision.
#[derive(Debug, Clone, Copy)]
pub struct ResponseContext<'a> {
    /// The event definition.
    pub event_def: &'static HostEventDef,
    /// The payload as the host sent it; null if it could not be read.
    pub payload: &'a Value,
}

/// The reason why a payload does not fit its event, in one line, such as: `tool_name` is missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HostPayloadError(pub String);
