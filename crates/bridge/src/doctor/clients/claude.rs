//! Checks what prevents Claude Code from running hooks.

use std::path::{Path, PathBuf};

use super::check_hook_switch;
use crate::HostDef;
use crate::doctor::{DoctorFinding, SettingsDocument};
use crate::install::{InstallEnvironment, InstallScope};

/// The settings of an organisation.
const MANAGED: &str = "/etc/claude-code/managed-settings.json";

/// Checks the settings of all layers for hook switches.
pub(super) fn check_settings(host: &'static HostDef, site: &InstallEnvironment) -> Vec<DoctorFinding> {
    let dir = |scope| site.host_dir(scope, host.install.location(scope));
    let layers: [PathBuf; 4] = [
        dir(InstallScope::User).join("settings.json"),
        dir(InstallScope::Project).join("settings.json"),
        dir(InstallScope::Project).join("settings.local.json"),
        Path::new(MANAGED).to_owned(),
    ];
    let mut findings = Vec::new();
    for layer in layers {
        let document = SettingsDocument::read(&layer);
        let shown = site.display_path(&layer);
        if document.is_broken {
            let what = format!("Claude Code silently ignores `{shown}`: it is not valid JSON");
            findings.push(DoctorFinding::problem(what));
        }
        findings.extend(check_hook_switch(&document, site));
        if layer == Path::new(MANAGED) && document.is_set_to("/allowManagedHooksOnly", true) {
            let what = format!("`allowManagedHooksOnly` in `{shown}` allows only an organisation's hooks");
            findings.push(
                DoctorFinding::problem(what).help("ask your administrator to add the entries to the managed settings"),
            );
        }
    }
    findings
}
