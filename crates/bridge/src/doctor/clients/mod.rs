//! Checks of each client's own settings for what prevents hooks from running.

mod claude;
mod codex;
mod copilot;
mod gemini;
mod opencode;
mod qwen;

use super::DoctorFinding;
use crate::HostDef;
use crate::install::InstallEnvironment;

/// Checks a client's settings.
type CheckSettingsFn = fn(host: &'static HostDef, site: &InstallEnvironment) -> Vec<DoctorFinding>;

/// The clients that have settings about hooks.
const CHECKS: &[(&str, CheckSettingsFn)] = &[
    ("claude", claude::check_settings),
    ("codex", codex::check_settings),
    ("gemini", gemini::check_settings),
    ("qwen", qwen::check_settings),
    ("copilot", copilot::check_settings),
    ("opencode", opencode::check_settings),
];

/// Checks the settings of a client; nothing if it has none about hooks.
pub(super) fn check_settings(host: &'static HostDef, site: &InstallEnvironment) -> Vec<DoctorFinding> {
    let check = CHECKS.iter().find(|(name, _)| *name == host.name);
    check.map(|(_, check)| check(host, site)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_is_of_a_client() {
        for (name, _) in CHECKS {
            assert!(HostDef::by_name(name).is_ok(), "{name}");
        }
    }
}
