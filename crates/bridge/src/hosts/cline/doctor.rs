//! Checks what prevents Cline from running hooks.

use crate::HostDef;
use crate::doctor::DoctorFinding;
use crate::install::InstallEnvironment;

/// Cline has no settings about hooks.
pub(super) fn check_settings(_host: &'static HostDef, _site: &InstallEnvironment) -> Vec<DoctorFinding> {
    Vec::new()
}
