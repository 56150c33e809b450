//! Installs Pintle in Cline.

use super::doctor;
use crate::install::{EntryFormat, InstallScope, InstallSpec, SettingsLocation};

pub(super) static INSTALL: InstallSpec = InstallSpec {
    program: "cline",
    user: SettingsLocation { variable: "", folder: ".cline", file: "hooks" },
    project: SettingsLocation { variable: "", folder: ".clinerules", file: "hooks" },
    form: EntryFormat::Programs,
    timeout_limits: &[],
    shell: &["/bin/sh", "-c"],
    hints: install_hints,
    check_settings: doctor::check_settings,
};

fn install_hints(_scope: InstallScope) -> Vec<String> {
    vec![String::from(
        "Cline ends the whole task when a hook denies a call, and without a terminal it does not show why",
    )]
}
