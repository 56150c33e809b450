//! An event of the tape whose dispatch has not ended.

use pintle_host::EventKind;
use serde_json::Value;

use super::calls::RecordedPayload;

/// An open dispatch.
pub(super) struct OpenEvent {
    /// `None` for an event that the catalogue does not have.
    pub(super) kind: Option<EventKind>,
    pub(super) run: String,
    /// Whether it belongs to the session's own agent, not a delegated one.
    pub(super) is_main: bool,
    pub(super) payload: PayloadOnTape,
    /// Rewritten versions of the payload.
    pub(super) versions: Vec<(u32, PayloadOnTape)>,
}

/// A payload. The messages of a request are left out if the tape is in a file.
#[derive(Clone)]
pub(super) struct PayloadOnTape {
    pub(super) value: Value,
    /// The line that has all of it, if the tape is in a file.
    pub(super) line: Option<Vec<u8>>,
}

impl PayloadOnTape {
    /// The whole payload.
    pub(super) fn into_recorded(self) -> RecordedPayload {
        self.line.map_or(RecordedPayload::Value(self.value), RecordedPayload::Line)
    }
}
