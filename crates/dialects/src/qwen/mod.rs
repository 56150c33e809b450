//! Qwen Code: hooks in its settings files.
//!
//! `DEVIATIONS.md` lists where Pintle differs on purpose.

mod events;

use std::sync::Arc;

use pintle_contract::{Codec, Profile, Severity};

use crate::client_hooks::{
    ClientDef, ClientHandlerKind, EnvVariable, HookLayout, SettingsFormat, TimeUnit, aliases, codec_of, count_events,
    load_client, mappings, unchanged_output,
};
use crate::{Artifact, Dialect, EventAlias, EventMapping, ParseContext, ParsedProject, UnmappedEvents, claude_code};

/// The definition of the Qwen Code client.
pub static CLIENT: ClientDef = ClientDef {
    name: "qwen",
    title: "Qwen Code",
    events: events::ROWS,
    unmapped_events: events::ELSEWHERE,
    settings: SettingsFormat {
        layout: HookLayout::Groups,
        clock: TimeUnit::SecondsOrMilliseconds,
        shell: Some("bash"),
        command_ms: 60_000,
        http_ms: 600_000,
        prompt_ms: 30_000,
        kinds: &[
            ("command", ClientHandlerKind::Command),
            ("http", ClientHandlerKind::Http),
            ("prompt", ClientHandlerKind::Prompt),
            ("function", ClientHandlerKind::NotCarriedOver("it is a function inside Qwen Code")),
        ],
        keys: &[
            "type",
            "command",
            "name",
            "description",
            "timeout",
            "async",
            "env",
            "shell",
            "url",
            "headers",
            "allowedEnvVars",
            "prompt",
            "model",
            "if",
        ],
        not_carried_over: &[
            ("statusMessage", Severity::Note, "Pintle shows no status while a hook runs"),
            ("once", Severity::Warning, "the hook runs every time"),
        ],
        non_event_keys: &["enabled", "disabled"],
        alternate_names: &[
            ("run_shell_command", &["Bash", "Shell"]),
            ("write_file", &["Write", "WriteFile"]),
            ("edit", &["Edit", "MultiEdit"]),
            ("read_file", &["Read", "ReadFile"]),
            ("glob", &["Glob"]),
            ("grep_search", &["Grep"]),
            ("web_fetch", &["WebFetch"]),
            ("agent", &["Agent", "Task"]),
        ],
        judge: "openai/gpt-5-mini",
    },
    output_fields: claude_code::WORDS,
    strict: false,
    statuses: true,
    extract_answer: unchanged_output,
    environment: &[
        ("QWEN_PROJECT_DIR", EnvVariable::Project),
        ("QWEN_CODE_SESSION_ID", EnvVariable::Session),
        ("GEMINI_PROJECT_DIR", EnvVariable::Project),
        ("CLAUDE_PROJECT_DIR", EnvVariable::Project),
    ],
};

static EVENTS: [EventMapping; count_events(events::ROWS, false)] = mappings(events::ROWS);
static ALIASES: [EventAlias; count_events(events::ROWS, true)] = aliases(events::ROWS);

/// The Qwen Code dialect.
pub static DIALECT: Dialect = Dialect {
    name: "qwen",
    description: "Qwen Code: command, http and prompt hooks in settings files",
    profile: Profile::ParallelStrictest,
    events: &EVENTS,
    aliases: &ALIASES,
    unmapped: UnmappedEvents::Unsupported,
    codec,
    load,
};

/// The codec of a hook outside a project.
#[must_use]
pub fn codec() -> Arc<dyn Codec> {
    codec_of(&CLIENT)
}

/// Loads Qwen Code's files.
#[must_use]
pub fn load(artifacts: &[Artifact], _reading: &ParseContext<'_>) -> ParsedProject {
    load_client(&CLIENT, artifacts)
}
