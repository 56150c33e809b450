//! The settings that turn hooks off, in every file that a client reads.

use std::path::PathBuf;

use serde_json::Value;

use crate::HostDef;
use crate::doctor::finding::DoctorFinding;
use crate::doctor::{SettingsDocument, documents};
use crate::install::{InstallEnvironment, InstallScope, installed_entries, parse_own_command};

/// A file that a client reads.
#[derive(Debug, Clone, Copy)]
enum SwitchFile {
    /// In the client's directory of the user.
    User(&'static str),
    /// In the project.
    Project(&'static str),
    /// On the machine, unless a variable names another file.
    Machine(&'static str, &'static str),
    /// Every JSON file of a directory on the machine.
    MachineDir(&'static str),
}

/// A setting that turns hooks off.
#[derive(Debug)]
struct HookSwitch {
    /// The path of the field.
    field: &'static str,
    /// Whether a value turns Pintle's hooks off.
    is_off: fn(&Value, &HostDef) -> bool,
    effect: &'static str,
    help: &'static str,
    /// Whether it leaves the hooks in the machine's settings on.
    spares_managed: bool,
}

/// The files of a client, and the switches in them.
#[derive(Debug)]
pub(super) struct SwitchTable {
    host: &'static str,
    rows: &'static [(&'static [SwitchFile], &'static [HookSwitch])],
}

const REMOVE: &str = "remove it: in this directory no hook runs, whatever your own settings say";

const DISABLE_ALL: HookSwitch = HookSwitch {
    field: "/disableAllHooks",
    is_off: |value, _| *value == Value::Bool(true),
    effect: "disables all hooks",
    help: REMOVE,
    spares_managed: false,
};

const MANAGED_ONLY: HookSwitch = HookSwitch {
    field: "/allowManagedHooksOnly",
    is_off: |value, _| *value == Value::Bool(true),
    effect: "allows only an organisation's hooks",
    help: "ask your administrator to run `pintle install claude --scope managed`",
    spares_managed: true,
};

const PLUGINS_ONLY: HookSwitch = HookSwitch {
    field: "/strictPluginOnlyCustomization",
    is_off: |value, _| {
        let is_hooks = |value: &Value| value.as_str() == Some("hooks");
        *value == Value::Bool(true) || value.as_array().is_some_and(|kinds| kinds.iter().any(is_hooks))
    },
    effect: "allows only hooks of plugins and of an organisation",
    ..MANAGED_ONLY
};

const fn turned_off(field: &'static str) -> HookSwitch {
    let is_off: fn(&Value, &HostDef) -> bool = |value, _| *value == Value::Bool(false);
    HookSwitch { field, is_off, effect: "disables all hooks", help: REMOVE, spares_managed: false }
}

const fn names_pintle(field: &'static str) -> HookSwitch {
    HookSwitch {
        field,
        is_off: |value, host| {
            let is_own = |name: &str| name == "pintle" || parse_own_command(name, host.name).is_some();
            value.as_array().into_iter().flatten().filter_map(Value::as_str).any(is_own)
        },
        effect: "lists `pintle`",
        help: "remove it from the list",
        spares_managed: false,
    }
}

/// The switches of Gemini CLI, today's and those of older versions, which Qwen Code adopted.
const GEMINI: &[HookSwitch] = &[
    DISABLE_ALL,
    turned_off("/hooksConfig/enabled"),
    names_pintle("/hooksConfig/disabled"),
    turned_off("/hooks/enabled"),
    names_pintle("/hooks/disabled"),
    turned_off("/tools/enableHooks"),
];

/// The switches of Droid, which has its hooks in a file of their own.
const DROID: &[HookSwitch] = &[
    HookSwitch { field: "/hooksDisabled", ..DISABLE_ALL },
    HookSwitch { help: "ask your administrator for these hooks in the organisation's settings", ..MANAGED_ONLY },
    HookSwitch {
        field: "/hooks",
        is_off: |value, _| value.as_object().is_some_and(|events| !events.is_empty()),
        effect: "is not read if there is a `hooks.json`",
        help: "move its events to the top of `hooks.json`",
        spares_managed: false,
    },
];

/// Every client with such settings.
pub(super) const TABLES: &[SwitchTable] = &[
    SwitchTable {
        host: "claude",
        rows: &[
            (
                &[
                    SwitchFile::User("settings.json"),
                    SwitchFile::Project(".claude/settings.json"),
                    SwitchFile::Project(".claude/settings.local.json"),
                ],
                &[DISABLE_ALL],
            ),
            (
                &[
                    SwitchFile::Machine("", "/etc/claude-code/managed-settings.json"),
                    SwitchFile::MachineDir("/etc/claude-code/managed-settings.d"),
                ],
                &[DISABLE_ALL, MANAGED_ONLY, PLUGINS_ONLY],
            ),
        ],
    },
    SwitchTable {
        host: "gemini",
        rows: &[(
            &[
                SwitchFile::User("settings.json"),
                SwitchFile::Project(".gemini/settings.json"),
                SwitchFile::Machine("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "/etc/gemini-cli/settings.json"),
                SwitchFile::Machine("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "/etc/gemini-cli/system-defaults.json"),
            ],
            GEMINI,
        )],
    },
    SwitchTable {
        host: "qwen",
        rows: &[(
            &[
                SwitchFile::User("settings.json"),
                SwitchFile::Project(".qwen/settings.json"),
                SwitchFile::Machine("QWEN_CODE_SYSTEM_SETTINGS_PATH", "/etc/qwen-code/settings.json"),
                SwitchFile::Machine("QWEN_CODE_SYSTEM_DEFAULTS_PATH", "/etc/qwen-code/system-defaults.json"),
            ],
            GEMINI,
        )],
    },
    SwitchTable {
        host: "copilot",
        rows: &[(
            &[
                SwitchFile::User("config.json"),
                SwitchFile::User("settings.json"),
                SwitchFile::User("hooks/pintle.json"),
                SwitchFile::Project(".github/copilot/settings.json"),
                SwitchFile::Project(".github/copilot/settings.local.json"),
                SwitchFile::Project(".github/hooks/pintle.json"),
                SwitchFile::Project(".claude/settings.json"),
                SwitchFile::Project(".claude/settings.local.json"),
            ],
            &[DISABLE_ALL],
        )],
    },
    SwitchTable {
        host: "droid",
        rows: &[(
            &[
                SwitchFile::User("settings.json"),
                SwitchFile::User("settings.local.json"),
                SwitchFile::Project(".factory/settings.json"),
                SwitchFile::Project(".factory/settings.local.json"),
            ],
            DROID,
        )],
    },
];

/// Checks every file of a client for settings that turn hooks off.
pub(super) fn check_switches(host: &'static HostDef, environment: &InstallEnvironment) -> Vec<DoctorFinding> {
    let rows = TABLES.iter().filter(|table| table.host == host.name).flat_map(|table| table.rows);
    let is_managed =
        installed_entries(host, environment, InstallScope::Managed).is_ok_and(|entries| !entries.is_empty());
    let mut findings = Vec::new();
    for (files, switches) in rows {
        for path in files.iter().flat_map(|file| file.paths(host, environment)) {
            let document = SettingsDocument::read(&path);
            let shown = environment.display_path(&path);
            if document.is_broken {
                let what = format!("{} cannot read `{shown}`: it is not valid JSON", host.title);
                findings.push(DoctorFinding::problem(what).help("correct it; until then nothing in it applies"));
            }
            for switch in switches.iter().filter(|switch| !(is_managed && switch.spares_managed)) {
                let value = document.value.pointer(switch.field);
                if value.is_some_and(|value| (switch.is_off)(value, host)) {
                    let field = switch.field.trim_start_matches('/').replace('/', ".");
                    let what = format!("`{field}` in `{shown}` {}", switch.effect);
                    findings.push(DoctorFinding::problem(what).help(switch.help));
                }
            }
        }
    }
    findings
}

impl SwitchFile {
    fn paths(self, host: &HostDef, environment: &InstallEnvironment) -> Vec<PathBuf> {
        match self {
            Self::User(file) => {
                vec![environment.host_dir(InstallScope::User, &host.install.user).join(file)]
            }
            Self::Project(file) => vec![environment.project.join(file)],
            Self::Machine(variable, file) => vec![environment.machine_path(variable, file)],
            Self::MachineDir(dir) => documents::list_json(&environment.machine_path("", dir)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_of_a_client() {
        for table in TABLES {
            assert!(HostDef::by_name(table.host).is_ok(), "{}", table.host);
        }
    }
}
