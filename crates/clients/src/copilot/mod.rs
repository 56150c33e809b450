//! GitHub Copilot CLI, tested with 1.0.102: hook files with its own names or Claude Code's.
//!
//! The name of an event selects the format of its payload: `preToolUse` uses Copilot's own fields, `PreToolUse` those
//! of Claude Code. Pintle installs the former; the latter serve files that are written for both. `DEVIATIONS.md` lists
//! where Pintle differs on purpose.

mod events;
mod response;

use std::borrow::Cow;

use pintle_contract::{Severity, read_json};
use serde_json::{Map, Value, json};

use crate::client::no_event_name;
use crate::install::{EntryFormat, HandlerFormat, InstallScope, InstallSpec, SettingsLocation, seconds_field};
use crate::refusal::refuses;
use crate::{
    AgentMarks, ClientDef, ClientFileLocation, ClientHandlerKind, EnvVariable, FieldChoice, FieldMeaning, GuardedPaths,
    HookLayout, OutputField, SettingsFormat, host,
};

/// Copilot CLI.
pub static CLIENT: ClientDef = ClientDef {
    name: "copilot",
    title: "Copilot CLI",
    tried_version: "1.0.102",
    events: events::ROWS,
    tools: &pintle_tools::COPILOT,
    dialect: Some("copilot"),
    description: "GitHub Copilot CLI: command and http hooks in separate files",
    files: &[ClientFileLocation::documents(".github/hooks"), ClientFileLocation::documents(".copilot/hooks")],
    unmapped_events: events::ELSEWHERE,
    settings: SettingsFormat {
        layout: HookLayout::Flat,
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
            &["type", "bash", "powershell", "command", "exec", "args", "cwd", "env"],
            &["timeoutSec", "timeout", "matcher", "url", "headers", "linux", "osx", "windows"],
        ],
        not_carried_over: &[("comment", Severity::Note, "it is for human readers")],
        alternate_names: &[("Agent", &["Task"])],
        judge: "openai/gpt-5-mini",
        ..SettingsFormat::COMMON
    },
    output_fields: WORDS,
    extract_answer: strip_progress,
    environment: &[("COPILOT_PROJECT_DIR", EnvVariable::Project), ("CLAUDE_PROJECT_DIR", EnvVariable::Project)],
    guarded: GuardedPaths {
        relative: &[
            ".github/copilot/settings.json",
            ".github/copilot/settings.local.json",
            ".copilot/config.json",
            ".copilot/settings.json",
        ],
        managed: &["/etc/github-copilot"],
        variables: &[],
    },
    marks: AgentMarks {
        programs: &["copilot"],
        packages: &["@github/copilot"],
        variables: &["COPILOT_CLI", "COPILOT_CLI_BINARY_VERSION"],
    },
    install: InstallSpec {
        program: "copilot",
        managed: Some(SettingsLocation::managed(
            "etc/github-copilot/policy.d/pintle.json",
            "etc/github-copilot/policy.d/pintle.json",
        )),
        user: SettingsLocation { variable: "COPILOT_HOME", folder: ".copilot", file: "hooks/pintle.json" },
        project: SettingsLocation { variable: "", folder: ".github/hooks", file: "pintle.json" },
        form: EntryFormat::Flat(HandlerFormat {
            root: Some("hooks"),
            command: "bash",
            file_head: &[("version", 1)],
            build: |command, timeout_ms| json!({"type": "command", "bash": command, "timeoutSec": timeout_ms.div_ceil(1_000)}),
            timeout_ms: |handler| seconds_field(handler, "timeoutSec"),
        }),
        shell: &["/bin/bash", "--norc", "--noprofile", "-c"],
        hints: install_hints,
        ..InstallSpec::COMMON
    },
    // Payloads in Copilot's own format do not name their event, except one, which uses the other format's name.
    event_name: no_event_name,
    recognise,
    ..ClientDef::COMMON
};

/// The fields that tell an event in Copilot's own format, in the order in which they are looked for: later events have
/// none of the earlier fields.
const EVENT_MARKS: [(&str, &str); 15] = [
    ("errorContext", "errorOccurred"),
    ("notification_type", "notification"),
    ("toolInput", "permissionRequest"),
    ("permissionSuggestions", "permissionRequest"),
    ("toolResult", "postToolUse"),
    ("error", "postToolUseFailure"),
    ("toolArgs", "preToolUse"),
    ("agentName", "subagentStart"),
    ("stopReason", "agentStop"),
    ("prompt", "userPromptSubmitted"),
    ("initialPrompt", "sessionStart"),
    ("source", "sessionStart"),
    ("reason", "sessionEnd"),
    ("customInstructions", "preCompact"),
    ("trigger", "preCompact"),
];

fn recognise(payload: &Value) -> Option<&str> {
    let has = |name: &str| host::has(payload, name);
    if !has("sessionId") {
        // Claude Code's format, which Copilot sends without a transcript.
        let is_copilot = has("timestamp") && !has("transcript_path") && !has("permission_mode");
        return host::event_of_session(payload).filter(|_| is_copilot);
    }
    if !has("timestamp") {
        return None;
    }
    if has("agentName") && has("stopReason") {
        return Some("subagentStop");
    }
    EVENT_MARKS.iter().find(|(mark, _)| payload.get(mark).is_some()).map(|(_, event)| *event)
}

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

fn install_hints(scope: InstallScope) -> Vec<String> {
    match scope {
        InstallScope::Managed => {
            vec![String::from("Copilot CLI reads the file only if it belongs to root and no other user can write it")]
        }
        InstallScope::User => Vec::new(),
        InstallScope::Project => {
            vec![String::from("Copilot CLI runs project hooks only in a trusted directory")]
        }
    }
}

/// The output without progress lines.
fn strip_progress(text: &str) -> Cow<'_, str> {
    if !text.contains("\"progress\"") {
        return Cow::Borrowed(text);
    }
    let is_progress = |line: &str| {
        let object: Option<Map<String, Value>> = read_json(line.trim()).ok();
        object.is_some_and(|object| {
            object.get("type").and_then(Value::as_str) == Some("progress")
                && !object.iter().any(|(name, value)| refuses(name, value))
        })
    };
    Cow::Owned(text.lines().filter(|line| !is_progress(line)).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_progress_are_no_answer() {
        for (text, wanted) in [
            ("{\"a\": 1}", "{\"a\": 1}"),
            ("{\"type\":\"progress\",\"message\":\"x\"}\n{\"a\": 1}\n", "{\"a\": 1}"),
            ("{\"type\":\"progress\"}", ""),
            (
                "{\"type\":\"progress\",\"permissionDecision\":\"deny\"}",
                "{\"type\":\"progress\",\"permissionDecision\":\"deny\"}",
            ),
            ("{\"a\": \"progress\"}", "{\"a\": \"progress\"}"),
        ] {
            assert_eq!(strip_progress(text), wanted, "{text}");
        }
    }
}
