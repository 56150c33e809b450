//! Errors of what hooks changed.

use pintle_tools::UnmappableArguments;

/// The reason why a change of hooks cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HookChangeError {
    /// The changed payload no longer fits its event.
    #[error(transparent)]
    Payload(#[from] serde_json::Error),
    /// The agent's words cannot express a changed task.
    #[error(transparent)]
    Task(#[from] UnmappableArguments),
}
