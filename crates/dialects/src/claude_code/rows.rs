//! The events of Claude Code.

use serde_json::{Map, Value, json};

use crate::client_hooks::matcher::Rule;
use crate::client_hooks::{Elsewhere, Given, Row, Voice, keys, pascal};
use crate::tools::CLAUDE;

/// How Claude Code spells its payloads.
static VOICE: Voice = Voice { base: keys::SESSION, tools: &CLAUDE, matcher: Rule::NamesOrExpression, response };

/// Every event that the catalogue has.
pub(super) const ROWS: &[Row] = &[
    pascal::pre_tool_use(&VOICE),
    pascal::permission_request(&VOICE),
    pascal::permission_denied(&VOICE),
    pascal::post_tool_use(&VOICE),
    pascal::post_tool_use_failure(&VOICE),
    pascal::post_tool_batch(&VOICE),
    Row { timeout_ms: Some(30_000), ..pascal::user_prompt_submit(&VOICE) },
    pascal::session_start(&VOICE),
    Row { timeout_ms: Some(1_500), ..pascal::session_end(&VOICE) },
    pascal::stop(&VOICE),
    pascal::stop_failure(&VOICE),
    pascal::subagent_start(&VOICE),
    pascal::subagent_stop(&VOICE),
    pascal::pre_compact(&VOICE),
    pascal::post_compact(&VOICE),
    pascal::notification(&VOICE),
];

/// Every other one.
pub(super) const ELSEWHERE: &[Elsewhere] = &[
    Elsewhere {
        names: &["UserPromptExpansion", "Setup", "InstructionsLoaded", "ConfigChange", "MessageDisplay"],
        why: "it is about something that only Claude Code has",
    },
    Elsewhere { names: &["PreModelSwitch", "PostModelSwitch"], why: "no other agent tells of it" },
    Elsewhere { names: &["TeammateIdle", "TaskCreated", "TaskCompleted"], why: "no other agent has such teams" },
    Elsewhere { names: &["Elicitation", "ElicitationResult"], why: "no other agent tells what a server asks for" },
    Elsewhere { names: &["CwdChanged", "FileChanged", "DirectoryAdded"], why: "nobody else watches folders" },
    Elsewhere {
        names: &["WorktreeCreate", "WorktreeRemove"],
        why: "such a hook makes the working tree itself, which nobody else leaves to hooks",
    },
];

/// The result of a tool. What a command printed is in fields of their own.
fn response(given: &Given<'_>) -> Value {
    let result = given.field("result").or_else(|| given.field("content")).cloned().unwrap_or_default();
    if given.text("name") != "shell" {
        return result;
    }
    let printed = match result {
        Value::Object(fields) => fields,
        Value::String(text) => Map::from_iter([(String::from("stdout"), Value::from(text))]),
        other => return other,
    };
    let mut fields = Map::new();
    for (name, value) in
        [("stdout", json!("")), ("stderr", json!("")), ("interrupted", json!(false)), ("isImage", json!(false))]
    {
        fields.insert(name.to_owned(), value);
    }
    fields.extend(printed);
    Value::Object(fields)
}
