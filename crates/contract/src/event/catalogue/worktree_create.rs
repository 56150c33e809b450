//! `worktree.create`.

use super::prelude::*;

/// The event definition of `worktree.create`.
pub static ROW: EventDef = EventDef {
    fires_when: "A Git worktree has been created for the agent, which is about to start in it.",
    subject: Some("branch"),
    deny_means: "The run ends with the reason before it starts.",
    ..EventDef::guard("worktree.create")
};

/// The payload of `worktree.create`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct WorktreeCreate {
    /// The absolute path of the new worktree.
    pub path: String,
    /// The branch that is checked out in the worktree.
    pub branch: String,
    /// The absolute path of the repository that the worktree belongs to.
    pub source_dir: String,
}
