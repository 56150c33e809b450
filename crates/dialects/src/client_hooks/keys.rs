//! The keys of the payloads that Claude Code introduced and most others took over.

use super::given;
use super::row::Key;

/// A key and where its value comes from.
pub const fn key(name: &'static str, made: fn(&super::Given<'_>) -> Option<serde_json::Value>) -> Key {
    Key { name, made }
}

/// What every payload begins with.
pub const SESSION: &[Key] = &[
    key("session_id", given::session),
    key("transcript_path", given::transcript),
    key("cwd", given::directory),
    key("hook_event_name", given::name),
];

/// Who is at work, and how.
pub const AT_WORK: &[Key] = &[key("prompt_id", given::turn), key("permission_mode", given::mode)];

/// The turn, where nothing is said of permissions.
pub const TURN: &[Key] = &[key("prompt_id", given::turn)];

/// The subagent at work, when one is.
pub const SUBAGENT: &[Key] = &[key("agent_id", given::run), key("agent_type", given::kind_of_agent)];

/// A tool call.
pub const CALL: &[Key] =
    &[key("tool_name", given::tool), key("tool_input", given::input), key("tool_use_id", given::call_id)];

/// A tool call that nobody has numbered.
pub const ASKED: &[Key] = &[key("tool_name", given::tool), key("tool_input", given::input)];

/// The result of one.
pub const RESULT: &[Key] = &[key("tool_response", given::response), key("duration_ms", given::duration)];

/// The error of one.
pub const FAILURE: &[Key] =
    &[key("error", given::error), key("is_interrupt", given::no), key("duration_ms", given::duration)];

/// Calls with their results.
pub const BATCH: &[Key] = &[key("tool_calls", given::calls)];

/// The beginning of a session.
pub const BEGINNING: &[Key] = &[key("source", given::beginning), key("model", given::model)];

/// Its end.
pub const ENDING: &[Key] = &[key("reason", given::ending)];

/// What a person wrote.
pub const PROMPT: &[Key] = &[key("prompt", given::prompt), key("source", given::source)];

/// The end of an answer.
pub const STOP: &[Key] = &[key("stop_hook_active", given::continued), key("last_assistant_message", given::answer)];

/// What goes on beside it.
pub const BESIDE: &[Key] = &[key("background_tasks", given::nothing), key("session_crons", given::nothing)];

/// Who a task is given to.
pub const DELEGATE: &[Key] = &[key("agent_id", given::delegation), key("agent_type", given::delegate)];

/// Where the subagent's conversation is.
pub const DELEGATE_TRANSCRIPT: &[Key] = &[key("agent_transcript_path", given::transcript)];

/// An error of the turn.
pub const ERROR: &[Key] = &[key("error", given::kind), key("error_details", given::message)];

/// What is to be compacted.
pub const COMPACT: &[Key] = &[key("trigger", given::trigger), key("custom_instructions", given::instructions)];

/// What was.
pub const COMPACTED: &[Key] = &[key("trigger", given::trigger), key("compact_summary", given::summary)];

/// What the person is told.
pub const NOTIFICATION: &[Key] =
    &[key("message", given::message), key("title", given::title), key("notification_type", given::kind)];

/// Why a call was refused.
pub const REFUSAL: &[Key] = &[key("reason", given::reason)];
