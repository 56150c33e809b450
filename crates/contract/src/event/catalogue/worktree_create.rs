//! `worktree.create`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `worktree.create`.
pub static ROW: EventDef = EventDef {
    name: "worktree.create",
    fires_when: "A working tree was made for the agent, which is about to start in it.",
    class: EventClass::Guard,
    subject: Some("branch"),
    target: RewriteTarget::Nothing,
    deny_means: "The run ends before it starts, with the reason.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Closed,
    schema: schema_of::<WorktreeCreate>,
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WorktreeCreate {
    /// The absolute path of the new working tree.
    pub path: String,
    /// The branch that it is on.
    pub branch: String,
    /// The absolute path of the repository that it was made from.
    pub source_dir: String,
}
