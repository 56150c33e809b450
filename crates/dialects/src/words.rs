//! The words of options that several dialects have.

use pintle_contract::{EnforcementMode, FailurePolicy, PermissionMode};

/// The values of `on_error`.
pub(crate) const FAILURE_POLICIES: [(&str, FailurePolicy); 2] =
    [("open", FailurePolicy::Open), ("closed", FailurePolicy::Closed)];

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
