//! Qwen Code: hooks in its settings files.
//!
//! The contract is "agents' hook contracts, Qwen Code". `DEVIATIONS.md` lists where Pintle differs on purpose.

mod rows;

use std::sync::Arc;

use pintle_contract::{Codec, Profile, Severity};

use crate::client_hooks::{
    Client, Clock, Kind, Layout, Settings, Variable, aliases, codec_of, count, load_client, mappings, whole,
};
use crate::{Alias, Artifact, Dialect, Mapping, Others, Project, Reading, claude_code};

/// What is different about it.
pub static CLIENT: Client = Client {
    name: "qwen",
    title: "Qwen Code",
    rows: rows::ROWS,
    elsewhere: rows::ELSEWHERE,
    settings: Settings {
        layout: Layout::Groups,
        clock: Clock::SecondsOrMilliseconds,
        shell: Some("bash"),
        command_ms: 60_000,
        http_ms: 600_000,
        prompt_ms: 30_000,
        kinds: &[
            ("command", Kind::Command),
            ("http", Kind::Http),
            ("prompt", Kind::Prompt),
            ("function", Kind::Lost("it is code inside of Qwen Code")),
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
        lost: &[
            ("statusMessage", Severity::Note, "nobody is shown that a hook is at work"),
            ("once", Severity::Warning, "the hook is asked each time"),
        ],
        beside: &["enabled", "disabled"],
        second_names: &[
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
    words: claude_code::WORDS,
    strict: false,
    statuses: true,
    frame: whole,
    environment: &[
        ("QWEN_PROJECT_DIR", Variable::Project),
        ("QWEN_CODE_SESSION_ID", Variable::Session),
        ("GEMINI_PROJECT_DIR", Variable::Project),
        ("CLAUDE_PROJECT_DIR", Variable::Project),
    ],
};

static EVENTS: [Mapping; count(rows::ROWS, false)] = mappings(rows::ROWS);
static ALIASES: [Alias; count(rows::ROWS, true)] = aliases(rows::ROWS);

/// The dialect.
pub static DIALECT: Dialect = Dialect {
    name: "qwen",
    description: "Qwen Code: command, http and prompt hooks in settings files",
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
