//! Checks what prevents Qwen Code from running hooks.

use super::check_hook_switch;
use crate::HostDef;
use crate::doctor::{DoctorFinding, SettingsDocument};
use crate::install::{InstallEnvironment, InstallScope};

/// Checks the settings for hook switches.
pub(super) fn check_settings(host: &'static HostDef, site: &InstallEnvironment) -> Vec<DoctorFinding> {
    let paths = InstallScope::ALL.map(|scope| site.settings_path(scope, host.install.location(scope)));
    paths.iter().filter_map(|path| check_hook_switch(&SettingsDocument::read(path), site)).collect()
}
