//! Rules that say which tool calls need a person's word.

use serde::{Deserialize, Serialize};

use crate::Location;

/// Rules for tool calls. Deny wins over ask, and ask over allow. No rule keeps a hook from being asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PermissionsSpec {
    /// Calls that run without a question.
    pub allow: Vec<PermissionRule>,
    /// Calls that always need a word.
    pub ask: Vec<PermissionRule>,
    /// Calls that never run.
    pub deny: Vec<PermissionRule>,
    /// What happens to a call that no rule names; `None` is the host's own default.
    pub mode: Option<PermissionMode>,
}

/// One rule: a tool and conditions on its arguments, all of which must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionRule {
    /// The rule as written, such as `shell:cmd=git *`.
    pub text: String,
    /// A glob of the tool's name.
    pub tool: String,
    /// Argument names, and globs of their values.
    pub arguments: Vec<(String, String)>,
    /// Where it was written.
    pub location: Location,
}

/// What happens to a call that no rule names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PermissionMode {
    /// Tools that say they only read run; a person is asked about all others.
    #[default]
    Balanced,
    /// A person is asked about every call.
    Strict,
    /// Tools that say they only read run; all others are denied without a question.
    Restricted,
    /// Everything runs that no hook and no rule speaks against.
    Autonomous,
}
