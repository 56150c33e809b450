//! Checks what prevents Copilot CLI from running hooks.

use crate::HostDef;
use crate::doctor::{DoctorFinding, SettingsDocument};
use crate::install::{InstallEnvironment, InstallScope, installed_entries};

/// Whether the directory is trusted, as project hooks require.
pub(super) fn check_trust(host: &'static HostDef, environment: &InstallEnvironment) -> Vec<DoctorFinding> {
    let dir = environment.host_dir(InstallScope::User, &host.install.user);
    let mut trusted = false;
    for name in ["config.json", "settings.json"] {
        let document = SettingsDocument::read(&dir.join(name));
        let folders = ["/trusted_folders", "/trustedFolders"]
            .iter()
            .filter_map(|field| document.value.pointer(field)?.as_array());
        trusted |= folders.flatten().filter_map(|path| path.as_str()).any(|path| environment.project.starts_with(path));
    }
    let of_project =
        installed_entries(host, environment, InstallScope::Project).is_ok_and(|entries| !entries.is_empty());
    if !of_project || trusted {
        return Vec::new();
    }
    let shown = environment.display_path(&environment.project);
    let what = format!("Copilot CLI does not trust `{shown}`, so it does not run project hooks there");
    vec![DoctorFinding::problem(what).help("start `copilot` there once and trust the directory permanently")]
}
