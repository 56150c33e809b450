//! Cursor: hooks in `hooks.json`. Written from its documentation and third-party recordings of 3.9.
//!
//! `DEVIATIONS.md` lists where Pintle differs on purpose.

mod events;
mod response;

use pintle_contract::Severity;
use serde_json::json;

use crate::claude_code::HANDLER;
use crate::client::hook_event_name;
use crate::install::{EntryFormat, HandlerFormat, InstallSpec, SettingsLocation};
use crate::{
    AgentMarks, ClientDef, ClientFileLocation, ClientHandlerKind, FieldChoice, FieldMeaning, GuardedPaths, HookLayout,
    OutputField, SettingsFormat, host,
};

/// Cursor.
pub static CLIENT: ClientDef = ClientDef {
    name: "cursor",
    title: "Cursor",
    events: events::ROWS,
    tools: &pintle_tools::CURSOR,
    dialect: Some("cursor"),
    description: "Cursor: command and prompt hooks in hooks.json",
    files: &[ClientFileLocation::json(".cursor/hooks.json")],
    unmapped_events: events::ELSEWHERE,
    settings: SettingsFormat {
        layout: HookLayout::Flat,
        kinds: &[("command", ClientHandlerKind::Command), ("prompt", ClientHandlerKind::Prompt)],
        keys: &[&["command", "type", "timeout", "failClosed", "matcher", "prompt", "model"]],
        not_carried_over: &[("loop_limit", Severity::Note, "the agent's own limit on continuing applies")],
        ..SettingsFormat::COMMON
    },
    output_fields: WORDS,
    guarded: GuardedPaths {
        relative: &[],
        managed: &["/etc/cursor", "/Library/Application Support/Cursor/hooks.json"],
        variables: &[],
    },
    marks: AgentMarks {
        programs: &["cursor", "cursor-agent"],
        packages: &["cursor-agent"],
        variables: &["CURSOR_AGENT"],
    },
    install: InstallSpec {
        program: "cursor",
        managed: Some(SettingsLocation::managed(
            "etc/cursor/hooks.json",
            "Library/Application Support/Cursor/hooks.json",
        )),
        user: SettingsLocation { variable: "", folder: ".cursor", file: "hooks.json" },
        project: SettingsLocation { variable: "", folder: ".cursor", file: "hooks.json" },
        form: EntryFormat::Flat(HandlerFormat {
            file_head: &[("version", 1)],
            build: |command, timeout_ms| json!({"command": command, "timeout": timeout_ms.div_ceil(1_000)}),
            ..HANDLER
        }),
        hints: |_| {
            vec![String::from(
                "support for Cursor follows its documentation and has not been tested with Cursor itself",
            )]
        },
        ..InstallSpec::COMMON
    },
    project_variable: Some("CURSOR_PROJECT_DIR"),
    unhooked_actions: &["its built-in code search"],
    recognise: |payload| {
        let has = |name: &str| host::has(payload, name);
        hook_event_name(payload).filter(|_| has("cursor_version") || (has("conversation_id") && has("generation_id")))
    },
    ..ClientDef::COMMON
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
