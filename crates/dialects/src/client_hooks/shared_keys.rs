//! The payload keys that Claude Code introduced and most other clients adopted.

use super::event_def::ClientKey;
use super::payload_values;

/// A key and the function that encodes its value.
pub const fn key(name: &'static str, made: fn(&super::EncodeContext<'_>) -> Option<serde_json::Value>) -> ClientKey {
    ClientKey { name, value: made }
}

/// The keys at the start of every payload.
pub const SESSION: &[ClientKey] = &[
    key("session_id", payload_values::session),
    key("transcript_path", payload_values::transcript),
    key("cwd", payload_values::directory),
    key("hook_event_name", payload_values::name),
];

/// The agent and its permission mode.
pub const AT_WORK: &[ClientKey] =
    &[key("prompt_id", payload_values::turn), key("permission_mode", payload_values::mode)];

/// The turn, for events without permission fields.
pub const TURN: &[ClientKey] = &[key("prompt_id", payload_values::turn)];

/// The running subagent, if any.
pub const SUBAGENT: &[ClientKey] =
    &[key("agent_id", payload_values::run), key("agent_type", payload_values::agent_kind)];

/// A tool call.
pub const CALL: &[ClientKey] = &[
    key("tool_name", payload_values::tool),
    key("tool_input", payload_values::input),
    key("tool_use_id", payload_values::call_id),
];

/// A tool call without an ID.
pub const ASKED: &[ClientKey] = &[key("tool_name", payload_values::tool), key("tool_input", payload_values::input)];

/// The result of a tool call.
pub const RESULT: &[ClientKey] =
    &[key("tool_response", payload_values::response), key("duration_ms", payload_values::duration)];

/// The error of a tool call.
pub const FAILURE: &[ClientKey] = &[
    key("error", payload_values::error),
    key("is_interrupt", payload_values::always_false),
    key("duration_ms", payload_values::duration),
];

/// Calls with their results.
pub const BATCH: &[ClientKey] = &[key("tool_calls", payload_values::calls)];

/// The start of a session.
pub const BEGINNING: &[ClientKey] = &[key("source", payload_values::start_reason), key("model", payload_values::model)];

/// The end of a session.
pub const ENDING: &[ClientKey] = &[key("reason", payload_values::end_reason)];

/// The user's prompt.
pub const PROMPT: &[ClientKey] = &[key("prompt", payload_values::prompt), key("source", payload_values::source)];

/// The end of a turn.
pub const STOP: &[ClientKey] =
    &[key("stop_hook_active", payload_values::stop_hook_active), key("last_assistant_message", payload_values::answer)];

/// Background tasks and crons, which are always empty.
pub const BESIDE: &[ClientKey] =
    &[key("background_tasks", payload_values::empty_list), key("session_crons", payload_values::empty_list)];

/// The agent that a task is delegated to.
pub const DELEGATE: &[ClientKey] =
    &[key("agent_id", payload_values::delegation), key("agent_type", payload_values::delegate)];

/// The transcript of the subagent.
pub const DELEGATE_TRANSCRIPT: &[ClientKey] = &[key("agent_transcript_path", payload_values::transcript)];

/// The error of the turn.
pub const ERROR: &[ClientKey] = &[key("error", payload_values::kind), key("error_details", payload_values::message)];

/// The input of a compaction.
pub const COMPACT: &[ClientKey] =
    &[key("trigger", payload_values::trigger), key("custom_instructions", payload_values::instructions)];

/// The result of a compaction.
pub const COMPACTED: &[ClientKey] =
    &[key("trigger", payload_values::trigger), key("compact_summary", payload_values::summary)];

/// A notification for the user.
pub const NOTIFICATION: &[ClientKey] = &[
    key("message", payload_values::message),
    key("title", payload_values::title),
    key("notification_type", payload_values::kind),
];

/// Why a call was denied.
pub const REFUSAL: &[ClientKey] = &[key("reason", payload_values::reason)];
