//! What keeps Cline from running hooks.

use crate::HostDef;
use crate::doctor::DoctorFinding;
use crate::install::InstallEnvironment;

/// Cline keeps no state of its own about hooks.
pub(super) fn check_settings(_host: &'static HostDef, _site: &InstallEnvironment) -> Vec<DoctorFinding> {
    Vec::new()
}
