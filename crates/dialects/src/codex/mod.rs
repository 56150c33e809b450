//! OpenAI Codex CLI: hooks in `hooks.json`, or below `[hooks]` in `config.toml`.
//!
//! The contract is "agents' hook contracts, Codex". `DEVIATIONS.md` lists where Pintle differs on purpose: its answers are
//! read as strictly, but an answer that cannot be read does not open the gate in silence.

mod rows;

use std::sync::Arc;

use pintle_contract::{Codec, Profile, Severity};

use crate::client_hooks::{
    Choice, Client, Clock, Kind, Layout, Means, Settings, Word, aliases, codec_of, count, load_client, mappings, whole,
};
use crate::{Alias, Artifact, Dialect, Mapping, Others, Project, Reading};

/// What is different about it.
pub static CLIENT: Client = Client {
    name: "codex",
    title: "Codex",
    rows: rows::ROWS,
    elsewhere: rows::ELSEWHERE,
    settings: Settings {
        layout: Layout::Groups,
        clock: Clock::Seconds,
        shell: Some("bash"),
        command_ms: 600_000,
        http_ms: 600_000,
        prompt_ms: 30_000,
        kinds: &[
            ("command", Kind::Command),
            ("mcp_tool", Kind::Lost("Pintle cannot call a tool of a server that Codex is connected to")),
            ("prompt", Kind::Lost("Codex does not run it either")),
            ("agent", Kind::Lost("Codex does not run it either")),
        ],
        keys: &["type", "command", "timeout", "async"],
        lost: &[
            ("statusMessage", Severity::Note, "nobody is shown that a hook is at work"),
            ("commandWindows", Severity::Note, "this system runs `command`"),
        ],
        // Codex keeps what the person trusts below this key.
        beside: &["state"],
        second_names: &[("apply_patch", &["Write", "Edit"])],
        judge: "openai/gpt-5-mini",
    },
    words: WORDS,
    strict: true,
    statuses: true,
    frame: whole,
    environment: &[],
};

/// What a program's output can say.
const WORDS: &[Word] = &[
    Word::top("continue", Means::Continue),
    Word::top("stopReason", Means::StopReason),
    Word::top("suppressOutput", Means::Lost("")),
    Word::top("systemMessage", Means::Notice),
    Word::top("decision", Means::Decision(&[("block", Choice::Deny)])),
    Word::top("reason", Means::Reason),
    Word::top("hookSpecificOutput", Means::Specific),
    Word::inside("hookEventName", Means::EventName),
    Word::inside("permissionDecision", Means::Permission(&[("deny", Choice::Deny), ("allow", Choice::AllowInput)])),
    Word::inside("permissionDecisionReason", Means::PermissionReason),
    Word::inside("updatedInput", Means::Input),
    Word::inside("additionalContext", Means::Context),
    Word::inside("decision", Means::Behavior),
];

static EVENTS: [Mapping; count(rows::ROWS, false)] = mappings(rows::ROWS);
static ALIASES: [Alias; count(rows::ROWS, true)] = aliases(rows::ROWS);

/// The dialect.
pub static DIALECT: Dialect = Dialect {
    name: "codex",
    description: "OpenAI Codex CLI: command hooks in hooks.json or config.toml",
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
