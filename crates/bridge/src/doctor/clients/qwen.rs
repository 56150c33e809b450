//! Checks what prevents Qwen Code from running hooks.

use crate::HostDef;
use crate::doctor::{DoctorFinding, SettingsDocument};
use crate::install::{InstallEnvironment, InstallScope};

/// Checks the settings for hook switches.
pub(super) fn check_settings(host: &'static HostDef, site: &InstallEnvironment) -> Vec<DoctorFinding> {
    let mut findings = Vec::new();
    for scope in InstallScope::ALL {
        let path = site.settings_path(scope, host.install.location(scope));
        if SettingsDocument::read(&path).is_set_to("/disableAllHooks", true) {
            let what = format!("`disableAllHooks` in `{}` disables all hooks", site.display_path(&path));
            findings.push(DoctorFinding::problem(what));
        }
    }
    if findings.is_empty() {
        findings.push(DoctorFinding::ok("hooks are enabled in its settings"));
    }
    findings
}
