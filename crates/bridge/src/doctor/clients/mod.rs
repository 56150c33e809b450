//! Checks of each client's own settings for what prevents hooks from running.

mod claude;
mod codex;
mod copilot;
mod gemini;
mod opencode;
mod qwen;

use super::{DoctorFinding, SettingsDocument};
use crate::HostDef;
use crate::install::InstallEnvironment;

/// Checks a client's settings.
type CheckSettingsFn = fn(host: &'static HostDef, site: &InstallEnvironment) -> Vec<DoctorFinding>;

/// The finding if nothing prevents hooks from running.
const ENABLED: &str = "hooks are enabled in its settings";

/// The clients that have settings about hooks, and what is reported if nothing is wrong.
const CHECKS: &[(&str, CheckSettingsFn, &str)] = &[
    ("claude", claude::check_settings, ENABLED),
    ("codex", codex::check_settings, "Codex trusts the entries"),
    ("gemini", gemini::check_settings, "hooks are enabled in its settings, and this directory is trusted"),
    ("qwen", qwen::check_settings, ENABLED),
    ("copilot", copilot::check_settings, ENABLED),
    ("opencode", opencode::check_settings, "its plugin is the one of this version of Pintle"),
];

/// Checks the settings of a client; nothing if it has none about hooks.
pub(super) fn check_settings(host: &'static HostDef, site: &InstallEnvironment) -> Vec<DoctorFinding> {
    let Some((_, check, ok)) = CHECKS.iter().find(|(name, ..)| *name == host.name) else { return Vec::new() };
    let findings = check(host, site);
    if findings.is_empty() { vec![DoctorFinding::ok(*ok)] } else { findings }
}

/// The problem of a file with the switch for all hooks that Claude Code and other clients have.
fn check_hook_switch(document: &SettingsDocument, site: &InstallEnvironment) -> Option<DoctorFinding> {
    let what = || format!("`disableAllHooks` in `{}` disables all hooks", site.display_path(&document.path));
    document.is_set_to("/disableAllHooks", true).then(|| DoctorFinding::problem(what()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_is_of_a_client() {
        for (name, ..) in CHECKS {
            assert!(HostDef::by_name(name).is_ok(), "{name}");
        }
    }
}
