//! What the host does: records of the session itself, its model and its tools.
//!
//! They are inputs to a replay, and what [`verify`](crate::verify) holds against the outcomes.

use std::borrow::Cow;

use pintle_contract::{Origin, Reminder};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dispatch::deserialize_present;

/// One record of the host.
#[derive(Debug, Clone, PartialEq)]
pub enum HostRecord<'a> {
    /// A session was opened.
    Session(SessionRecord<'a>),
    /// A session goes on from what is on its tape.
    Resumed(SessionRecord<'a>),
    /// The person, or whoever speaks for them, said something.
    UserMessage(UserMessageRecord<'a>),
    /// The model is about to be asked.
    ModelRequest(ModelRequestRecord<'a>),
    /// The model answered, or did not.
    ModelReply(ModelReplyRecord<'a>),
    /// A tool is about to run.
    ToolCall(ToolCallRecord<'a>),
    /// A tool ran.
    ToolResult(ToolResultRecord<'a>),
    /// A message was added to a conversation.
    Message(MessageRecord<'a>),
    /// The messages of a conversation were replaced.
    Messages(MessagesRecord<'a>),
    /// Something happened to a reminder.
    Reminder(ReminderRecord<'a>),
    /// A turn begins or ends.
    Turn(TurnRecord<'a>),
}

/// A session and what is needed to open it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionRecord<'a> {
    /// Whose life.
    pub origin: Cow<'a, Origin>,
    /// The host's own object, such as the agent's path, the model, the workspace and the permission mode.
    #[serde(rename = "opened")]
    pub reopen_data: Cow<'a, Value>,
}

/// What was said to the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserMessageRecord<'a> {
    /// Whose life.
    pub origin: Cow<'a, Origin>,
    /// On which way it came.
    pub source: MessageSource,
    /// The words.
    pub text: Cow<'a, str>,
}

/// The way on which words reach an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageSource {
    /// As the prompt of a turn.
    Prompt,
    /// Into a turn that is going on.
    Steer,
    /// Kept for the end of a turn.
    FollowUp,
    /// With the request to go on from a tape.
    Resume,
}

/// A request to a model, written before it is sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelRequestRecord<'a> {
    /// Whose life.
    pub origin: Cow<'a, Origin>,
    /// The conversation it belongs to.
    pub conversation: Cow<'a, str>,
    /// Its number in the tape, from 1.
    pub request: u64,
    /// The model.
    pub model: Cow<'a, str>,
    /// What is sent; absent where `same_as` says it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_present")]
    pub payload: Option<Cow<'a, Value>>,
    /// The dispatch of `completion.pre` whose final payload is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<u64>,
}

/// What came of a request to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelReplyRecord<'a> {
    /// Whose life.
    pub origin: Cow<'a, Origin>,
    /// The request.
    pub request: u64,
    /// How long it took.
    pub duration_us: u64,
    /// The answer.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_present")]
    pub reply: Option<Cow<'a, Value>>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ModelErrorRecord<'a>>,
}

/// Why a model did not answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelErrorRecord<'a> {
    /// The kind, in the host's words.
    pub kind: Cow<'a, str>,
    /// What happened, one line.
    pub message: Cow<'a, str>,
}

/// A tool call, written before the tool runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCallRecord<'a> {
    /// Whose life.
    pub origin: Cow<'a, Origin>,
    /// The call's name in the conversation.
    pub id: Cow<'a, str>,
    /// The tool.
    pub name: Cow<'a, str>,
    /// The arguments it runs with.
    pub args: Cow<'a, Value>,
}

/// What a tool itself gave, before hooks saw it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolResultRecord<'a> {
    /// Whose life.
    pub origin: Cow<'a, Origin>,
    /// The call's name in the conversation.
    pub id: Cow<'a, str>,
    /// The tool.
    pub name: Cow<'a, str>,
    /// The text for the model.
    pub content: Cow<'a, str>,
    /// Whether it failed.
    pub is_error: bool,
    /// What it gave besides.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_present")]
    pub result: Option<Cow<'a, Value>>,
}

/// A message that was added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageRecord<'a> {
    /// Whose life.
    pub origin: Cow<'a, Origin>,
    /// The conversation.
    pub conversation: Cow<'a, str>,
    /// The message.
    pub message: Cow<'a, Value>,
}

/// The messages that a conversation has from here on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessagesRecord<'a> {
    /// Whose life.
    pub origin: Cow<'a, Origin>,
    /// The conversation.
    pub conversation: Cow<'a, str>,
    /// Why.
    #[serde(rename = "why")]
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
    /// The session goes on from its tape.
    Resume,
}

/// What happened to a reminder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReminderRecord<'a> {
    /// Whose life.
    pub origin: Cow<'a, Origin>,
    /// What happened.
    #[serde(rename = "what")]
    pub transition: ReminderTransition,
    /// The reminder.
    pub reminder: Cow<'a, Reminder>,
}

/// A step in the life of a reminder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReminderTransition {
    /// It waits to be shown.
    Injected,
    /// Another one with its key stands, so that it is not kept.
    Deduped,
    /// It is part of what the model is asked next.
    Rendered,
    /// Its time is over.
    Expired,
    /// It stays although the conversation was compacted.
    #[serde(rename = "kept")]
    Retained,
    /// It came from the agent above.
    Inherited,
    /// It went with what was compacted or cleared.
    Dropped,
}

/// A turn begins or ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnRecord<'a> {
    /// Whose life.
    pub origin: Cow<'a, Origin>,
    /// Which of the two.
    #[serde(rename = "stage")]
    pub phase: TurnPhase,
    /// How it ended: `done`, or why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "ended")]
    pub end_reason: Option<Cow<'a, str>>,
    /// What it used, in the host's words.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_present")]
    pub usage: Option<Cow<'a, Value>>,
}

/// One end of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnPhase {
    /// It begins.
    Start,
    /// It is over.
    End,
}

impl TurnRecord<'_> {
    /// Whether a turn of the session begins: one of the agent that the person talks to. The turns of the agents below it are
    /// parts of that one.
    #[must_use]
    pub fn starts_session_turn(&self) -> bool {
        self.phase == TurnPhase::Start && self.origin.depth == 0
    }
}

impl HostRecord<'_> {
    /// The record's kind as it is written.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Session(_) => "session",
            Self::Resumed(_) => "resumed",
            Self::UserMessage(_) => "said",
            Self::ModelRequest(_) => "model_request",
            Self::ModelReply(_) => "model_reply",
            Self::ToolCall(_) => "tool_call",
            Self::ToolResult(_) => "tool_result",
            Self::Message(_) => "message",
            Self::Messages(_) => "messages",
            Self::Reminder(_) => "reminder",
            Self::Turn(_) => "turn",
        }
    }

    /// Whose life it is about.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        match self {
            Self::Session(session) | Self::Resumed(session) => &session.origin,
            Self::UserMessage(said) => &said.origin,
            Self::ModelRequest(request) => &request.origin,
            Self::ModelReply(reply) => &reply.origin,
            Self::ToolCall(call) => &call.origin,
            Self::ToolResult(result) => &result.origin,
            Self::Message(message) => &message.origin,
            Self::Messages(messages) => &messages.origin,
            Self::Reminder(reminded) => &reminded.origin,
            Self::Turn(turn) => &turn.origin,
        }
    }
}
