//! Cursor: hooks in `hooks.json`.
//!
//! `DEVIATIONS.md` lists where Pintle differs on purpose.

mod events;

use std::sync::Arc;

use pintle_contract::{Codec, Profile, Severity};

use crate::client_hooks::{
    ClientDef, ClientHandlerKind, FieldChoice, FieldMeaning, HookLayout, OutputField, SettingsFormat, TimeUnit,
    aliases, codec_of, count_events, load_client, mappings, unchanged_output,
};
use crate::{Artifact, Dialect, EventAlias, EventMapping, ParseContext, ParsedProject, UnmappedEvents};

/// The definition of the Cursor client.
pub static CLIENT: ClientDef = ClientDef {
    name: "cursor",
    title: "Cursor",
    events: events::ROWS,
    unmapped_events: events::ELSEWHERE,
    settings: SettingsFormat {
        layout: HookLayout::Flat,
        clock: TimeUnit::Seconds,
        shell: None,
        command_ms: 60_000,
        http_ms: 60_000,
        prompt_ms: 60_000,
        kinds: &[("command", ClientHandlerKind::Command), ("prompt", ClientHandlerKind::Prompt)],
        keys: &["command", "type", "timeout", "failClosed", "matcher", "prompt", "model"],
        not_carried_over: &[("loop_limit", Severity::Note, "the agent's own limit on continuing applies")],
        non_event_keys: &[],
        alternate_names: &[],
        judge: "anthropic/claude-haiku-4-5",
    },
    output_fields: WORDS,
    strict: false,
    statuses: true,
    extract_answer: unchanged_output,
    environment: &[],
};

/// The output fields of its hooks.
const WORDS: &[OutputField] = &[
    OutputField::top_level(
        "permission",
        FieldMeaning::Permission(&[
            // Cursor does not skip its own prompts for it either.
            ("allow", FieldChoice::Pass),
            ("deny", FieldChoice::Deny),
            ("ask", FieldChoice::Ask),
        ]),
    ),
    OutputField::top_level("continue", FieldMeaning::Continue),
    OutputField::top_level("agent_message", FieldMeaning::Reason),
    OutputField::top_level("user_message", FieldMeaning::ReasonOrNotice),
    OutputField::top_level("updated_input", FieldMeaning::Input),
    OutputField::top_level("additional_context", FieldMeaning::Context),
    OutputField::top_level("updated_mcp_tool_output", FieldMeaning::Output(None)),
    OutputField::top_level("followup_message", FieldMeaning::Followup),
    OutputField::top_level(
        "env",
        FieldMeaning::NotCarriedOver("variables set by a hook are not passed to later hooks"),
    ),
];

static EVENTS: [EventMapping; count_events(events::ROWS, false)] = mappings(events::ROWS);
static ALIASES: [EventAlias; count_events(events::ROWS, true)] = aliases(events::ROWS);

/// The Cursor dialect.
pub static DIALECT: Dialect = Dialect {
    name: "cursor",
    description: "Cursor: command and prompt hooks in hooks.json",
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

/// Loads Cursor's files.
#[must_use]
pub fn load(artifacts: &[Artifact], _reading: &ParseContext<'_>) -> ParsedProject {
    load_client(&CLIENT, artifacts)
}
