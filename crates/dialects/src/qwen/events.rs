//! The events of Qwen Code: Claude Code's, with Gemini CLI's tools.

use serde_json::{Value, json};

use crate::client_hooks::matcher::MatcherSyntax;
use crate::client_hooks::shared_keys::key;
use crate::client_hooks::{
    ClientEventDef, ClientKey, EncodeContext, PayloadStyle, UnmappedClientEvents, payload_values, shared_events,
    shared_keys,
};
use pintle_tools::QWEN;

/// The shape of Qwen Code's payloads.
static VOICE: PayloadStyle =
    PayloadStyle { base: shared_keys::SESSION, tools: &QWEN, matcher: MatcherSyntax::NameThenExpression, response };

/// The model's own ID of the call.
const CALL_ID: &[ClientKey] = &[key("tool_call_id", payload_values::call_id)];

const BESIDE: &[ClientKey] =
    &[key("background_tasks", payload_values::empty_list), key("crons", payload_values::empty_list)];

/// The events that the catalogue has.
pub(super) const ROWS: &[ClientEventDef] = &[
    ClientEventDef {
        keys: &[shared_keys::AT_WORK, shared_keys::SUBAGENT, shared_keys::CALL, CALL_ID],
        ..shared_events::pre_tool_use(&VOICE)
    },
    shared_events::permission_request(&VOICE),
    shared_events::permission_denied(&VOICE),
    ClientEventDef {
        keys: &[shared_keys::AT_WORK, shared_keys::SUBAGENT, shared_keys::CALL, CALL_ID, shared_keys::RESULT],
        ..shared_events::post_tool_use(&VOICE)
    },
    ClientEventDef {
        keys: &[shared_keys::AT_WORK, shared_keys::SUBAGENT, shared_keys::CALL, CALL_ID, shared_keys::FAILURE],
        ..shared_events::post_tool_use_failure(&VOICE)
    },
    shared_events::post_tool_batch(&VOICE),
    shared_events::user_prompt_submit(&VOICE),
    ClientEventDef { keys: &[shared_keys::AT_WORK, shared_keys::BEGINNING], ..shared_events::session_start(&VOICE) },
    shared_events::session_end(&VOICE),
    ClientEventDef { keys: &[shared_keys::AT_WORK, shared_keys::STOP, BESIDE], ..shared_events::stop(&VOICE) },
    shared_events::stop_failure(&VOICE),
    ClientEventDef { keys: &[shared_keys::AT_WORK, shared_keys::DELEGATE], ..shared_events::subagent_start(&VOICE) },
    ClientEventDef {
        keys: &[
            shared_keys::AT_WORK,
            shared_keys::DELEGATE,
            shared_keys::STOP,
            shared_keys::DELEGATE_TRANSCRIPT,
            BESIDE,
        ],
        ..shared_events::subagent_stop(&VOICE)
    },
    shared_events::pre_compact(&VOICE),
    shared_events::post_compact(&VOICE),
    ClientEventDef { keys: &[shared_keys::AT_WORK, shared_keys::NOTIFICATION], ..shared_events::notification(&VOICE) },
];

/// The events that the catalogue does not have.
pub(super) const ELSEWHERE: &[UnmappedClientEvents] = &[
    UnmappedClientEvents {
        names: &["UserPromptExpansion", "InstructionsLoaded", "MessageDisplay", "SessionDelete"],
        reason: "it concerns a feature that only Qwen Code has",
    },
    UnmappedClientEvents {
        names: &["TodoCreated", "TodoCompleted"],
        reason: "no other agent reports its list of tasks",
    },
];

fn response(context: &EncodeContext<'_>) -> Value {
    let text = context.original_response().cloned().or_else(|| payload_values::result_text(context));
    json!({"llmContent": text, "returnDisplay": ""})
}
