//! GitHub Copilot CLI: files of hooks, in its own spelling or in Claude Code's; the name of the event says which.
//!
//! The contract is "agents' hook contracts, GitHub Copilot CLI". `DEVIATIONS.md` lists where Pintle differs on purpose.

mod frame;
mod rows;

use std::sync::Arc;

use pintle_contract::{Codec, Profile, Severity};

use crate::client_hooks::{
    Choice, Client, Clock, Kind, Layout, Means, Settings, Variable, Word, aliases, codec_of, count, load_client,
    mappings,
};
use crate::{Alias, Artifact, Dialect, Mapping, Others, Project, Reading};

/// What is different about it.
pub static CLIENT: Client = Client {
    name: "copilot",
    title: "Copilot CLI",
    rows: rows::ROWS,
    elsewhere: rows::ELSEWHERE,
    settings: Settings {
        layout: Layout::Flat,
        clock: Clock::Seconds,
        shell: Some("bash"),
        command_ms: 30_000,
        http_ms: 30_000,
        prompt_ms: 30_000,
        kinds: &[
            ("command", Kind::Command),
            ("http", Kind::Http),
            ("prompt", Kind::Lost("it is a prompt that Copilot CLI sends in the person's place")),
        ],
        keys: &[
            "type",
            "bash",
            "powershell",
            "command",
            "exec",
            "args",
            "cwd",
            "env",
            "timeoutSec",
            "timeout",
            "matcher",
            "url",
            "headers",
            "linux",
            "osx",
            "windows",
        ],
        lost: &[("comment", Severity::Note, "it is for people")],
        beside: &[],
        second_names: &[("Agent", &["Task"])],
        judge: "openai/gpt-5-mini",
    },
    words: WORDS,
    strict: false,
    statuses: true,
    frame: frame::without_progress,
    environment: &[("COPILOT_PROJECT_DIR", Variable::Project), ("CLAUDE_PROJECT_DIR", Variable::Project)],
};

/// What is decided in the person's place.
const PERMISSION: Means = Means::Permission(&[("allow", Choice::Allow), ("deny", Choice::Deny), ("ask", Choice::Ask)]);

/// What a program's output can say. Both places of a word are read.
const WORDS: &[Word] = &[
    Word::top("permissionDecision", PERMISSION),
    Word::top("permissionDecisionReason", Means::PermissionReason),
    Word::top("modifiedArgs", Means::Input),
    Word::top("modifiedResult", Means::Output(Some("textResultForLlm"))),
    Word::top("additionalContext", Means::Context),
    Word::top("decision", Means::Decision(&[("block", Choice::Deny), ("approve", Choice::Allow)])),
    Word::top("reason", Means::Reason),
    Word::top("behavior", Means::Permission(&[("allow", Choice::Allow), ("deny", Choice::Deny)])),
    Word::top("message", Means::PermissionReason),
    Word::top("interrupt", Means::Lost("the call is refused and the agent goes on")),
    Word::top("continue", Means::Continue),
    Word::top("stopReason", Means::StopReason),
    Word::top("systemMessage", Means::Notice),
    Word::top("suppressOutput", Means::Lost("")),
    Word::top("hookSpecificOutput", Means::Specific),
    Word::inside("hookEventName", Means::EventName),
    Word::inside("permissionDecision", PERMISSION),
    Word::inside("permissionDecisionReason", Means::PermissionReason),
    Word::inside("updatedInput", Means::Input),
    Word::inside("additionalContext", Means::Context),
    // VS Code puts the decision about stopping here.
    Word::inside("decision", Means::Decision(&[("block", Choice::Deny)])),
    Word::inside("reason", Means::Reason),
];

static EVENTS: [Mapping; count(rows::ROWS, false)] = mappings(rows::ROWS);
static ALIASES: [Alias; count(rows::ROWS, true)] = aliases(rows::ROWS);

/// The dialect.
pub static DIALECT: Dialect = Dialect {
    name: "copilot",
    description: "GitHub Copilot CLI: command and http hooks in files of their own",
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
