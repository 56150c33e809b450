//! The events of Qwen Code: Claude Code's, with Gemini CLI's tools.

use std::borrow::Cow;

use pintle_tools::QWEN;
use serde_json::{Value, json};

use super::response as answers;
use crate::claude_code::response as claude;
use crate::event_def::unchanged_context;
use crate::host::{HostEventData, HostPayloadError};
use crate::key_values::{self, key};
use crate::matcher::MatcherSyntax;
use crate::{
    ClientEventDef, ClientKey, EncodeContext, PayloadStyle, UnmappedClientEvents, payload_values, shared_events,
    shared_keys,
};

/// The shape of Qwen Code's payloads.
static STYLE: PayloadStyle = PayloadStyle {
    base: shared_keys::SESSION,
    tools: &QWEN,
    matcher: MatcherSyntax::NameThenExpression,
    response,
    read_keys: &[shared_keys::CONTEXT],
    adjust_context: unchanged_context,
};

/// The model's own ID of the call.
const CALL_ID: &[ClientKey] = &[key("tool_call_id", key_values::CALL_ID)];

const BESIDE: &[ClientKey] = &[key("background_tasks", key_values::EMPTY_LIST), key("crons", key_values::EMPTY_LIST)];

/// An event that the catalogue does not have.
const fn own(name: &'static str, custom: &'static str) -> ClientEventDef {
    ClientEventDef::unmapped(&STYLE, name, custom, &answers::TELLS, claude::notice)
}

/// An event whose hooks can only give notices.
const fn notify_only(def: ClientEventDef) -> ClientEventDef {
    def.answered(&answers::TELLS, claude::notice)
}

/// Its events.
pub(super) const ROWS: &[ClientEventDef] = &[
    ClientEventDef { keys: &[shared_keys::AT_WORK, shared_keys::BEGINNING], ..shared_events::session_start(&STYLE) }
        .answered(&answers::SESSION_START, claude::add_context),
    ClientEventDef { adjust: is_prompt, ..shared_events::user_prompt_submit(&STYLE) }
        .answered(&answers::PROMPT, claude::prompt),
    ClientEventDef {
        keys: &[shared_keys::AT_WORK, shared_keys::SUBAGENT, shared_keys::CALL, CALL_ID],
        ..shared_events::pre_tool_use(&STYLE)
    }
    .answered(&answers::BEFORE_TOOL, answers::before_tool),
    shared_events::permission_request(&STYLE).answered(&answers::PERMISSION, claude::permission),
    notify_only(shared_events::permission_denied(&STYLE)),
    ClientEventDef {
        keys: &[shared_keys::AT_WORK, shared_keys::SUBAGENT, shared_keys::CALL, CALL_ID, shared_keys::RESULT],
        adjust: text_for_model,
        ..shared_events::post_tool_use(&STYLE)
    }
    .answered(&answers::AFTER_TOOL, answers::after_tool),
    ClientEventDef {
        keys: &[shared_keys::AT_WORK, shared_keys::SUBAGENT, shared_keys::CALL, CALL_ID, shared_keys::FAILURE],
        ..shared_events::post_tool_use_failure(&STYLE)
    }
    .answered(&answers::FAILED_TOOL, claude::add_context),
    shared_events::post_tool_batch(&STYLE).answered(&answers::BATCH, claude::add_context),
    ClientEventDef {
        keys: &[
            shared_keys::AT_WORK,
            shared_keys::DELEGATE,
            shared_keys::STOP,
            shared_keys::DELEGATE_TRANSCRIPT,
            BESIDE,
        ],
        ..shared_events::subagent_stop(&STYLE)
    }
    .answered(&answers::SUBAGENT_STOP, claude::stop),
    ClientEventDef { keys: &[shared_keys::AT_WORK, shared_keys::STOP, BESIDE], ..shared_events::stop(&STYLE) }
        .answered(&answers::STOP, claude::stop),
    notify_only(shared_events::stop_failure(&STYLE)),
    shared_events::pre_compact(&STYLE).answered(&answers::COMPACT, claude::add_context),
    shared_events::post_compact(&STYLE).answered(&answers::COMPACTED, claude::notice),
    notify_only(ClientEventDef {
        keys: &[shared_keys::AT_WORK, shared_keys::NOTIFICATION],
        ..shared_events::notification(&STYLE)
    }),
    shared_events::session_end(&STYLE).answered(&answers::SESSION_END, claude::notice),
    ClientEventDef {
        keys: &[shared_keys::AT_WORK, shared_keys::DELEGATE],
        custom: Some("custom.qwen_subagent_start"),
        ..shared_events::subagent_start(&STYLE)
    }
    .answered(&answers::SUBAGENT_START, claude::add_context),
    own("UserPromptExpansion", "custom.qwen_user_prompt_expansion"),
    own("SessionDelete", "custom.qwen_session_delete"),
    own("MessageDisplay", "custom.qwen_message_display"),
    own("TodoCreated", "custom.qwen_todo_created"),
    own("TodoCompleted", "custom.qwen_todo_completed"),
    own("InstructionsLoaded", "custom.qwen_instructions_loaded"),
];

/// The events that the catalogue does not have.
pub(super) const ELSEWHERE: &[UnmappedClientEvents] = &[
    UnmappedClientEvents::new(
        &["UserPromptExpansion", "InstructionsLoaded", "MessageDisplay", "SessionDelete"],
        "it concerns a feature that only Qwen Code has",
    ),
    UnmappedClientEvents::new(&["TodoCreated", "TodoCompleted"], "no other agent reports its list of tasks"),
];

fn response(context: &EncodeContext<'_>) -> Value {
    let text = context.original_response().map(Cow::into_owned).or_else(|| payload_values::result_text(context));
    json!({"llmContent": text, "returnDisplay": ""})
}

/// The event also fires after each tool result without a text from the user; then it is not a prompt.
fn is_prompt(payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let is_blank = |name: &str| {
        payload.get(name).is_some_and(|text| text.as_str().map_or(text.is_null(), |text| text.trim().is_empty()))
    };
    Ok(if is_blank("prompt") || is_blank("submitted_prompt") { HostEventData::Other } else { data })
}

/// The result as the model gets it.
pub(crate) fn text_for_model(_payload: &Value, data: HostEventData) -> Result<HostEventData, HostPayloadError> {
    let HostEventData::AfterTool { call, response, is_error, duration_ms } = data else {
        return Ok(data);
    };
    let shown = response.get("llmContent").filter(|content| !content.is_null()).cloned();
    Ok(HostEventData::AfterTool { call, response: shown.unwrap_or(response), is_error, duration_ms })
}
