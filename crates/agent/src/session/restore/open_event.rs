//! An event of the tape whose dispatch has not ended.

use serde_json::Value;

/// An open dispatch.
pub(super) struct OpenEvent<'r> {
    pub(super) event: &'r str,
    pub(super) run: &'r str,
    /// Whether it belongs to the session's own agent, not a delegated one.
    pub(super) is_main: bool,
    pub(super) payload: &'r Value,
    /// Rewritten versions of the payload.
    pub(super) versions: Vec<(u32, &'r Value)>,
}
