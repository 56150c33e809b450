//! Checks what prevents an agent without hook commands from running hooks.

use crate::HostDef;
use crate::doctor::DoctorFinding;
use crate::install::{EntryFormat, InstallEnvironment, installed_entries};

/// Checks that the plugin is what Pintle wrote: it decides what an answer means.
pub(super) fn check_plugin(host: &'static HostDef, environment: &InstallEnvironment) -> Vec<DoctorFinding> {
    let mut findings = Vec::new();
    for (scope, place) in host.install.locations() {
        let path = environment.settings_path(scope, place);
        let entries = installed_entries(host, environment, scope).unwrap_or_default();
        let text = pintle_host::files::read_text(&path).unwrap_or_default();
        let written = match host.install.form {
            EntryFormat::Module { write } => write(host, &entries),
            _ => continue,
        };
        if !entries.is_empty() && text != written {
            let what = format!("`{}` differs from the one of this version of Pintle", environment.display_path(&path));
            let help = format!("run `pintle install {} --scope {}` to rewrite it", host.name, scope.as_str());
            findings.push(DoctorFinding::problem(what).help(help));
        }
    }
    findings
}
