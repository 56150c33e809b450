//! The host's records: the session itself, its model and its tools.
//!
//! They are inputs of a replay, and [`verify`](crate::verify) compares them with the outcomes.

use std::borrow::Cow;

use pintle_contract::{Origin, Reminder};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dispatch::deserialize_present;
pub use super::kinds::HostRecord;

/// A session, with the data needed to open it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionRecord<'a> {
    /// The session, turn and agent.
    #[serde(skip_serializing)]
    pub origin: Cow<'a, Origin>,
    /// The host's own object, such as the agent's path, the model, the workspace and the permission mode.
    pub reopen_data: Cow<'a, Value>,
}

/// A message to the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserMessageRecord<'a> {
    /// The session, turn and agent.
    #[serde(skip_serializing)]
    pub origin: Cow<'a, Origin>,
    /// How the message arrived.
    pub source: MessageSource,
    /// The message.
    pub text: Cow<'a, str>,
}

/// How a message reaches an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageSource {
    /// As the prompt of a turn.
    Prompt,
    /// During a turn.
    Steer,
    /// Queued for the end of a turn.
    FollowUp,
    /// With the request to resume the session.
    Resume,
}

/// A request to a model, written before it is sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelRequestRecord<'a> {
    /// The session, turn and agent.
    #[serde(skip_serializing)]
    pub origin: Cow<'a, Origin>,
    /// The conversation it belongs to.
    pub conversation: Cow<'a, str>,
    /// Its number on the tape, from 1.
    pub request: u64,
    /// The model.
    pub model: Cow<'a, str>,
    /// The dispatch of `completion.pre` whose final payload is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<u64>,
    /// What is sent; absent if `same_as` refers to it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_present")]
    pub payload: Option<Cow<'a, Value>>,
}

/// The result of a model request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelReplyRecord<'a> {
    /// The session, turn and agent.
    #[serde(skip_serializing)]
    pub origin: Cow<'a, Origin>,
    /// The request.
    pub request: u64,
    /// How long it took.
    pub duration_us: u64,
    /// The reply.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_present")]
    pub reply: Option<Cow<'a, Value>>,
    /// The error, in place of a reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ModelErrorRecord<'a>>,
}

/// Why a model did not reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelErrorRecord<'a> {
    /// The kind, as the host names it.
    pub kind: Cow<'a, str>,
    /// What happened, one line.
    pub message: Cow<'a, str>,
}

/// A tool call, written before the tool runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCallRecord<'a> {
    /// The session, turn and agent.
    #[serde(skip_serializing)]
    pub origin: Cow<'a, Origin>,
    /// The call's id in the conversation.
    pub id: Cow<'a, str>,
    /// The tool.
    pub name: Cow<'a, str>,
    /// The arguments it runs with.
    pub args: Cow<'a, Value>,
}

/// The result of a tool, before hooks see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolResultRecord<'a> {
    /// The session, turn and agent.
    #[serde(skip_serializing)]
    pub origin: Cow<'a, Origin>,
    /// The call's id in the conversation.
    pub id: Cow<'a, str>,
    /// The tool.
    pub name: Cow<'a, str>,
    /// The text for the model.
    pub content: Cow<'a, str>,
    /// Whether it failed.
    pub is_error: bool,
    /// The structured result, if it differs from the text.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_present")]
    pub result: Option<Cow<'a, Value>>,
}

/// A message that was added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageRecord<'a> {
    /// The session, turn and agent.
    #[serde(skip_serializing)]
    pub origin: Cow<'a, Origin>,
    /// The conversation.
    pub conversation: Cow<'a, str>,
    /// The message.
    pub message: Cow<'a, Value>,
}

/// The new messages of a conversation, which replace all earlier ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessagesRecord<'a> {
    /// The session, turn and agent.
    #[serde(skip_serializing)]
    pub origin: Cow<'a, Origin>,
    /// The conversation.
    pub conversation: Cow<'a, str>,
    /// Why.
    pub replaced_by: MessagesReplacedBy,
    /// All of them, in order.
    pub messages: Cow<'a, [Value]>,
}

/// Why the messages of a conversation were replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessagesReplacedBy {
    /// It was compacted.
    Compact,
    /// It was cleared.
    Clear,
    /// The session is resumed.
    Resume,
}

/// What happened to a reminder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReminderRecord<'a> {
    /// The session, turn and agent.
    #[serde(skip_serializing)]
    pub origin: Cow<'a, Origin>,
    /// What happened.
    pub transition: ReminderTransition,
    /// The reminder.
    pub reminder: Cow<'a, Reminder>,
}

/// A state change of a reminder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReminderTransition {
    /// It was queued.
    Injected,
    /// It was dropped because another one with the same key is queued.
    Deduped,
    /// It is part of the next model request.
    Rendered,
    /// Its time to live is over.
    Expired,
    /// It survived a compaction.
    Retained,
    /// It was inherited from the parent agent.
    Inherited,
    /// It was dropped by a compaction or when the conversation was cleared.
    Dropped,
}

/// A turn begins or ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnRecord<'a> {
    /// The session, turn and agent.
    #[serde(skip_serializing)]
    pub origin: Cow<'a, Origin>,
    /// Whether the turn begins or ends.
    pub phase: TurnPhase,
    /// How it ended: `done`, or why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_reason: Option<Cow<'a, str>>,
    /// Its usage, as the host reports it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_present")]
    pub usage: Option<Cow<'a, Value>>,
}

/// The beginning or the end of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnPhase {
    /// The turn begins.
    Start,
    /// The turn ended.
    End,
}

impl TurnRecord<'_> {
    /// Whether a turn of the session begins: one of the agent that talks to the user. Turns of child agents are parts
    /// of it.
    #[must_use]
    pub fn starts_session_turn(&self) -> bool {
        self.phase == TurnPhase::Start && self.origin.depth == 0
    }
}
