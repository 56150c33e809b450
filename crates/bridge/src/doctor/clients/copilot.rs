//! Checks what prevents Copilot CLI from running hooks.

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
        if document.is_set_to("/disableAllHooks", true) {
            let what = format!("`disableAllHooks` in `{}` disables all hooks", site.display_path(&document.path));
            findings.push(DoctorFinding::problem(what));
        }
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
    if findings.is_empty() {
        findings.push(DoctorFinding::ok("hooks are enabled in its settings"));
    }
    findings
}
