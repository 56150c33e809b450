//! OpenCode, tested with 1.18.33.
//!
//! OpenCode runs no hook commands but plugins, which are JavaScript. Pintle installs one ([`plugin.js`](plugin.js)): it
//! sends each event to `pintle hook opencode` and obeys the answer, which has a format of Pintle's own. If an event that
//! waits for permission gets no valid answer, the plugin denies it.

mod events;
mod response;

use serde_json::Value;

use crate::install::{EntryFormat, InstallSpec, SettingsLocation};
use crate::plugin::{event_name, write_module};
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
        form: EntryFormat::Module { write: |host, entries| write_module(host, entries, include_str!("plugin.js")) },
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

/// The plugin's own form: what OpenCode passes to one of its hooks.
fn recognise(payload: &Value) -> Option<&str> {
    event_name(payload).filter(|_| payload.get("input").is_some())
}
