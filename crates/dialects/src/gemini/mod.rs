//! Gemini CLI: hooks in its settings files.
//!
//! The contract is "agents' hook contracts, Gemini CLI". `DEVIATIONS.md` lists where Pintle differs on purpose.

mod rows;

use std::sync::Arc;

use pintle_contract::{Codec, Profile};

use crate::client_hooks::{
    Choice, Client, Clock, Kind, Layout, Means, Settings, Variable, Word, aliases, codec_of, count, load_client,
    mappings, whole,
};
use crate::{Alias, Artifact, Dialect, Mapping, Others, Project, Reading};

/// What is different about it.
pub static CLIENT: Client = Client {
    name: "gemini",
    title: "Gemini CLI",
    rows: rows::ROWS,
    elsewhere: rows::ELSEWHERE,
    settings: Settings {
        layout: Layout::Groups,
        clock: Clock::Milliseconds,
        shell: Some("bash"),
        command_ms: 60_000,
        http_ms: 60_000,
        prompt_ms: 60_000,
        kinds: &[("command", Kind::Command)],
        keys: &["type", "command", "name", "timeout", "description", "env"],
        lost: &[],
        beside: &["enabled", "disabled", "notifications"],
        second_names: &[],
        judge: "gemini/gemini-2.5-flash",
    },
    words: WORDS,
    strict: false,
    statuses: true,
    frame: whole,
    environment: &[
        ("GEMINI_PROJECT_DIR", Variable::Project),
        ("GEMINI_SESSION_ID", Variable::Session),
        ("GEMINI_CWD", Variable::Directory),
        ("CLAUDE_PROJECT_DIR", Variable::Project),
    ],
};

/// Why requests and answers of the model are not carried over.
const OF_THE_MODEL: &str = "a hook of Gemini CLI cannot change here what the model is sent or says";

/// What a program's output can say.
const WORDS: &[Word] = &[
    Word::top(
        "decision",
        Means::Decision(&[
            // It spares no question there either.
            ("allow", Choice::Pass),
            ("approve", Choice::Pass),
            ("deny", Choice::Deny),
            ("block", Choice::Deny),
            ("ask", Choice::Ask),
        ]),
    ),
    Word::top("reason", Means::Reason),
    Word::top("continue", Means::Continue),
    Word::top("stopReason", Means::StopReason),
    Word::top("systemMessage", Means::Notice),
    Word::top("suppressOutput", Means::Lost("")),
    Word::top("hookSpecificOutput", Means::Specific),
    Word::inside("hookEventName", Means::EventName),
    Word::inside("tool_input", Means::Input),
    Word::inside("additionalContext", Means::Context),
    Word::inside("tailToolCallRequest", Means::Lost("a hook cannot call another tool here")),
    Word::inside("llm_request", Means::Lost(OF_THE_MODEL)),
    Word::inside("llm_response", Means::Lost(OF_THE_MODEL)),
    Word::inside("toolConfig", Means::Lost(OF_THE_MODEL)),
    Word::inside("clearContext", Means::Lost("the conversation stays as it is")),
];

static EVENTS: [Mapping; count(rows::ROWS, false)] = mappings(rows::ROWS);
static ALIASES: [Alias; count(rows::ROWS, true)] = aliases(rows::ROWS);

/// The dialect.
pub static DIALECT: Dialect = Dialect {
    name: "gemini",
    description: "Gemini CLI: command hooks in settings files",
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
