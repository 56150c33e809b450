//! The payload keys that Claude Code introduced and most other clients adopted.

use crate::event_def::ClientKey;
use crate::host::HostField;
use crate::key_values::{self, key, read_key};

/// The keys of the session, turn and agent that may be in any payload.
pub const CONTEXT: &[ClientKey] = &[
    read_key("agent_type", HostField::Agent),
    read_key("agent_id", HostField::Run),
    read_key("permission_mode", HostField::Mode),
    read_key("turn_id", HostField::Turn),
    read_key("prompt_id", HostField::Turn),
    read_key("model", HostField::Model),
];

/// The keys at the start of every payload.
pub const SESSION: &[ClientKey] = &[
    key("session_id", key_values::SESSION),
    key("transcript_path", key_values::TRANSCRIPT),
    key("cwd", key_values::DIRECTORY),
    key("hook_event_name", key_values::NAME),
];

/// The agent and its permission mode.
pub const AT_WORK: &[ClientKey] = &[key("prompt_id", key_values::TURN), key("permission_mode", key_values::MODE)];

/// The turn, for events without permission fields.
pub const TURN: &[ClientKey] = &[key("prompt_id", key_values::TURN)];

/// The running subagent, if any.
pub const SUBAGENT: &[ClientKey] = &[key("agent_id", key_values::RUN), key("agent_type", key_values::AGENT_KIND)];

/// A tool call.
pub const CALL: &[ClientKey] = &[
    key("tool_name", key_values::TOOL),
    key("tool_input", key_values::INPUT),
    key("tool_use_id", key_values::CALL_ID),
];

/// A tool call without an ID.
pub const ASKED: &[ClientKey] = &[key("tool_name", key_values::TOOL), key("tool_input", key_values::INPUT)];

/// The response of a tool, without its duration.
pub const RESPONSE: &[ClientKey] = &[key("tool_response", key_values::RESPONSE)];

/// The result of a tool call.
pub const RESULT: &[ClientKey] =
    &[key("tool_response", key_values::RESPONSE), key("duration_ms", key_values::DURATION)];

/// The error of a tool call.
pub const FAILURE: &[ClientKey] = &[
    key("error", key_values::ERROR),
    key("is_interrupt", key_values::ALWAYS_FALSE),
    key("duration_ms", key_values::DURATION),
];

/// Calls with their results.
pub const BATCH: &[ClientKey] = &[key("tool_calls", key_values::CALLS)];

/// The start of a session.
pub const BEGINNING: &[ClientKey] = &[key("source", key_values::START_REASON), key("model", key_values::MODEL)];

/// Why a session starts.
pub const SOURCE: &[ClientKey] = &[key("source", key_values::START_REASON)];

/// The end of a session.
pub const ENDING: &[ClientKey] = &[key("reason", key_values::END_REASON)];

/// The user's prompt.
pub const PROMPT: &[ClientKey] = &[key("prompt", key_values::PROMPT), key("source", key_values::SOURCE)];

/// The text of the user's prompt.
pub const TEXT: &[ClientKey] = &[key("prompt", key_values::PROMPT)];

/// The end of a turn.
pub const STOP: &[ClientKey] =
    &[key("stop_hook_active", key_values::STOP_HOOK_ACTIVE), key("last_assistant_message", key_values::ANSWER)];

/// Background tasks and crons, which are always empty.
pub const BESIDE: &[ClientKey] =
    &[key("background_tasks", key_values::EMPTY_LIST), key("session_crons", key_values::EMPTY_LIST)];

/// The agent that a task is delegated to.
pub const DELEGATE: &[ClientKey] = &[key("agent_id", key_values::DELEGATION), key("agent_type", key_values::DELEGATE)];

/// The transcript of the subagent.
pub const DELEGATE_TRANSCRIPT: &[ClientKey] = &[key("agent_transcript_path", key_values::TRANSCRIPT)];

/// The error of the turn.
pub const ERROR: &[ClientKey] = &[key("error", key_values::KIND), key("error_details", key_values::MESSAGE)];

/// The input of a compaction.
pub const COMPACT: &[ClientKey] =
    &[key("trigger", key_values::TRIGGER), key("custom_instructions", key_values::INSTRUCTIONS)];

/// Why a compaction starts.
pub const TRIGGER: &[ClientKey] = &[key("trigger", key_values::TRIGGER)];

/// The result of a compaction.
pub const COMPACTED: &[ClientKey] = &[key("trigger", key_values::TRIGGER), key("compact_summary", key_values::SUMMARY)];

/// A notification for the user.
pub const NOTIFICATION: &[ClientKey] =
    &[key("message", key_values::MESSAGE), key("title", key_values::TITLE), key("notification_type", key_values::KIND)];

/// Why a call was denied.
pub const REFUSAL: &[ClientKey] = &[key("reason", key_values::REASON)];
