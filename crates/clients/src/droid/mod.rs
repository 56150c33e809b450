//! Droid, tested with 0.215.0: the events of Claude Code, with responses of its own.
//!
//! Its `hooks.json` has the events at the top. If there is one, Droid does not read the hooks in `settings.json`.

mod events;
mod response;

use serde_json::Value;

use crate::client::hook_event_name;
use crate::install::{EntryFormat, HandlerFormat, InstallSpec, SettingsLocation};
use crate::{AgentMarks, ClientDef, GuardedPaths, claude_code, host, transcript};

/// Droid.
pub static CLIENT: ClientDef = ClientDef {
    name: "droid",
    title: "Droid",
    tried_version: "0.215.0",
    events: events::ROWS,
    tools: &pintle_tools::DROID,
    guarded: GuardedPaths {
        relative: &[".factory/hooks.json", ".factory/hooks", ".factory/settings.json", ".factory/settings.local.json"],
        managed: &[],
        variables: &["FACTORY_HOME_OVERRIDE"],
    },
    marks: AgentMarks {
        programs: &["droid"],
        packages: &["droid"],
        variables: &["FACTORY_EXEC_TARGET_AUTONOMY", "FACTORY_DISABLE_SETTINGS_PERSISTENCE"],
    },
    install: InstallSpec {
        program: "droid",
        user: SettingsLocation { variable: "", folder: ".factory", file: "hooks.json" },
        project: SettingsLocation { variable: "", folder: ".factory", file: "hooks.json" },
        form: EntryFormat::Groups(HandlerFormat { root: None, ..claude_code::HANDLER }),
        hints: |_| {
            vec![String::from(
                "Droid reads `hooks.json` instead of the `hooks` in `settings.json`: move hooks that you have there",
            )]
        },
        ..InstallSpec::COMMON
    },
    project_variable: Some("FACTORY_PROJECT_DIR"),
    transcript: Some(transcript::droid_line),
    unhooked_actions: &[
        "the prompt of `droid exec`",
        "results of failed commands",
        "what another hook that rewrites a call makes of it",
    ],
    recognise,
    ..ClientDef::COMMON
};

/// Payloads about calls have no ID of the call.
fn recognise(payload: &Value) -> Option<&str> {
    hook_event_name(payload).filter(|_| host::is_droid_mode(payload) && !host::has(payload, "tool_use_id"))
}
