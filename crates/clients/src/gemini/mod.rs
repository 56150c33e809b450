//! Gemini CLI, tested with 0.61.0: hooks in its settings files.
//!
//! `DEVIATIONS.md` lists where Pintle differs on purpose.

mod events;
mod response;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use crate::install::{EntryFormat, HandlerFormat, InstallScope, InstallSpec, SettingsLocation};
use crate::{
    AgentMarks, ClientDef, ClientFileLocation, EnvVariable, FieldChoice, FieldMeaning, GuardedPaths, OutputField,
    SettingsFormat, TimeUnit, claude_code, host, transcript,
};

/// Gemini CLI.
pub static CLIENT: ClientDef = ClientDef {
    name: "gemini",
    title: "Gemini CLI",
    transcript: Some(transcript::gemini_line),
    tried_version: "0.61.0",
    events: events::ROWS,
    tools: &pintle_tools::GEMINI,
    dialect: Some("gemini"),
    description: "Gemini CLI: command hooks in settings files",
    files: &[ClientFileLocation::json(".gemini/settings.json")],
    unmapped_events: events::ELSEWHERE,
    settings: SettingsFormat {
        clock: TimeUnit::Milliseconds,
        shell: Some("bash"),
        keys: &[&["type", "command", "name", "timeout", "description", "env"]],
        non_event_keys: &["enabled", "disabled", "notifications"],
        judge: "gemini/gemini-2.5-flash",
        ..SettingsFormat::COMMON
    },
    output_fields: WORDS,
    environment: &[
        ("GEMINI_PROJECT_DIR", EnvVariable::Project),
        ("GEMINI_SESSION_ID", EnvVariable::Session),
        ("GEMINI_CWD", EnvVariable::Directory),
        ("CLAUDE_PROJECT_DIR", EnvVariable::Project),
    ],
    guarded: GuardedPaths {
        relative: &[".gemini/trustedFolders.json"],
        managed: &["/etc/gemini-cli", "/Library/Application Support/GeminiCli"],
        variables: &[
            "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
            "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
            "GEMINI_CLI_TRUSTED_FOLDERS_PATH",
        ],
    },
    marks: AgentMarks {
        programs: &["gemini"],
        packages: &["@google/gemini-cli"],
        variables: &["GEMINI_CLI", "GEMINI_SESSION_ID", "GEMINI_CLI_NO_RELAUNCH"],
    },
    install: InstallSpec {
        program: "gemini",
        managed: Some(
            SettingsLocation::managed(
                "etc/gemini-cli/settings.json",
                "Library/Application Support/GeminiCli/settings.json",
            )
            .named_by("GEMINI_CLI_SYSTEM_SETTINGS_PATH"),
        ),
        managed_switches: &[(&["hooksConfig", "enabled"], true)],
        user: SettingsLocation { variable: "", folder: ".gemini", file: "settings.json" },
        project: SettingsLocation { variable: "", folder: ".gemini", file: "settings.json" },
        form: EntryFormat::Groups(HandlerFormat {
            build: |command, timeout_ms| json!({"type": "command", "name": "pintle", "command": command, "timeout": timeout_ms}),
            timeout_ms: |handler| handler.get("timeout").and_then(Value::as_u64).unwrap_or_default(),
            ..claude_code::HANDLER
        }),
        shell: &["bash", "-c"],
        hints: install_hints,
        ..InstallSpec::COMMON
    },
    project_variable: Some("GEMINI_PROJECT_DIR"),
    unhooked_actions: &[
        "anything in an untrusted directory, where it runs no hooks",
        "commands in the text of a slash command that is typed (`!{…}` in `.gemini/commands`)",
    ],
    recognise,
    ..ClientDef::COMMON
};

fn recognise(payload: &Value) -> Option<&str> {
    let has = |name: &str| host::has(payload, name);
    let is_gemini = has("timestamp") && has("transcript_path") && !has("permission_mode");
    host::event_of_session(payload).filter(|_| is_gemini)
}

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

fn install_hints(scope: InstallScope) -> Vec<String> {
    let trust = "Gemini CLI runs no hooks at all in an untrusted directory; in CI set";
    match scope {
        InstallScope::Managed => {
            let shared =
                "a project's `hooksConfig.disabled` can still name the entry `pintle`; `pintle doctor` shows it";
            vec![format!("{trust} `GEMINI_CLI_TRUST_WORKSPACE=true` or use `--skip-trust`"), String::from(shared)]
        }
        InstallScope::User => vec![format!("{trust} `GEMINI_CLI_TRUST_WORKSPACE=true` or use `--skip-trust`")],
        InstallScope::Project => vec![format!("{trust} `GEMINI_CLI_TRUST_WORKSPACE=true`")],
    }
}
