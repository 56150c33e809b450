//! The error of a session that cannot be opened.

use crate::workspace::WorkspaceError;

/// The reason why a session cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionBuildError {
    /// The workspace cannot be opened.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// A permission rule is not valid.
    #[error("{reason}")]
    Permissions {
        /// The rule, and what is wrong with it.
        reason: String,
    },
    /// The session to resume does not exist, or cannot continue with these agents.
    #[error("{reason}")]
    Resume {
        /// What prevents it.
        reason: String,
    },
    /// A tool, hook or policy of the agent is not valid.
    #[error("{reason}")]
    Agent {
        /// What is wrong with it.
        reason: String,
    },
}
