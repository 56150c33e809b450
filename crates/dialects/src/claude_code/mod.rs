//! Claude Code: hooks in its settings files and in its plugins.
//!
//! The contract is "agents' hook contracts, Claude Code". `DEVIATIONS.md` lists where Pintle differs on purpose.

mod rows;
mod words;

use std::sync::Arc;

use pintle_contract::{Codec, Profile, Severity};

use crate::client_hooks::{
    Client, Clock, Kind, Layout, Settings, Variable, aliases, codec_of, count, load_client, mappings, whole,
};
use crate::{Alias, Artifact, Dialect, Mapping, Others, Project, Reading};

pub(crate) use words::WORDS;

/// What is different about it.
pub static CLIENT: Client = Client {
    name: "claude_code",
    title: "Claude Code",
    rows: rows::ROWS,
    elsewhere: rows::ELSEWHERE,
    settings: Settings {
        layout: Layout::Groups,
        clock: Clock::Seconds,
        shell: None,
        command_ms: 600_000,
        http_ms: 600_000,
        prompt_ms: 30_000,
        kinds: &[
            ("command", Kind::Command),
            ("http", Kind::Http),
            ("prompt", Kind::Prompt),
            ("mcp_tool", Kind::Lost("Pintle cannot call a tool of a server that Claude Code is connected to")),
            ("agent", Kind::Lost("a hook cannot start an agent here; ask a model with a `prompt` hook")),
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
        lost: &[
            ("statusMessage", Severity::Note, "nobody is shown that a hook is at work"),
            ("once", Severity::Warning, "the hook is asked each time"),
            ("asyncRewake", Severity::Warning, "the hook runs in the background, and exit status 2 wakes nobody"),
            ("continueOnBlock", Severity::Note, "a block means here what the event says"),
        ],
        beside: &[],
        second_names: &[("Agent", &["Task"]), ("Task", &["Agent"])],
        judge: "anthropic/claude-haiku-4-5",
    },
    words: WORDS,
    strict: false,
    statuses: true,
    frame: whole,
    environment: &[
        ("CLAUDE_PROJECT_DIR", Variable::Project),
        ("CLAUDE_CODE_SESSION_ID", Variable::Session),
        ("CLAUDE_PLUGIN_ROOT", Variable::Plugin),
        ("CLAUDECODE", Variable::Fixed("1")),
    ],
};

static EVENTS: [Mapping; count(rows::ROWS, false)] = mappings(rows::ROWS);
static ALIASES: [Alias; count(rows::ROWS, true)] = aliases(rows::ROWS);

/// The dialect.
pub static DIALECT: Dialect = Dialect {
    name: "claude_code",
    description: "Claude Code: command, http and prompt hooks in settings files",
    profile: Profile::ParallelStrictest,
    events: &EVENTS,
    aliases: &ALIASES,
    others: Others::Unsupported,
    codec,
    load,
};

/// The codec of a hook that came with no project.
#[must_use]
pub fn codec() -> Arc<dyn Codec> {
    codec_of(&CLIENT)
}

/// Reads its files.
#[must_use]
pub fn load(artifacts: &[Artifact], _reading: &Reading<'_>) -> Project {
    load_client(&CLIENT, artifacts)
}
