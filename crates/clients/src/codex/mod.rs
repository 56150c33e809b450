//! OpenAI Codex CLI, tested with 0.171.0: hooks in `hooks.json`, or below `[hooks]` in `config.toml`.
//!
//! `DEVIATIONS.md` lists where Pintle differs on purpose: output is read as strictly as Codex does, but invalid output
//! does not silently allow the event.

mod events;
mod response;

use pintle_contract::Severity;
use serde_json::Value;

use crate::claude_code::HANDLER;
use crate::install::{EntryFormat, InstallScope, InstallSpec, SettingsLocation};
use crate::{
    AgentMarks, ClientDef, ClientFileLocation, ClientHandlerKind, FieldChoice, FieldMeaning, FileFormat, GuardedPaths,
    LocationKind, OutputField, SettingsFormat, host, transcript,
};

/// Codex CLI.
pub static CLIENT: ClientDef = ClientDef {
    name: "codex",
    title: "Codex",
    transcript: Some(transcript::codex_line),
    tried_version: "0.171.0",
    events: events::ROWS,
    tools: &pintle_tools::CODEX,
    dialect: Some("codex"),
    description: "OpenAI Codex CLI: command hooks in hooks.json or config.toml",
    files: &[
        ClientFileLocation::json(".codex/hooks.json"),
        ClientFileLocation { path: ".codex/config.toml", kind: LocationKind::File, format: FileFormat::Toml },
    ],
    unmapped_events: events::ELSEWHERE,
    settings: SettingsFormat {
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
        keys: &[&["type", "command", "timeout", "async"]],
        not_carried_over: &[
            ("statusMessage", Severity::Note, "Pintle shows no status while a hook runs"),
            ("commandWindows", Severity::Note, "`command` is used on this system"),
        ],
        // Codex stores what the user trusts below this key.
        non_event_keys: &["state"],
        alternate_names: &[("apply_patch", &["Write", "Edit"])],
        judge: "openai/gpt-5-mini",
        ..SettingsFormat::COMMON
    },
    output_fields: WORDS,
    strict: true,
    guarded: GuardedPaths { relative: &[".codex/requirements.toml"], managed: &["/etc/codex"], variables: &[] },
    marks: AgentMarks {
        programs: &["codex"],
        packages: &["@openai/codex"],
        variables: &[
            "CODEX_SANDBOX",
            "CODEX_SANDBOX_NETWORK_DISABLED",
            "CODEX_CI",
            "CODEX_THREAD_ID",
            "CODEX_MANAGED_PACKAGE_ROOT",
        ],
    },
    install: InstallSpec {
        program: "codex",
        // The hooks of its system-wide configuration are managed: they need no review, and no user can disable them.
        managed: Some(SettingsLocation::managed("etc/codex/hooks.json", "etc/codex/hooks.json")),
        user: SettingsLocation { variable: "CODEX_HOME", folder: ".codex", file: "hooks.json" },
        project: SettingsLocation { variable: "", folder: ".codex", file: "hooks.json" },
        form: EntryFormat::Groups(HANDLER),
        timeout_limits: &[("SessionEnd", 3_000), ("Interrupt", 3_000)],
        shell: &["/bin/bash", "-c"],
        hints: install_hints,
        ..InstallSpec::COMMON
    },
    unhooked_actions: &[
        "input that it types into an open terminal session (`write_stdin`)",
        "web search, and some paths of its code mode",
    ],
    recognise,
    ..ClientDef::COMMON
};

fn recognise(payload: &Value) -> Option<&str> {
    let has = |name: &str| host::has(payload, name);
    let is_claude = host::is_codex_transcript(payload) == Some(false) || has("prompt_id");
    host::event_of_session(payload).filter(|_| !is_claude && !has("timestamp"))
}

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

fn install_hints(scope: InstallScope) -> Vec<String> {
    if scope == InstallScope::Managed {
        return vec![String::from(
            "a `config.toml` can still switch all hooks off, unless `/etc/codex/requirements.toml` has `hooks = true` \
             below `[features]`",
        )];
    }
    let mut hints = vec![
        String::from(
            "Codex silently skips hooks that have not been reviewed: start `codex` and trust them in `/hooks`",
        ),
        String::from("in CI, run `codex exec --dangerously-bypass-hook-trust` instead"),
    ];
    if scope == InstallScope::Project {
        hints.push(String::from("project hooks run only in a trusted project: run `codex exec --trust` once"));
    }
    hints
}
