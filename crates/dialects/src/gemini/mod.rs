//! Gemini CLI: hooks in its settings files.
//!
//! `DEVIATIONS.md` lists where Pintle differs on purpose.

mod events;

use std::sync::Arc;

use pintle_contract::{Codec, Profile};

use crate::client_hooks::{
    ClientDef, ClientHandlerKind, EnvVariable, FieldChoice, FieldMeaning, HookLayout, OutputField, SettingsFormat,
    TimeUnit, aliases, codec_of, count_events, load_client, mappings, unchanged_output,
};
use crate::{Artifact, Dialect, EventAlias, EventMapping, ParseContext, ParsedProject, UnmappedEvents};

/// The definition of the Gemini CLI client.
pub static CLIENT: ClientDef = ClientDef {
    name: "gemini",
    title: "Gemini CLI",
    events: events::ROWS,
    unmapped_events: events::ELSEWHERE,
    settings: SettingsFormat {
        layout: HookLayout::Groups,
        clock: TimeUnit::Milliseconds,
        shell: Some("bash"),
        command_ms: 60_000,
        http_ms: 60_000,
        prompt_ms: 60_000,
        kinds: &[("command", ClientHandlerKind::Command)],
        keys: &["type", "command", "name", "timeout", "description", "env"],
        not_carried_over: &[],
        non_event_keys: &["enabled", "disabled", "notifications"],
        alternate_names: &[],
        judge: "gemini/gemini-2.5-flash",
    },
    output_fields: WORDS,
    strict: false,
    statuses: true,
    extract_answer: unchanged_output,
    environment: &[
        ("GEMINI_PROJECT_DIR", EnvVariable::Project),
        ("GEMINI_SESSION_ID", EnvVariable::Session),
        ("GEMINI_CWD", EnvVariable::Directory),
        ("CLAUDE_PROJECT_DIR", EnvVariable::Project),
    ],
};

/// The reason for fields that change model requests and responses.
const OF_THE_MODEL: &str = "Pintle does not let a Gemini CLI hook change model requests or responses";

/// The output fields of its hooks.
const WORDS: &[OutputField] = &[
    OutputField::top_level(
        "decision",
        FieldMeaning::Decision(&[
            // Gemini CLI does not skip its own prompts for it either.
            ("allow", FieldChoice::Pass),
            ("approve", FieldChoice::Pass),
            ("deny", FieldChoice::Deny),
            ("block", FieldChoice::Deny),
            ("ask", FieldChoice::Ask),
        ]),
    ),
    OutputField::top_level("reason", FieldMeaning::Reason),
    OutputField::top_level("continue", FieldMeaning::Continue),
    OutputField::top_level("stopReason", FieldMeaning::StopReason),
    OutputField::top_level("systemMessage", FieldMeaning::Notice),
    OutputField::top_level("suppressOutput", FieldMeaning::NotCarriedOver("")),
    OutputField::top_level("hookSpecificOutput", FieldMeaning::Specific),
    OutputField::nested("hookEventName", FieldMeaning::EventName),
    OutputField::nested("tool_input", FieldMeaning::Input),
    OutputField::nested("additionalContext", FieldMeaning::Context),
    OutputField::nested("tailToolCallRequest", FieldMeaning::NotCarriedOver("a hook cannot call another tool")),
    OutputField::nested("llm_request", FieldMeaning::NotCarriedOver(OF_THE_MODEL)),
    OutputField::nested("llm_response", FieldMeaning::NotCarriedOver(OF_THE_MODEL)),
    OutputField::nested("toolConfig", FieldMeaning::NotCarriedOver(OF_THE_MODEL)),
    OutputField::nested("clearContext", FieldMeaning::NotCarriedOver("Pintle does not clear the conversation")),
];

static EVENTS: [EventMapping; count_events(events::ROWS, false)] = mappings(events::ROWS);
static ALIASES: [EventAlias; count_events(events::ROWS, true)] = aliases(events::ROWS);

/// The Gemini CLI dialect.
pub static DIALECT: Dialect = Dialect {
    name: "gemini",
    description: "Gemini CLI: command hooks in settings files",
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

/// Loads Gemini CLI's files.
#[must_use]
pub fn load(artifacts: &[Artifact], _reading: &ParseContext<'_>) -> ParsedProject {
    load_client(&CLIENT, artifacts)
}
