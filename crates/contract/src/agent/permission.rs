//! Permission rules: which tool calls run, need the user's approval, or are denied.

use serde::{Deserialize, Serialize};

use crate::Location;

/// The permission rules for tool calls. `deny` overrides `ask`, and `ask` overrides `allow`. Hooks are called whatever
/// the rules say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PermissionsSpec {
    /// Calls that run without an approval request.
    pub allow: Vec<PermissionRule>,
    /// Calls that always need an approval.
    pub ask: Vec<PermissionRule>,
    /// Calls that never run.
    pub deny: Vec<PermissionRule>,
    /// What happens to a call that no rule matches; `None` is the host's default.
    pub mode: Option<PermissionMode>,
}

/// One permission rule: a tool and conditions on its arguments, all of which must match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionRule {
    /// The rule as written, such as `shell:cmd=git *`.
    pub text: String,
    /// A glob of the tool name.
    pub tool: String,
    /// Argument names, with globs of their values.
    pub arguments: Vec<(String, String)>,
    /// Where the rule was written.
    pub location: Location,
}

/// What happens to a tool call that no permission rule matches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PermissionMode {
    /// Tools that declare themselves read-only run; all others need an approval.
    #[default]
    Balanced,
    /// Every call needs an approval.
    Strict,
    /// Tools that declare themselves read-only run; all others are denied without an approval request.
    Restricted,
    /// Every call runs unless a hook or rule denies it or asks for an approval.
    Autonomous,
}
