//! Checks what prevents Gemini CLI from running hooks.

use crate::HostDef;
use crate::doctor::{DoctorFinding, SettingsDocument};
use crate::install::{InstallEnvironment, InstallScope};

/// Checks the settings for hook switches, and whether the directory is trusted.
pub(super) fn check_settings(host: &'static HostDef, site: &InstallEnvironment) -> Vec<DoctorFinding> {
    let mut findings = Vec::new();
    for scope in InstallScope::ALL {
        let path = site.settings_path(scope, host.install.location(scope));
        let document = SettingsDocument::read(&path);
        let shown = site.display_path(&path);
        if document.is_set_to("/hooksConfig/enabled", false) {
            findings.push(DoctorFinding::problem(format!("`hooksConfig.enabled` in `{shown}` disables all hooks")));
        }
        let disabled = document.value.pointer("/hooksConfig/disabled").and_then(|names| names.as_array());
        if disabled.into_iter().flatten().any(|name| name == "pintle") {
            findings.push(DoctorFinding::problem(format!("`hooksConfig.disabled` in `{shown}` lists `pintle`")));
        }
    }
    findings.extend(check_folder_trust(host, site));
    findings
}

/// Whether the directory is trusted: by the environment, or by an earlier answer of the user.
fn check_folder_trust(host: &HostDef, site: &InstallEnvironment) -> Option<DoctorFinding> {
    if site.variable("GEMINI_CLI_TRUST_WORKSPACE") == Some("true") {
        return None;
    }
    let dir = site.host_dir(InstallScope::User, host.install.location(InstallScope::User));
    let answers = SettingsDocument::read(&dir.join("trustedFolders.json"));
    let fields = answers.value.as_object().into_iter().flatten();
    // The nearest parent directory applies.
    let above = fields.filter_map(|(path, answer)| {
        let answer = answer.as_str()?;
        let path = match answer {
            "TRUST_PARENT" => std::path::Path::new(path).parent()?,
            _ => std::path::Path::new(path),
        };
        site.project.starts_with(path).then(|| (path.components().count(), answer.to_owned()))
    });
    let trusted = matches!(above.max(), Some((_, answer)) if answer != "DO_NOT_TRUST");
    let what = format!(
        "`{}` is not a trusted directory, so Gemini CLI runs no hooks there, not even your own",
        site.display_path(&site.project)
    );
    let help = "start `gemini` there and trust it; in CI set `GEMINI_CLI_TRUST_WORKSPACE=true`";
    (!trusted).then(|| DoctorFinding::problem(what).help(help))
}
