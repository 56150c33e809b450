//! GitHub Copilot CLI: hook files with its own names or Claude Code's; the event's name decides which.
//!
//! `DEVIATIONS.md` lists where Pintle differs on purpose.

mod events;
mod extract_answer;

use std::sync::Arc;

use pintle_contract::{Codec, Profile, Severity};

use crate::client_hooks::{
    ClientDef, ClientHandlerKind, EnvVariable, FieldChoice, FieldMeaning, HookLayout, OutputField, SettingsFormat,
    TimeUnit, aliases, codec_of, count_events, load_client, mappings,
};
use crate::{Artifact, Dialect, EventAlias, EventMapping, ParseContext, ParsedProject, UnmappedEvents};

/// The definition of the Copilot CLI client.
pub static CLIENT: ClientDef = ClientDef {
    name: "copilot",
    title: "Copilot CLI",
    events: events::ROWS,
    unmapped_events: events::ELSEWHERE,
    settings: SettingsFormat {
        layout: HookLayout::Flat,
        clock: TimeUnit::Seconds,
        shell: Some("bash"),
        command_ms: 30_000,
        http_ms: 30_000,
        prompt_ms: 30_000,
        kinds: &[
            ("command", ClientHandlerKind::Command),
            ("http", ClientHandlerKind::Http),
            ("prompt", ClientHandlerKind::NotCarriedOver("it is a prompt that Copilot CLI sends on the user's behalf")),
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
        not_carried_over: &[("comment", Severity::Note, "it is for human readers")],
        non_event_keys: &[],
        alternate_names: &[("Agent", &["Task"])],
        judge: "openai/gpt-5-mini",
    },
    output_fields: WORDS,
    strict: false,
    statuses: true,
    extract_answer: extract_answer::strip_progress,
    environment: &[("COPILOT_PROJECT_DIR", EnvVariable::Project), ("CLAUDE_PROJECT_DIR", EnvVariable::Project)],
};

/// The values of a permission decision.
const PERMISSION: FieldMeaning =
    FieldMeaning::Permission(&[("allow", FieldChoice::Allow), ("deny", FieldChoice::Deny), ("ask", FieldChoice::Ask)]);

/// The output fields of its hooks. A field is read at both levels.
const WORDS: &[OutputField] = &[
    OutputField::top_level("permissionDecision", PERMISSION),
    OutputField::top_level("permissionDecisionReason", FieldMeaning::PermissionReason),
    OutputField::top_level("modifiedArgs", FieldMeaning::Input),
    OutputField::top_level("modifiedResult", FieldMeaning::Output(Some("textResultForLlm"))),
    OutputField::top_level("additionalContext", FieldMeaning::Context),
    OutputField::top_level(
        "decision",
        FieldMeaning::Decision(&[("block", FieldChoice::Deny), ("approve", FieldChoice::Allow)]),
    ),
    OutputField::top_level("reason", FieldMeaning::Reason),
    OutputField::top_level(
        "behavior",
        FieldMeaning::Permission(&[("allow", FieldChoice::Allow), ("deny", FieldChoice::Deny)]),
    ),
    OutputField::top_level("message", FieldMeaning::PermissionReason),
    OutputField::top_level("interrupt", FieldMeaning::NotCarriedOver("the call is denied and the agent continues")),
    OutputField::top_level("continue", FieldMeaning::Continue),
    OutputField::top_level("stopReason", FieldMeaning::StopReason),
    OutputField::top_level("systemMessage", FieldMeaning::Notice),
    OutputField::top_level("suppressOutput", FieldMeaning::NotCarriedOver("")),
    OutputField::top_level("hookSpecificOutput", FieldMeaning::Specific),
    OutputField::nested("hookEventName", FieldMeaning::EventName),
    OutputField::nested("permissionDecision", PERMISSION),
    OutputField::nested("permissionDecisionReason", FieldMeaning::PermissionReason),
    OutputField::nested("updatedInput", FieldMeaning::Input),
    OutputField::nested("additionalContext", FieldMeaning::Context),
    // VS Code puts the stop decision here.
    OutputField::nested("decision", FieldMeaning::Decision(&[("block", FieldChoice::Deny)])),
    OutputField::nested("reason", FieldMeaning::Reason),
];

static EVENTS: [EventMapping; count_events(events::ROWS, false)] = mappings(events::ROWS);
static ALIASES: [EventAlias; count_events(events::ROWS, true)] = aliases(events::ROWS);

/// The Copilot CLI dialect.
pub static DIALECT: Dialect = Dialect {
    name: "copilot",
    description: "GitHub Copilot CLI: command and http hooks in separate files",
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

/// Loads Copilot CLI's files.
#[must_use]
pub fn load(artifacts: &[Artifact], _reading: &ParseContext<'_>) -> ParsedProject {
    load_client(&CLIENT, artifacts)
}
