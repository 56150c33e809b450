//! Qwen Code, tested with 0.24.4: the events and responses of Claude Code, and the tools of Gemini CLI.
//!
//! `DEVIATIONS.md` lists where Pintle differs on purpose.

mod events;
mod response;
#[cfg(test)]
mod tests;

use pintle_contract::Severity;
use serde_json::{Value, json};

use crate::install::{EntryFormat, HandlerFormat, InstallSpec, SettingsLocation, seconds_field};
use crate::settings::{HTTP_KEYS, PROMPT_KEYS};
use crate::{
    AgentMarks, ClientDef, ClientFileLocation, ClientHandlerKind, EnvVariable, GuardedPaths, SettingsFormat, TimeUnit,
    claude_code, host, transcript,
};

/// Qwen Code.
pub static CLIENT: ClientDef = ClientDef {
    name: "qwen",
    title: "Qwen Code",
    transcript: Some(transcript::qwen_line),
    tried_version: "0.24.4",
    unhooked_actions: &["commands in the text of a slash command that is typed (`!{…}` in `.qwen/commands`)"],
    events: events::ROWS,
    tools: &pintle_tools::QWEN,
    dialect: Some("qwen"),
    description: "Qwen Code: command, http and prompt hooks in settings files",
    files: &[ClientFileLocation::json(".qwen/settings.json")],
    unmapped_events: events::ELSEWHERE,
    settings: SettingsFormat {
        clock: TimeUnit::SecondsOrMilliseconds,
        shell: Some("bash"),
        http_ms: 600_000,
        prompt_ms: 30_000,
        kinds: &[
            ("command", ClientHandlerKind::Command),
            ("http", ClientHandlerKind::Http),
            ("prompt", ClientHandlerKind::Prompt),
            ("function", ClientHandlerKind::NotCarriedOver("it is a function inside Qwen Code")),
        ],
        keys: &[
            &["type", "command", "name", "description", "timeout", "async", "env", "shell"],
            HTTP_KEYS,
            PROMPT_KEYS,
            &["if"],
        ],
        not_carried_over: &[
            ("statusMessage", Severity::Note, "Pintle shows no status while a hook runs"),
            ("once", Severity::Warning, "the hook runs every time"),
        ],
        non_event_keys: &["enabled", "disabled"],
        alternate_names: &[
            ("run_shell_command", &["Bash", "Shell"]),
            ("write_file", &["Write", "WriteFile"]),
            ("edit", &["Edit", "MultiEdit"]),
            ("read_file", &["Read", "ReadFile"]),
            ("glob", &["Glob"]),
            ("grep_search", &["Grep"]),
            ("web_fetch", &["WebFetch"]),
            ("agent", &["Agent", "Task"]),
        ],
        judge: "openai/gpt-5-mini",
        ..SettingsFormat::COMMON
    },
    output_fields: claude_code::WORDS,
    environment: &[
        ("QWEN_PROJECT_DIR", EnvVariable::Project),
        ("QWEN_CODE_SESSION_ID", EnvVariable::Session),
        ("GEMINI_PROJECT_DIR", EnvVariable::Project),
        ("CLAUDE_PROJECT_DIR", EnvVariable::Project),
    ],
    guarded: GuardedPaths {
        relative: &[".qwen/trustedFolders.json"],
        managed: &["/etc/qwen-code", "/Library/Application Support/QwenCode"],
        variables: &[
            "QWEN_CODE_SYSTEM_SETTINGS_PATH",
            "QWEN_CODE_SYSTEM_DEFAULTS_PATH",
            "QWEN_CODE_TRUSTED_FOLDERS_PATH",
        ],
    },
    marks: AgentMarks {
        programs: &["qwen"],
        packages: &["@qwen-code/qwen-code"],
        variables: &["QWEN_CODE", "QWEN_CODE_CLI", "QWEN_CODE_SESSION_ID", "QWEN_CODE_NO_RELAUNCH"],
    },
    install: InstallSpec {
        program: "qwen",
        managed: Some(
            SettingsLocation::managed(
                "etc/qwen-code/settings.json",
                "Library/Application Support/QwenCode/settings.json",
            )
            .named_by("QWEN_CODE_SYSTEM_SETTINGS_PATH"),
        ),
        managed_switches: &[(&["disableAllHooks"], false)],
        user: SettingsLocation { variable: "", folder: ".qwen", file: "settings.json" },
        project: SettingsLocation { variable: "", folder: ".qwen", file: "settings.json" },
        form: EntryFormat::Groups(HandlerFormat {
            build: |command, timeout_ms| {
                let timeout = timeout_ms.div_ceil(1_000);
                json!({"type": "command", "name": "pintle", "command": command, "timeout": timeout})
            },
            // Qwen Code takes numbers from 1000 on as milliseconds.
            timeout_ms: |handler| match seconds_field(handler, "timeout") {
                timeout_ms @ 1_000_000.. => timeout_ms / 1_000,
                timeout_ms => timeout_ms,
            },
            ..claude_code::HANDLER
        }),
        shell: &["bash", "-c"],
        hints: |_| {
            vec![String::from(
                "in yolo mode Qwen Code ignores rewrites, so a call that a hook rewrites is denied there",
            )]
        },
        ..InstallSpec::COMMON
    },
    project_variable: Some("QWEN_PROJECT_DIR"),
    recognise,
    ..ClientDef::COMMON
};

fn recognise(payload: &Value) -> Option<&str> {
    let is_qwen = ["timestamp", "transcript_path", "permission_mode"].iter().all(|name| host::has(payload, name));
    host::event_of_session(payload).filter(|_| is_qwen)
}
