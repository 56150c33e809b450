//! Cline, tested with 3.0.65: programs named after the event that they are for. It reads the JSON of a response, but never
//! its status.
//!
//! `DEVIATIONS.md` lists where Pintle differs on purpose.

mod events;
mod response;

use std::borrow::Cow;

use pintle_contract::read_json;
use serde_json::{Map, Value};

use crate::client::no_event_name;
use crate::install::{EntryFormat, InstallSpec, SettingsLocation};
use crate::refusal::refuses;
use crate::{AgentMarks, ClientDef, ClientFileLocation, FieldMeaning, HookLayout, OutputField, SettingsFormat, host};

/// Cline.
pub static CLIENT: ClientDef = ClientDef {
    name: "cline",
    title: "Cline",
    tried_version: "3.0.65",
    events: events::ROWS,
    tools: &pintle_tools::CLINE,
    dialect: Some("cline"),
    description: "Cline: programs named after their event",
    files: &[
        ClientFileLocation::programs(".clinerules/hooks"),
        ClientFileLocation::programs(".cline/hooks"),
        ClientFileLocation::programs("Documents/Cline/Hooks"),
    ],
    unmapped_events: events::ELSEWHERE,
    settings: SettingsFormat {
        layout: HookLayout::Flat,
        command_ms: 120_000,
        http_ms: 120_000,
        prompt_ms: 120_000,
        keys: &[&["command"]],
        ..SettingsFormat::COMMON
    },
    output_fields: WORDS,
    statuses: false,
    extract_answer: extract_control_line,
    marks: AgentMarks {
        programs: &["cline"],
        packages: &["cline"],
        variables: &["CLINE_ACTIVE", "CLINE_CONNECTOR_CLI_LAUNCH"],
    },
    install: InstallSpec {
        program: "cline",
        user: SettingsLocation { variable: "", folder: ".cline", file: "hooks" },
        project: SettingsLocation { variable: "", folder: ".clinerules", file: "hooks" },
        form: EntryFormat::Programs,
        hints: |_| {
            vec![String::from(
                "Cline ends the whole task when a hook denies a call, and without a terminal it does not show why",
            )]
        },
        ..InstallSpec::COMMON
    },
    event_name: no_event_name,
    unhooked_actions: &["prompts, when it runs without a terminal"],
    recognise,
    ..ClientDef::COMMON
};

/// What tells an event: a field that only its payload has, or Cline's other name for it.
const EVENT_MARKS: [(&str, &str); 11] = [
    ("preToolUse", "PreToolUse"),
    ("tool_call", "PreToolUse"),
    ("postToolUse", "PostToolUse"),
    ("tool_result", "PostToolUse"),
    ("taskStart", "TaskStart"),
    ("taskResume", "TaskResume"),
    ("taskComplete", "TaskComplete"),
    ("taskCancel", "TaskCancel"),
    ("userPromptSubmit", "UserPromptSubmit"),
    ("agent_error", "TaskError"),
    ("session_shutdown", "SessionShutdown"),
];

fn recognise(payload: &Value) -> Option<&str> {
    if !host::has(payload, "taskId") || !host::has(payload, "clineVersion") {
        return None;
    }
    let named = payload.get("hookName").and_then(Value::as_str);
    let is_marked = |mark: &str| host::has(payload, mark) || named == Some(mark);
    EVENT_MARKS.iter().find(|(mark, _)| is_marked(mark)).map(|(_, event)| *event)
}

/// The output fields of its hooks.
const WORDS: &[OutputField] = &[
    OutputField::top_level("cancel", FieldMeaning::Cancel),
    OutputField::top_level("review", FieldMeaning::Review),
    OutputField::top_level("errorMessage", FieldMeaning::Reason),
    OutputField::top_level("contextModification", FieldMeaning::Context),
    OutputField::top_level("overrideInput", FieldMeaning::Input),
];

/// The prefix of the line with the answer.
const CONTROL: &str = "HOOK_CONTROL\t";

/// The last line with the prefix, otherwise the whole output. An earlier line that denies or is invalid is kept with
/// it: a hook that repeats what a model wrote must not give two answers.
fn extract_control_line(text: &str) -> Cow<'_, str> {
    let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix(CONTROL)).collect();
    let Some((last, earlier)) = lines.split_last() else {
        return Cow::Borrowed(text);
    };
    let is_harmless = |line: &&str| {
        let object: Option<Map<String, Value>> = read_json(line).ok();
        object.is_some_and(|object| !object.iter().any(|(name, value)| refuses(name, value)))
    };
    match earlier.iter().all(is_harmless) {
        true => Cow::Borrowed(last),
        false => Cow::Owned(lines.join("\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_control_stands_among_other_output() {
        for (text, wanted) in [
            ("{\"cancel\": true}", "{\"cancel\": true}"),
            ("checking\nHOOK_CONTROL\t{\"cancel\": true}\ndone\n", "{\"cancel\": true}"),
            ("HOOK_CONTROL\t{}\nHOOK_CONTROL\t{\"cancel\": true}", "{\"cancel\": true}"),
            ("HOOK_CONTROL\t{\"cancel\": true}\nHOOK_CONTROL\t{}", "{\"cancel\": true}\n{}"),
            ("HOOK_CONTROL\t{\"why\": \"x\nHOOK_CONTROL\t{}", "{\"why\": \"x\n{}"),
            ("", ""),
        ] {
            assert_eq!(extract_control_line(text), wanted, "{text}");
        }
    }
}
