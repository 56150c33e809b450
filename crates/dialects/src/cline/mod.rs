//! Cline: programs named after the event that they are for.
//!
//! `DEVIATIONS.md` lists where Pintle differs on purpose.

mod events;
mod extract_answer;

use std::sync::Arc;

use pintle_contract::{Codec, Profile};

use crate::client_hooks::{
    ClientDef, ClientHandlerKind, FieldMeaning, HookLayout, OutputField, SettingsFormat, TimeUnit, aliases, codec_of,
    count_events, load_client, mappings,
};
use crate::{Artifact, Dialect, EventAlias, EventMapping, ParseContext, ParsedProject, UnmappedEvents};

/// The definition of the Cline client.
pub static CLIENT: ClientDef = ClientDef {
    name: "cline",
    title: "Cline",
    events: events::ROWS,
    unmapped_events: events::ELSEWHERE,
    settings: SettingsFormat {
        layout: HookLayout::Flat,
        clock: TimeUnit::Seconds,
        shell: None,
        command_ms: 120_000,
        http_ms: 120_000,
        prompt_ms: 120_000,
        kinds: &[("command", ClientHandlerKind::Command)],
        keys: &["command"],
        not_carried_over: &[],
        non_event_keys: &[],
        alternate_names: &[],
        judge: "anthropic/claude-haiku-4-5",
    },
    output_fields: WORDS,
    strict: false,
    statuses: false,
    extract_answer: extract_answer::extract_control_line,
    environment: &[],
};

/// The output fields of its hooks.
const WORDS: &[OutputField] = &[
    OutputField::top_level("cancel", FieldMeaning::Cancel),
    OutputField::top_level("review", FieldMeaning::Review),
    OutputField::top_level("errorMessage", FieldMeaning::Reason),
    OutputField::top_level("contextModification", FieldMeaning::Context),
    OutputField::top_level("overrideInput", FieldMeaning::Input),
];

static EVENTS: [EventMapping; count_events(events::ROWS, false)] = mappings(events::ROWS);
static ALIASES: [EventAlias; count_events(events::ROWS, true)] = aliases(events::ROWS);

/// The Cline dialect.
pub static DIALECT: Dialect = Dialect {
    name: "cline",
    description: "Cline: programs named after their event",
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

/// Loads Cline's files.
#[must_use]
pub fn load(artifacts: &[Artifact], _reading: &ParseContext<'_>) -> ParsedProject {
    load_client(&CLIENT, artifacts)
}
