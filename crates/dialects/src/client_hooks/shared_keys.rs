//! The keys of the payloads that Claude Code introduced and most others took over.

use super::event_def::ClientKey;
use super::payload_values;

/// A key and where its value comes from.
pub const fn key(name: &'static str, made: fn(&super::EncodeContext<'_>) -> Option<serde_json::Value>) -> ClientKey {
    ClientKey { name, value: made }
}

/// What every payload begins with.
pub const SESSION: &[ClientKey] = &[
    key("session_id", payload_values::session),
    key("transcript_path", payload_values::transcript),
    key("cwd", payload_values::directory),
    key("hook_event_name", payload_values::name),
];

/// Who is at work, and how.
pub const AT_WORK: &[ClientKey] =
    &[key("prompt_id", payload_values::turn), key("permission_mode", payload_values::mode)];

/// The turn, where nothing is said of permissions.
pub const TURN: &[ClientKey] = &[key("prompt_id", payload_values::turn)];

/// The subagent at work, when one is.
pub const SUBAGENT: &[ClientKey] =
    &[key("agent_id", payload_values::run), key("agent_type", payload_values::agent_kind)];

/// A tool call.
pub const CALL: &[ClientKey] = &[
    key("tool_name", payload_values::tool),
    key("tool_input", payload_values::input),
    key("tool_use_id", payload_values::call_id),
];

/// A tool call that nobody has numbered.
pub const ASKED: &[ClientKey] = &[key("tool_name", payload_values::tool), key("tool_input", payload_values::input)];

/// The result of one.
pub const RESULT: &[ClientKey] =
    &[key("tool_response", payload_values::response), key("duration_ms", payload_values::duration)];

/// The error of one.
pub const FAILURE: &[ClientKey] = &[
    key("error", payload_values::error),
    key("is_interrupt", payload_values::always_false),
    key("duration_ms", payload_values::duration),
];

/// Calls with their results.
pub const BATCH: &[ClientKey] = &[key("tool_calls", payload_values::calls)];

/// The beginning of a session.
pub const BEGINNING: &[ClientKey] = &[key("source", payload_values::start_reason), key("model", payload_values::model)];

/// Its end.
pub const ENDING: &[ClientKey] = &[key("reason", payload_values::end_reason)];

/// What a person wrote.
pub const PROMPT: &[ClientKey] = &[key("prompt", payload_values::prompt), key("source", payload_values::source)];

/// The end of an answer.
pub const STOP: &[ClientKey] =
    &[key("stop_hook_active", payload_values::stop_hook_active), key("last_assistant_message", payload_values::answer)];

/// What goes on beside it.
pub const BESIDE: &[ClientKey] =
    &[key("background_tasks", payload_values::empty_list), key("session_crons", payload_values::empty_list)];

/// Who a task is given to.
pub const DELEGATE: &[ClientKey] =
    &[key("agent_id", payload_values::delegation), key("agent_type", payload_values::delegate)];

/// Where the subagent's conversation is.
pub const DELEGATE_TRANSCRIPT: &[ClientKey] = &[key("agent_transcript_path", payload_values::transcript)];

/// An error of the turn.
pub const ERROR: &[ClientKey] = &[key("error", payload_values::kind), key("error_details", payload_values::message)];

/// What is to be compacted.
pub const COMPACT: &[ClientKey] =
    &[key("trigger", payload_values::trigger), key("custom_instructions", payload_values::instructions)];

/// What was.
pub const COMPACTED: &[ClientKey] =
    &[key("trigger", payload_values::trigger), key("compact_summary", payload_values::summary)];

/// What the person is told.
pub const NOTIFICATION: &[ClientKey] = &[
    key("message", payload_values::message),
    key("title", payload_values::title),
    key("notification_type", payload_values::kind),
];

/// Why a call was refused.
pub const REFUSAL: &[ClientKey] = &[key("reason", payload_values::reason)];
