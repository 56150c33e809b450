//! What the built-ins of one runtime share.

use std::sync::{Arc, OnceLock};

use pintle_contract::Redactor;

use super::elide_repeated_tool_results::SeenResults;
use super::large_results::LargeResults;
use super::snapshot::OpenCheckpoints;

/// The state of the built-ins of one handler factory, which hooks of several events and agents share. Sessions of
/// another runtime are not in it, even if they have the same names.
#[derive(Debug, Default)]
pub(crate) struct BuiltinState {
    /// The redactor, once a hook that redacts was built. Built-ins that write files use it, regardless of the order of
    /// hooks.
    pub(super) redactor: OnceLock<Arc<dyn Redactor>>,
    pub(super) seen_results: SeenResults,
    pub(super) open_checkpoints: OpenCheckpoints,
    pub(crate) large_results: LargeResults,
}
