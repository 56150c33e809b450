//! The events of Claude Code.

use pintle_contract::ToolKind;
use pintle_tools::CLAUDE;
use serde_json::{Map, Value, json};

use super::response as answers;
use crate::event_def::unchanged_context;
use crate::matcher::MatcherSyntax;
use crate::{
    ClientEventDef, EncodeContext, InputRewrite, PayloadStyle, UnmappedClientEvents, shared_events, shared_keys,
};

/// The shape of Claude Code's payloads.
static STYLE: PayloadStyle = PayloadStyle {
    base: shared_keys::SESSION,
    tools: &CLAUDE,
    matcher: MatcherSyntax::NamesOrExpression,
    response,
    read_keys: &[shared_keys::CONTEXT],
    adjust_context: unchanged_context,
};

/// An event that the catalogue does not have.
const fn own(name: &'static str, custom: &'static str) -> ClientEventDef {
    ClientEventDef::unmapped(&STYLE, name, custom, &answers::TELLS, answers::notice)
}

/// An event whose hooks can only give notices.
const fn notify_only(def: ClientEventDef) -> ClientEventDef {
    def.answered(&answers::TELLS, answers::notice)
}

/// Its events.
pub(super) const ROWS: &[ClientEventDef] = &[
    shared_events::session_start(&STYLE).answered(&answers::SESSION_START, answers::session_start),
    ClientEventDef { timeout_ms: Some(30_000), ..shared_events::user_prompt_submit(&STYLE) }
        .answered(&answers::PROMPT, answers::prompt),
    shared_events::pre_tool_use(&STYLE).answered(&answers::BEFORE_TOOL, answers::before_tool),
    // A command in the text of a skill or of a slash command, which runs while that is loaded.
    ClientEventDef {
        name: "PreSkillShellCommand",
        canonical: None,
        input: InputRewrite::Unchanged,
        context: false,
        ..shared_events::pre_tool_use(&STYLE)
    }
    .answered(&answers::SKILL_COMMAND, answers::before_tool),
    shared_events::permission_request(&STYLE).answered(&answers::PERMISSION, answers::permission),
    notify_only(shared_events::permission_denied(&STYLE)),
    shared_events::post_tool_use(&STYLE).answered(&answers::AFTER_TOOL, answers::after_tool),
    shared_events::post_tool_use_failure(&STYLE).answered(&answers::FAILED_TOOL, answers::failed_tool),
    shared_events::post_tool_batch(&STYLE).answered(&answers::BATCH, answers::add_context),
    ClientEventDef { custom: Some("custom.claude_subagent_start"), ..shared_events::subagent_start(&STYLE) }
        .answered(&answers::SUBAGENT_START, answers::add_context),
    shared_events::subagent_stop(&STYLE).answered(&answers::SUBAGENT_STOP, answers::stop),
    shared_events::stop(&STYLE).answered(&answers::STOP, answers::stop),
    notify_only(shared_events::stop_failure(&STYLE)),
    ClientEventDef { is_guard: true, ..shared_events::pre_compact(&STYLE) }
        .answered(&answers::COMPACT, answers::compact),
    shared_events::post_compact(&STYLE).answered(&answers::COMPACTED, answers::compacted),
    notify_only(shared_events::notification(&STYLE)),
    ClientEventDef { timeout_ms: Some(1_500), support: &answers::SESSION_END, ..shared_events::session_end(&STYLE) },
    own("UserPromptExpansion", "custom.claude_user_prompt_expansion"),
    own("InstructionsLoaded", "custom.claude_instructions_loaded"),
    own("CwdChanged", "custom.claude_cwd_changed"),
    own("MessageDisplay", "custom.claude_message_display"),
];

/// The events that the catalogue does not have.
pub(super) const ELSEWHERE: &[UnmappedClientEvents] = &[
    UnmappedClientEvents::new(
        &["UserPromptExpansion", "Setup", "InstructionsLoaded", "ConfigChange", "MessageDisplay"],
        "it concerns a feature that only Claude Code has",
    ),
    UnmappedClientEvents::new(&["PreSkillShellCommand"], "no other agent reports the commands of its skills"),
    UnmappedClientEvents::new(&["PreModelSwitch", "PostModelSwitch"], "no other agent reports it"),
    UnmappedClientEvents::new(&["TeammateIdle", "TaskCreated", "TaskCompleted"], "no other agent has such teams"),
    UnmappedClientEvents::new(&["Elicitation", "ElicitationResult"], "no other agent reports server elicitations"),
    UnmappedClientEvents::new(&["CwdChanged", "FileChanged", "DirectoryAdded"], "no other agent watches directories"),
    UnmappedClientEvents::new(
        &["WorktreeCreate", "WorktreeRemove"],
        "such a hook creates the worktree itself; no other agent leaves that to hooks",
    ),
];

/// The result of a tool. A command's output is in separate fields.
fn response(context: &EncodeContext<'_>) -> Value {
    if let Some(said) = context.original_response() {
        return said.into_owned();
    }
    let result = context.field("result").or_else(|| context.field("content")).cloned().unwrap_or_default();
    if context.tool_kind() != ToolKind::Shell {
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
