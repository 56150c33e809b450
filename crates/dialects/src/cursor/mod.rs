//! Cursor: hooks in `hooks.json`.
//!
//! The contract is "agents' hook contracts, Cursor". `DEVIATIONS.md` lists where Pintle differs on purpose.

mod rows;

use std::sync::Arc;

use pintle_contract::{Codec, Profile, Severity};

use crate::client_hooks::{
    Choice, Client, Clock, Kind, Layout, Means, Settings, Word, aliases, codec_of, count, load_client, mappings, whole,
};
use crate::{Alias, Artifact, Dialect, Mapping, Others, Project, Reading};

/// What is different about it.
pub static CLIENT: Client = Client {
    name: "cursor",
    title: "Cursor",
    rows: rows::ROWS,
    elsewhere: rows::ELSEWHERE,
    settings: Settings {
        layout: Layout::Flat,
        clock: Clock::Seconds,
        shell: None,
        command_ms: 60_000,
        http_ms: 60_000,
        prompt_ms: 60_000,
        kinds: &[("command", Kind::Command), ("prompt", Kind::Prompt)],
        keys: &["command", "type", "timeout", "failClosed", "matcher", "prompt", "model"],
        lost: &[("loop_limit", Severity::Note, "the agent's own limit on going on counts")],
        beside: &[],
        second_names: &[],
        judge: "anthropic/claude-haiku-4-5",
    },
    words: WORDS,
    strict: false,
    statuses: true,
    frame: whole,
    environment: &[],
};

/// What a program's output can say.
const WORDS: &[Word] = &[
    Word::top(
        "permission",
        Means::Permission(&[
            // It spares no question there either.
            ("allow", Choice::Pass),
            ("deny", Choice::Deny),
            ("ask", Choice::Ask),
        ]),
    ),
    Word::top("continue", Means::Continue),
    Word::top("agent_message", Means::Reason),
    Word::top("user_message", Means::ReasonOrNotice),
    Word::top("updated_input", Means::Input),
    Word::top("additional_context", Means::Context),
    Word::top("updated_mcp_tool_output", Means::Output(None)),
    Word::top("followup_message", Means::Followup),
    Word::top("env", Means::Lost("what a hook sets does not reach later hooks here")),
];

static EVENTS: [Mapping; count(rows::ROWS, false)] = mappings(rows::ROWS);
static ALIASES: [Alias; count(rows::ROWS, true)] = aliases(rows::ROWS);

/// The dialect.
pub static DIALECT: Dialect = Dialect {
    name: "cursor",
    description: "Cursor: command and prompt hooks in hooks.json",
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
