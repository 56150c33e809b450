//! Claude Code: hooks in its settings files and in its plugins.
//!
//! `DEVIATIONS.md` lists where Pintle differs on purpose.

mod events;
mod output_fields;

use std::sync::Arc;

use pintle_contract::{Codec, Profile, Severity};

use crate::client_hooks::{
    ClientDef, ClientHandlerKind, EnvVariable, HookLayout, SettingsFormat, TimeUnit, aliases, codec_of, count_events,
    load_client, mappings, unchanged_output,
};
use crate::{Artifact, Dialect, EventAlias, EventMapping, ParseContext, ParsedProject, UnmappedEvents};

pub(crate) use output_fields::WORDS;

/// The definition of the Claude Code client.
pub static CLIENT: ClientDef = ClientDef {
    name: "claude_code",
    title: "Claude Code",
    events: events::ROWS,
    unmapped_events: events::ELSEWHERE,
    settings: SettingsFormat {
        layout: HookLayout::Groups,
        clock: TimeUnit::Seconds,
        shell: None,
        command_ms: 600_000,
        http_ms: 600_000,
        prompt_ms: 30_000,
        kinds: &[
            ("command", ClientHandlerKind::Command),
            ("http", ClientHandlerKind::Http),
            ("prompt", ClientHandlerKind::Prompt),
            (
                "mcp_tool",
                ClientHandlerKind::NotCarriedOver(
                    "Pintle cannot call tools of the MCP servers that Claude Code is connected to",
                ),
            ),
            (
                "agent",
                ClientHandlerKind::NotCarriedOver("a hook cannot start an agent; use a `prompt` hook to call a model"),
            ),
        ],
        keys: &[
            "type",
            "command",
            "args",
            "shell",
            "timeout",
            "async",
            "asyncRewake",
            "onFailure",
            "if",
            "url",
            "headers",
            "allowedEnvVars",
            "prompt",
            "model",
        ],
        not_carried_over: &[
            ("statusMessage", Severity::Note, "Pintle shows no status while a hook runs"),
            ("once", Severity::Warning, "the hook runs every time"),
            (
                "asyncRewake",
                Severity::Warning,
                "the hook runs in the background, and exit status 2 does not wake the agent",
            ),
            ("continueOnBlock", Severity::Note, "the event decides what a block does"),
        ],
        non_event_keys: &[],
        alternate_names: &[("Agent", &["Task"]), ("Task", &["Agent"])],
        judge: "anthropic/claude-haiku-4-5",
    },
    output_fields: WORDS,
    strict: false,
    statuses: true,
    extract_answer: unchanged_output,
    environment: &[
        ("CLAUDE_PROJECT_DIR", EnvVariable::Project),
        ("CLAUDE_CODE_SESSION_ID", EnvVariable::Session),
        ("CLAUDE_PLUGIN_ROOT", EnvVariable::Plugin),
        ("CLAUDECODE", EnvVariable::Fixed("1")),
    ],
};

static EVENTS: [EventMapping; count_events(events::ROWS, false)] = mappings(events::ROWS);
static ALIASES: [EventAlias; count_events(events::ROWS, true)] = aliases(events::ROWS);

/// The Claude Code dialect.
pub static DIALECT: Dialect = Dialect {
    name: "claude_code",
    description: "Claude Code: command, http and prompt hooks in settings files",
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

/// Loads Claude Code's files.
#[must_use]
pub fn load(artifacts: &[Artifact], _reading: &ParseContext<'_>) -> ParsedProject {
    load_client(&CLIENT, artifacts)
}
