//! The values of keys in both directions: how a value is written, and what is read from it.

use serde_json::{Value, json};

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
pub const SESSION: KeyValue = both(|given| Some(Value::from(given.event.origin.session.as_str())), HostField::Session);
/// The transcript file; an empty file if there is none, so that scripts can read it.
pub const TRANSCRIPT: KeyValue = both(
    |given| Some(payload_values::transcript(given).unwrap_or_else(|| Value::from("/dev/null"))),
    HostField::Transcript,
);
/// The transcript file; null if there is none.
pub const TRANSCRIPT_OR_NULL: KeyValue =
    both(|given| Some(payload_values::transcript(given).unwrap_or_default()), HostField::Transcript);
/// The working directory.
pub const DIRECTORY: KeyValue = both(|given| Some(Value::from(given.event.origin.cwd.as_str())), HostField::Directory);
/// The workspace directories.
pub const DIRECTORIES: KeyValue = both(|given| Some(json!([given.event.origin.cwd])), HostField::Directory);
/// The event's name.
pub const NAME: KeyValue = written(|given| Some(Value::from(given.event_alias)));
/// The permission mode, by Claude Code's names.
pub const MODE: KeyValue = both(payload_values::mode, HostField::Mode);
/// The turn ID.
pub const TURN: KeyValue = both(payload_values::turn, HostField::Turn);
/// The model's name.
pub const MODEL: KeyValue =
    both(|given| given.original_field("model").or_else(|| given.field("model")).cloned(), HostField::Model);
/// The run ID of a subagent.
pub const RUN: KeyValue = both(|given| payload_values::non_empty(&given.event.origin.run), HostField::Run);
/// The type of a subagent.
pub const AGENT_KIND: KeyValue = both(payload_values::agent_kind, HostField::Agent);
/// The tool's name.
pub const TOOL: KeyValue = both(|given| Some(Value::from(given.tool_name())), HostField::Tool);
/// The tool's input.
pub const INPUT: KeyValue = both(|given| Some(given.tool_input().clone()), HostField::Input);
/// The tool's input as JSON text.
pub const INPUT_TEXT: KeyValue = both(|given| Some(Value::from(given.tool_input().to_string())), HostField::Input);
/// The ID of the call.
pub const CALL_ID: KeyValue = both(payload_values::call_id, HostField::CallId);
/// The result of the tool, as the client encodes it.
pub const RESPONSE: KeyValue = both(|given| Some((given.style.response)(given)), HostField::Response);
/// The result as the model receives it.
pub const RESULT_TEXT: KeyValue = both(payload_values::result_text, HostField::Response);
/// The error message.
pub const ERROR: KeyValue =
    both(|given| given.field("error").or_else(|| given.field("content")).cloned(), HostField::Error);
/// The duration of the call, in milliseconds.
pub const DURATION: KeyValue = both(|given| given.field("duration_ms").cloned(), HostField::Duration);
/// Always false.
pub const ALWAYS_FALSE: KeyValue = written(|_| Some(Value::Bool(false)));
/// An empty list.
pub const EMPTY_LIST: KeyValue = written(|_| Some(json!([])));
/// The user's prompt.
pub const PROMPT: KeyValue = both(|given| Some(Value::from(given.text("prompt"))), HostField::Prompt);
/// The source of the prompt.
pub const SOURCE: KeyValue = both(|given| given.field("source").cloned(), HostField::Source);
/// Why the session starts.
pub const START_REASON: KeyValue =
    both(|given| payload_values::start_reason_subject(given).map(Value::from), HostField::Source);
/// Why the session ends, by Claude Code's names.
pub const END_REASON: KeyValue =
    both(|given| payload_values::end_reason_subject(given).map(Value::from), HostField::Reason);
/// What triggered a compaction: `manual` or `auto`.
pub const TRIGGER: KeyValue = both(|given| payload_values::trigger_subject(given).map(Value::from), HostField::Trigger);
/// The user's instructions for the summary.
pub const INSTRUCTIONS: KeyValue = both(
    |given| Some(given.field("instructions").cloned().unwrap_or_else(|| Value::from(""))),
    HostField::Instructions,
);
/// The summary of a compaction.
pub const SUMMARY: KeyValue = both(|given| given.field("summary").cloned(), HostField::Summary);
/// The final answer of the turn.
pub const ANSWER: KeyValue = both(payload_values::answer, HostField::Answer);
/// The user's last prompt.
pub const LAST_PROMPT: KeyValue =
    written(|given| Some(given.field("last_user_message").cloned().unwrap_or_else(|| Value::from(""))));
/// Whether a hook already made the agent continue.
pub const STOP_HOOK_ACTIVE: KeyValue = both(payload_values::stop_hook_active, HostField::Continued);
/// How often a hook already made the agent continue.
pub const CONTINUATION_COUNT: KeyValue =
    both(|given| Some(given.field("continuations").cloned().unwrap_or_else(|| json!(0))), HostField::Continued);
/// The ID of a delegated task.
pub const DELEGATION: KeyValue = both(|given| payload_values::non_empty(given.text("id")), HostField::DelegateId);
/// The agent that a task is delegated to.
pub const DELEGATE: KeyValue = both(|given| Some(Value::from(given.text("agent"))), HostField::Delegate);
/// The text of a delegated task.
pub const TASK: KeyValue =
    both(|given| given.field("prompt").or_else(|| given.field("task")).cloned(), HostField::Task);
/// The text of a notification or of an error.
pub const MESSAGE: KeyValue = both(|given| given.field("message").cloned(), HostField::Message);
/// The title of a notification.
pub const TITLE: KeyValue = both(|given| given.field("title").cloned(), HostField::Title);
/// The kind of a notification or of an error.
pub const KIND: KeyValue = both(|given| given.field("kind").cloned(), HostField::Kind);
/// Why a call was denied.
pub const REASON: KeyValue = both(|given| Some(Value::from(given.text("reason"))), HostField::Reason);
/// The calls of a batch, each with its result.
pub const CALLS: KeyValue = both(payload_values::calls, HostField::Calls);
