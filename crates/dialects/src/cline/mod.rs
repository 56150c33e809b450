//! Cline: programs that are called like the event they are for.
//!
//! The contract is "agents' hook contracts, Cline". `DEVIATIONS.md` lists where Pintle differs on purpose.

mod frame;
mod rows;

use std::sync::Arc;

use pintle_contract::{Codec, Profile};

use crate::client_hooks::{
    Client, Clock, Kind, Layout, Means, Settings, Word, aliases, codec_of, count, load_client, mappings,
};
use crate::{Alias, Artifact, Dialect, Mapping, Others, Project, Reading};

/// What is different about it.
pub static CLIENT: Client = Client {
    name: "cline",
    title: "Cline",
    rows: rows::ROWS,
    elsewhere: rows::ELSEWHERE,
    settings: Settings {
        layout: Layout::Flat,
        clock: Clock::Seconds,
        shell: None,
        command_ms: 120_000,
        http_ms: 120_000,
        prompt_ms: 120_000,
        kinds: &[("command", Kind::Command)],
        keys: &["command"],
        lost: &[],
        beside: &[],
        second_names: &[],
        judge: "anthropic/claude-haiku-4-5",
    },
    words: WORDS,
    strict: false,
    statuses: false,
    frame: frame::control,
    environment: &[],
};

/// What a program's output can say.
const WORDS: &[Word] = &[
    Word::top("cancel", Means::Cancel),
    Word::top("review", Means::Review),
    Word::top("errorMessage", Means::Reason),
    Word::top("contextModification", Means::Context),
    Word::top("overrideInput", Means::Input),
];

static EVENTS: [Mapping; count(rows::ROWS, false)] = mappings(rows::ROWS);
static ALIASES: [Alias; count(rows::ROWS, true)] = aliases(rows::ROWS);

/// The dialect.
pub static DIALECT: Dialect = Dialect {
    name: "cline",
    description: "Cline: programs that are called like their event",
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
