//! Pi, tested with 1.6.0.
//!
//! Pi runs no hook commands but extensions, which are JavaScript. Pintle installs one ([`plugin.js`](plugin.js)): it sends
//! each event to `pintle hook pi` and obeys the answer, which has a format of Pintle's own. If an event that waits for
//! permission gets no valid answer, the extension denies it.

mod events;
mod response;

use serde_json::Value;

use crate::install::{EntryFormat, InstallSpec, SettingsLocation};
use crate::plugin::{event_name, write_module};
use crate::{AgentMarks, ClientDef, GuardedPaths, transcript};

/// Pi.
pub static CLIENT: ClientDef = ClientDef {
    name: "pi",
    title: "Pi",
    tried_version: "1.6.0",
    events: events::ROWS,
    tools: &pintle_tools::PI,
    guarded: GuardedPaths {
        relative: &[
            ".pi/extensions",
            ".pi/settings.json",
            ".pi/npm",
            ".pi/git",
            ".pi/agent/extensions",
            ".pi/agent/settings.json",
            ".pi/agent/trust.json",
            ".pi/agent/npm",
            ".pi/agent/git",
        ],
        managed: &[],
        variables: &["PI_CODING_AGENT_DIR"],
    },
    marks: AgentMarks {
        programs: &["pi"],
        packages: &["@earendil-works/pi-coding-agent", "@mariozechner/pi-coding-agent"],
        variables: &["PI_CODING_AGENT", "PI_SESSION_ID"],
    },
    install: InstallSpec {
        program: "pi",
        user: SettingsLocation { variable: "PI_CODING_AGENT_DIR", folder: ".pi/agent", file: "extensions/pintle.js" },
        project: SettingsLocation { variable: "", folder: ".pi", file: "extensions/pintle.js" },
        form: EntryFormat::Module { write: |host, entries| write_module(host, entries, include_str!("plugin.js")) },
        hints: |_| {
            vec![String::from(
                "Pi loads extensions when it starts; with `--no-extensions` it loads none, and no hook runs",
            )]
        },
        ..InstallSpec::COMMON
    },
    event_name,
    transcript: Some(transcript::pi_line),
    unhooked_actions: &[
        "anything when it runs with `--no-extensions`, which leaves extensions out",
        "commands that are typed after `!`",
        "what another extension, which is loaded later, makes of a call that was allowed",
    ],
    recognise,
    ..ClientDef::COMMON
};

/// The extension's own form: what is sent of an event of Pi.
fn recognise(payload: &Value) -> Option<&str> {
    event_name(payload).filter(|_| payload.get("event").is_some())
}
