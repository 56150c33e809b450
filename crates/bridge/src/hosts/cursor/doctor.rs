//! What keeps Cursor from running hooks.

use crate::HostDef;
use crate::doctor::DoctorFinding;
use crate::install::InstallEnvironment;

/// Cursor keeps no state of its own about hooks.
pub(super) fn check_settings(_host: &'static HostDef, _site: &InstallEnvironment) -> Vec<DoctorFinding> {
    Vec::new()
}
