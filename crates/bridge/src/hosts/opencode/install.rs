//! Installs Pintle in OpenCode: one plugin file.

use serde_json::json;

use super::doctor;
use crate::HostDef;
use crate::install::{EntryFormat, InstallScope, InstallSpec, InstalledEntry, SettingsLocation};

pub(super) static INSTALL: InstallSpec = InstallSpec {
    program: "opencode",
    user: SettingsLocation { variable: "XDG_CONFIG_HOME", folder: ".config", file: "opencode/plugins/pintle.js" },
    project: SettingsLocation { variable: "", folder: ".opencode", file: "plugins/pintle.js" },
    form: EntryFormat::Module { write: plugin_text },
    timeout_limits: &[],
    shell: &["/bin/sh", "-c"],
    hints: install_hints,
    check_settings: doctor::check_settings,
};

/// The plugin, with a place for its table.
const PLUGIN: &str = include_str!("plugin.js");
/// The line in whose place the table is.
const TABLE: &str = "//HOOKS\n";

/// The plugin with these entries, one a line.
pub(super) fn plugin_text(host: &HostDef, entries: &[InstalledEntry]) -> String {
    let line = |entry: &InstalledEntry| {
        let is_guard = host.events.iter().any(|def| def.name == entry.event && def.is_guard);
        let hook = json!({"command": entry.command, "timeoutMs": entry.timeout_ms, "guard": is_guard});
        format!("  {}: {hook},\n", json!(entry.event))
    };
    PLUGIN.replacen(TABLE, &entries.iter().map(line).collect::<String>(), 1)
}

fn install_hints(_scope: InstallScope) -> Vec<String> {
    vec![String::from("OpenCode loads plugins when it starts; with `--pure` it loads none, and no hook runs")]
}
