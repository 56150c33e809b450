//! The events of Claude Code.

use serde_json::{Map, Value, json};

use crate::client_hooks::matcher::MatcherSyntax;
use crate::client_hooks::{
    ClientEventDef, EncodeContext, PayloadStyle, UnmappedClientEvents, shared_events, shared_keys,
};
use pintle_tools::CLAUDE;

/// The shape of Claude Code's payloads.
static VOICE: PayloadStyle =
    PayloadStyle { base: shared_keys::SESSION, tools: &CLAUDE, matcher: MatcherSyntax::NamesOrExpression, response };

/// The events that the catalogue has.
pub(super) const ROWS: &[ClientEventDef] = &[
    shared_events::pre_tool_use(&VOICE),
    shared_events::permission_request(&VOICE),
    shared_events::permission_denied(&VOICE),
    shared_events::post_tool_use(&VOICE),
    shared_events::post_tool_use_failure(&VOICE),
    shared_events::post_tool_batch(&VOICE),
    ClientEventDef { timeout_ms: Some(30_000), ..shared_events::user_prompt_submit(&VOICE) },
    shared_events::session_start(&VOICE),
    ClientEventDef { timeout_ms: Some(1_500), ..shared_events::session_end(&VOICE) },
    shared_events::stop(&VOICE),
    shared_events::stop_failure(&VOICE),
    shared_events::subagent_start(&VOICE),
    shared_events::subagent_stop(&VOICE),
    shared_events::pre_compact(&VOICE),
    shared_events::post_compact(&VOICE),
    shared_events::notification(&VOICE),
];

/// The events that the catalogue does not have.
pub(super) const ELSEWHERE: &[UnmappedClientEvents] = &[
    UnmappedClientEvents {
        names: &["UserPromptExpansion", "Setup", "InstructionsLoaded", "ConfigChange", "MessageDisplay"],
        reason: "it concerns a feature that only Claude Code has",
    },
    UnmappedClientEvents { names: &["PreModelSwitch", "PostModelSwitch"], reason: "no other agent reports it" },
    UnmappedClientEvents {
        names: &["TeammateIdle", "TaskCreated", "TaskCompleted"],
        reason: "no other agent has such teams",
    },
    UnmappedClientEvents {
        names: &["Elicitation", "ElicitationResult"],
        reason: "no other agent reports server elicitations",
    },
    UnmappedClientEvents {
        names: &["CwdChanged", "FileChanged", "DirectoryAdded"],
        reason: "no other agent watches directories",
    },
    UnmappedClientEvents {
        names: &["WorktreeCreate", "WorktreeRemove"],
        reason: "such a hook creates the worktree itself; no other agent leaves that to hooks",
    },
];

/// The result of a tool. A command's output is in separate fields.
fn response(context: &EncodeContext<'_>) -> Value {
    if let Some(said) = context.original_response() {
        return said.clone();
    }
    let result = context.field("result").or_else(|| context.field("content")).cloned().unwrap_or_default();
    if context.text("name") != "shell" {
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
