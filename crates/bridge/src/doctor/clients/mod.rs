//! Checks of each client's own settings for what prevents hooks from running.

mod codex;
mod copilot;
mod gemini;
mod plugin;
mod switches;

use super::DoctorFinding;
use crate::HostDef;
use crate::install::InstallEnvironment;

/// Checks a client's settings.
type CheckSettingsFn = fn(host: &'static HostDef, site: &InstallEnvironment) -> Vec<DoctorFinding>;

/// The finding if nothing prevents hooks from running.
const ENABLED: &str = "hooks are enabled in its settings";

/// The clients that have settings about hooks: what is checked on every machine, what is checked of a user, who is not
/// in an image yet, and what is reported if nothing is wrong.
const CHECKS: &[(&str, &[CheckSettingsFn], &[CheckSettingsFn], &str)] = &[
    ("claude", &[switches::check_switches], &[], ENABLED),
    ("codex", &[], &[codex::check_trust], "Codex trusts the entries"),
    (
        "gemini",
        &[switches::check_switches],
        &[gemini::check_trust],
        "hooks are enabled in its settings, and this directory is trusted",
    ),
    ("qwen", &[switches::check_switches], &[], ENABLED),
    ("copilot", &[switches::check_switches], &[copilot::check_trust], ENABLED),
    ("droid", &[switches::check_switches], &[], ENABLED),
    ("opencode", &[], &[plugin::check_plugin], "its plugin is the one of this version of Pintle"),
    ("pi", &[], &[plugin::check_plugin], "its extension is the one of this version of Pintle"),
];

/// Checks the settings of a client; nothing if it has none about hooks.
pub(super) fn check_settings(host: &'static HostDef, environment: &InstallEnvironment) -> Vec<DoctorFinding> {
    let Some((_, of_machine, of_user, ok)) = CHECKS.iter().find(|(name, ..)| *name == host.name) else {
        return Vec::new();
    };
    let of_user: &[CheckSettingsFn] = if environment.is_image() { &[] } else { of_user };
    let checks = of_machine.iter().chain(of_user);
    let findings: Vec<DoctorFinding> = checks.flat_map(|check| check(host, environment)).collect();
    if findings.is_empty() && !environment.is_image() { vec![DoctorFinding::ok(*ok)] } else { findings }
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
