//! `worktree.create`.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};

/// The event definition of `worktree.create`.
pub static ROW: EventDef = EventDef {
    name: "worktree.create",
    fires_when: "A Git worktree has been created for the agent, which is about to start in it.",
    class: EventClass::Guard,
    subject: Some("branch"),
    target: RewriteTarget::Nothing,
    deny_means: "The run ends with the reason before it starts.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Closed,
    example: || {
        json!({
            "path": "/home/ada/worktrees/fix-login",
            "branch": "fix-login",
            "source_dir": "/home/ada/project",
        })
    },
    normalize: no_aliases,
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
