//! OpenAI Codex CLI: hooks in `hooks.json`, or below `[hooks]` in `config.toml`.
//!
//! `DEVIATIONS.md` lists where Pintle differs on purpose: output is read as strictly as Codex does, but invalid output
//! does not silently allow the event.

mod events;

use std::sync::Arc;

use pintle_contract::{Codec, Profile, Severity};

use crate::client_hooks::{
    ClientDef, ClientHandlerKind, FieldChoice, FieldMeaning, HookLayout, OutputField, SettingsFormat, TimeUnit,
    aliases, codec_of, count_events, load_client, mappings, unchanged_output,
};
use crate::{Artifact, Dialect, EventAlias, EventMapping, ParseContext, ParsedProject, UnmappedEvents};

/// The definition of the Codex client.
pub static CLIENT: ClientDef = ClientDef {
    name: "codex",
    title: "Codex",
    events: events::ROWS,
    unmapped_events: events::ELSEWHERE,
    settings: SettingsFormat {
        layout: HookLayout::Groups,
        clock: TimeUnit::Seconds,
        shell: Some("bash"),
        command_ms: 600_000,
        http_ms: 600_000,
        prompt_ms: 30_000,
        kinds: &[
            ("command", ClientHandlerKind::Command),
            (
                "mcp_tool",
                ClientHandlerKind::NotCarriedOver(
                    "Pintle cannot call tools of the MCP servers that Codex is connected to",
                ),
            ),
            ("prompt", ClientHandlerKind::NotCarriedOver("Codex does not run it either")),
            ("agent", ClientHandlerKind::NotCarriedOver("Codex does not run it either")),
        ],
        keys: &["type", "command", "timeout", "async"],
        not_carried_over: &[
            ("statusMessage", Severity::Note, "Pintle shows no status while a hook runs"),
            ("commandWindows", Severity::Note, "`command` is used on this system"),
        ],
        // Codex stores what the user trusts below this key.
        non_event_keys: &["state"],
        alternate_names: &[("apply_patch", &["Write", "Edit"])],
        judge: "openai/gpt-5-mini",
    },
    output_fields: WORDS,
    strict: true,
    statuses: true,
    extract_answer: unchanged_output,
    environment: &[],
};

/// The output fields of its hooks.
const WORDS: &[OutputField] = &[
    OutputField::top_level("continue", FieldMeaning::Continue),
    OutputField::top_level("stopReason", FieldMeaning::StopReason),
    OutputField::top_level("suppressOutput", FieldMeaning::NotCarriedOver("")),
    OutputField::top_level("systemMessage", FieldMeaning::Notice),
    OutputField::top_level("decision", FieldMeaning::Decision(&[("block", FieldChoice::Deny)])),
    OutputField::top_level("reason", FieldMeaning::Reason),
    OutputField::top_level("hookSpecificOutput", FieldMeaning::Specific),
    OutputField::nested("hookEventName", FieldMeaning::EventName),
    OutputField::nested(
        "permissionDecision",
        FieldMeaning::Permission(&[("deny", FieldChoice::Deny), ("allow", FieldChoice::AllowInput)]),
    ),
    OutputField::nested("permissionDecisionReason", FieldMeaning::PermissionReason),
    OutputField::nested("updatedInput", FieldMeaning::Input),
    OutputField::nested("additionalContext", FieldMeaning::Context),
    OutputField::nested("decision", FieldMeaning::Behavior),
];

static EVENTS: [EventMapping; count_events(events::ROWS, false)] = mappings(events::ROWS);
static ALIASES: [EventAlias; count_events(events::ROWS, true)] = aliases(events::ROWS);

/// The Codex dialect.
pub static DIALECT: Dialect = Dialect {
    name: "codex",
    description: "OpenAI Codex CLI: command hooks in hooks.json or config.toml",
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

/// Loads Codex's files.
#[must_use]
pub fn load(artifacts: &[Artifact], _reading: &ParseContext<'_>) -> ParsedProject {
    load_client(&CLIENT, artifacts)
}
