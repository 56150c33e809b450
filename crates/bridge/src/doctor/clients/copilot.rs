//! Checks what prevents Copilot CLI from running hooks.

use super::check_hook_switch;
use crate::HostDef;
use crate::doctor::{DoctorFinding, SettingsDocument};
use crate::install::{InstallEnvironment, InstallScope, installed_entries};

/// Checks the settings for hook switches, and whether the directory is trusted, as project hooks require.
pub(super) fn check_settings(host: &'static HostDef, site: &InstallEnvironment) -> Vec<DoctorFinding> {
    let dir = site.host_dir(InstallScope::User, host.install.location(InstallScope::User));
    let mut findings = Vec::new();
    let mut trusted = false;
    for name in ["config.json", "settings.json"] {
        let document = SettingsDocument::read(&dir.join(name));
        findings.extend(check_hook_switch(&document, site));
        let folders = ["/trusted_folders", "/trustedFolders"]
            .iter()
            .filter_map(|field| document.value.pointer(field)?.as_array());
        trusted |= folders.flatten().filter_map(|path| path.as_str()).any(|path| site.project.starts_with(path));
    }
    let of_project = installed_entries(host, site, InstallScope::Project).is_ok_and(|entries| !entries.is_empty());
    if of_project && !trusted {
        let what = format!(
            "Copilot CLI does not trust `{}`, so it does not run project hooks there",
            site.display_path(&site.project)
        );
        findings
            .push(DoctorFinding::problem(what).help("start `copilot` there once and trust the directory permanently"));
    }
    findings
}
