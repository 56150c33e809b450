//! OpenCode, tested with 1.18.33.
//!
//! OpenCode runs no hook commands but plugins, which are JavaScript. Pintle installs one ([`plugin.js`](plugin.js)): it
//! sends each event to `pintle hook opencode` and obeys the answer, which has a format of Pintle's own. If an event that
//! waits for permission gets no valid answer, the plugin denies it.

mod events;
mod response;

use serde_json::{Value, json};

use crate::install::{EntryFormat, InstallSpec, InstalledEntry, SettingsLocation};
use crate::{AgentMarks, ClientDef, GuardedPaths};

/// OpenCode.
pub static CLIENT: ClientDef = ClientDef {
    name: "opencode",
    title: "OpenCode",
    tried_version: "1.18.33",
    events: events::ROWS,
    tools: &pintle_tools::OPENCODE,
    guarded: GuardedPaths {
        relative: &[
            ".opencode/plugins",
            ".opencode/plugin",
            ".opencode/opencode.json",
            ".opencode/opencode.jsonc",
            "opencode.json",
            "opencode.jsonc",
            ".config/opencode/plugins",
            ".config/opencode/plugin",
            ".config/opencode/config.json",
            ".config/opencode/opencode.json",
            ".config/opencode/opencode.jsonc",
        ],
        managed: &["/etc/opencode", "/Library/Application Support/opencode"],
        variables: &["OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"],
    },
    marks: AgentMarks { programs: &["opencode"], packages: &["opencode-ai"], variables: &["OPENCODE", "OPENCODE_PID"] },
    install: InstallSpec {
        program: "opencode",
        own_dir: "opencode",
        user: SettingsLocation { variable: "XDG_CONFIG_HOME", folder: ".config", file: "opencode/plugins/pintle.js" },
        project: SettingsLocation { variable: "", folder: ".opencode", file: "plugins/pintle.js" },
        form: EntryFormat::Module { write: plugin_text },
        hints: |_| {
            vec![String::from("OpenCode loads plugins when it starts; with `--pure` it loads none, and no hook runs")]
        },
        ..InstallSpec::COMMON
    },
    event_name,
    unhooked_actions: &[
        "anything when it runs with `--pure`, which leaves plugins out",
        "commands in the text of a slash command that is typed (`.opencode/commands`)",
    ],
    recognise,
    ..ClientDef::COMMON
};

fn event_name(payload: &Value) -> Option<&str> {
    payload.get("hook").and_then(Value::as_str)
}

/// The plugin's own form: what OpenCode passes to one of its hooks.
fn recognise(payload: &Value) -> Option<&str> {
    event_name(payload).filter(|_| payload.get("input").is_some())
}

/// The plugin, with a place for its table.
const PLUGIN: &str = include_str!("plugin.js");
/// The line in whose place the table is.
const TABLE: &str = "//HOOKS\n";

/// The plugin with these entries, one a line.
fn plugin_text(host: &ClientDef, entries: &[InstalledEntry]) -> String {
    let line = |entry: &InstalledEntry| {
        let is_guard = host.find_event(&entry.event).is_some_and(|def| def.is_guard);
        let hook = json!({"command": entry.command, "timeoutMs": entry.timeout_ms, "guard": is_guard});
        format!("  {}: {hook},\n", json!(entry.event))
    };
    PLUGIN.replacen(TABLE, &entries.iter().map(line).collect::<String>(), 1)
}
