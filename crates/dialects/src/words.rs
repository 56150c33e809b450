//! The words of options that several dialects have.

use pintle_contract::{EnforcementMode, FailurePolicy, PermissionMode};

use crate::document::FieldReader;

/// The values of `on_error`.
pub(crate) const FAILURE_POLICIES: [(&str, FailurePolicy); 2] =
    [("open", FailurePolicy::Open), ("closed", FailurePolicy::Closed)];

/// How other formats say what a failed hook does: Claude Code's `onFailure`, and Cursor's `failClosed`. They are read in
/// every format.
pub(crate) fn read_failure_words(fields: &mut FieldReader<'_>) -> Option<FailurePolicy> {
    let words = [("block", FailurePolicy::Closed), ("continue", FailurePolicy::Open)];
    let chosen = fields.choice("onFailure", &words);
    let is_closed = fields.boolean("failClosed") == Some(true);
    if is_closed { Some(FailurePolicy::Closed) } else { chosen }
}

/// The values of `mode`.
pub(crate) const ENFORCEMENT_MODES: [(&str, EnforcementMode); 2] =
    [("enforce", EnforcementMode::Enforce), ("shadow", EnforcementMode::Shadow)];

/// The permission modes for calls that no rule matches.
pub(crate) const PERMISSION_MODES: [(&str, PermissionMode); 4] = [
    ("strict", PermissionMode::Strict),
    ("balanced", PermissionMode::Balanced),
    ("restricted", PermissionMode::Restricted),
    ("autonomous", PermissionMode::Autonomous),
];
