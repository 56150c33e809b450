//! The values of keys in both directions: how a value is written, and what is read from it.

use serde_json::Value;

use crate::event_def::ClientKey;
use crate::host::HostField;
use crate::{EncodeContext, payload_values};

/// The value of a key.
#[derive(Debug, Clone, Copy)]
pub struct KeyValue {
    /// Encodes the value; `None` omits the key.
    pub write: fn(&EncodeContext<'_>) -> Option<Value>,
    /// What it fills when it is read.
    pub read: Option<HostField>,
}

/// A key of a payload.
pub const fn key(name: &'static str, value: KeyValue) -> ClientKey {
    ClientKey { name, value: value.write, field: value.read }
}

/// A key that is only read.
pub const fn read_key(name: &'static str, field: HostField) -> ClientKey {
    ClientKey { name, value: |_| None, field: Some(field) }
}

/// A value that is written so, and read as this field.
pub const fn both(write: fn(&EncodeContext<'_>) -> Option<Value>, field: HostField) -> KeyValue {
    KeyValue { write, read: Some(field) }
}

/// A value that is only written.
pub const fn written(write: fn(&EncodeContext<'_>) -> Option<Value>) -> KeyValue {
    KeyValue { write, read: None }
}

/// The session ID.
pub const SESSION: KeyValue = both(payload_values::session, HostField::Session);
/// The transcript file; an empty file if there is none, so that scripts can read it.
pub const TRANSCRIPT: KeyValue = both(payload_values::transcript, HostField::Transcript);
/// The transcript file; null if there is none.
pub const TRANSCRIPT_OR_NULL: KeyValue = both(payload_values::transcript_or_null, HostField::Transcript);
/// The working directory.
pub const DIRECTORY: KeyValue = both(payload_values::directory, HostField::Directory);
/// The workspace directories.
pub const DIRECTORIES: KeyValue = both(payload_values::directories, HostField::Directory);
/// The event's name.
pub const NAME: KeyValue = written(payload_values::name);
/// The permission mode, by Claude Code's names.
pub const MODE: KeyValue = both(payload_values::mode, HostField::Mode);
/// The turn ID.
pub const TURN: KeyValue = both(payload_values::turn, HostField::Turn);
/// The model's name.
pub const MODEL: KeyValue = both(payload_values::model, HostField::Model);
/// The run ID of a subagent.
pub const RUN: KeyValue = both(payload_values::run, HostField::Run);
/// The type of a subagent.
pub const AGENT_KIND: KeyValue = both(payload_values::agent_kind, HostField::Agent);
/// The tool's name.
pub const TOOL: KeyValue = both(payload_values::tool, HostField::Tool);
/// The tool's input.
pub const INPUT: KeyValue = both(payload_values::input, HostField::Input);
/// The tool's input as JSON text.
pub const INPUT_TEXT: KeyValue = both(payload_values::input_text, HostField::Input);
/// The ID of the call.
pub const CALL_ID: KeyValue = both(payload_values::call_id, HostField::CallId);
/// The result of the tool, as the client encodes it.
pub const RESPONSE: KeyValue = both(payload_values::response, HostField::Response);
/// The result as the model receives it.
pub const RESULT_TEXT: KeyValue = both(payload_values::result_text, HostField::Response);
/// The error message.
pub const ERROR: KeyValue = both(payload_values::error, HostField::Error);
/// The duration of the call, in milliseconds.
pub const DURATION: KeyValue = both(payload_values::duration, HostField::Duration);
/// Always false.
pub const ALWAYS_FALSE: KeyValue = written(payload_values::always_false);
/// An empty list.
pub const EMPTY_LIST: KeyValue = written(payload_values::empty_list);
/// The user's prompt.
pub const PROMPT: KeyValue = both(payload_values::prompt, HostField::Prompt);
/// The source of the prompt.
pub const SOURCE: KeyValue = both(payload_values::source, HostField::Source);
/// Why the session starts.
pub const START_REASON: KeyValue = both(payload_values::start_reason, HostField::Source);
/// Why the session ends, by Claude Code's names.
pub const END_REASON: KeyValue = both(payload_values::end_reason, HostField::Reason);
/// What triggered a compaction: `manual` or `auto`.
pub const TRIGGER: KeyValue = both(payload_values::trigger, HostField::Trigger);
/// The user's instructions for the summary.
pub const INSTRUCTIONS: KeyValue = both(payload_values::instructions, HostField::Instructions);
/// The summary of a compaction.
pub const SUMMARY: KeyValue = both(payload_values::summary, HostField::Summary);
/// The final answer of the turn.
pub const ANSWER: KeyValue = both(payload_values::answer, HostField::Answer);
/// The user's last prompt.
pub const LAST_PROMPT: KeyValue = written(payload_values::last_prompt);
/// Whether a hook already made the agent continue.
pub const STOP_HOOK_ACTIVE: KeyValue = both(payload_values::stop_hook_active, HostField::Continued);
/// How often a hook already made the agent continue.
pub const CONTINUATION_COUNT: KeyValue = both(payload_values::continuation_count, HostField::Continued);
/// The ID of a delegated task.
pub const DELEGATION: KeyValue = both(payload_values::delegation, HostField::DelegateId);
/// The agent that a task is delegated to.
pub const DELEGATE: KeyValue = both(payload_values::delegate, HostField::Delegate);
/// The text of a delegated task.
pub const TASK: KeyValue = both(payload_values::task, HostField::Task);
/// The text of a notification or of an error.
pub const MESSAGE: KeyValue = both(payload_values::message, HostField::Message);
/// The title of a notification.
pub const TITLE: KeyValue = both(payload_values::title, HostField::Title);
/// The kind of a notification or of an error.
pub const KIND: KeyValue = both(payload_values::kind, HostField::Kind);
/// Why a call was denied.
pub const REASON: KeyValue = both(payload_values::reason, HostField::Reason);
/// The calls of a batch, each with its result.
pub const CALLS: KeyValue = both(payload_values::calls, HostField::Calls);
