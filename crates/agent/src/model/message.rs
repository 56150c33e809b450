//! What is said to a model and by it.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One call of a model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelRequest {
    /// Which agent asks. Not sent; a script has turns for each agent.
    pub agent: String,
    /// Which run of that agent asks: the same for all calls of one conversation. Not sent.
    pub conversation: String,
    /// The model's name; empty is the one the model was opened with.
    pub model: String,
    /// The conversation, oldest first.
    pub messages: Vec<ModelMessage>,
    /// The tools the model may call.
    pub tools: Vec<ModelTool>,
    /// The most tokens of the reply; `None` is what the model was opened with, or the provider's default.
    pub max_tokens: Option<u32>,
    /// The sampling temperature, 0 to 2; `None` as for `max_tokens`.
    pub temperature: Option<f64>,
    /// Nucleus sampling, 0 to 1; `None` is the provider's default.
    pub top_p: Option<f64>,
    /// Texts at which the model stops.
    pub stop: Vec<String>,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ModelMessage {
    /// Who speaks.
    pub role: MessageRole,
    /// What is said; may be empty in a message that only calls tools.
    pub content: String,
    /// Tools the assistant calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ModelToolCall>,
    /// For [`MessageRole::Tool`]: the call that this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// For [`MessageRole::Tool`]: the tool's name. For others: a speaker's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl ModelMessage {
    /// A message of one role and nothing but text.
    pub fn new(role: MessageRole, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), ..Self::default() }
    }

    /// The instruction.
    pub fn system(content: impl Into<String>) -> Self {
        Self::new(MessageRole::System, content)
    }

    /// What the person says.
    pub fn user(content: impl Into<String>) -> Self {
        Self::new(MessageRole::User, content)
    }

    /// What the model said, with the tools it called.
    pub fn assistant(content: impl Into<String>, tool_calls: Vec<ModelToolCall>) -> Self {
        Self { tool_calls, ..Self::new(MessageRole::Assistant, content) }
    }

    /// What a tool gave for a call.
    pub fn tool(call: &ModelToolCall, content: impl Into<String>) -> Self {
        Self {
            tool_call_id: Some(call.id.clone()),
            name: Some(call.name.clone()),
            ..Self::new(MessageRole::Tool, content)
        }
    }
}

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageRole {
    /// The instruction.
    System,
    /// The person.
    #[default]
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
}

impl MessageRole {
    /// The role's name as chat formats spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

impl fmt::Display for MessageRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A tool that the model wants to have called.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ModelToolCall {
    /// The call's id; the result names it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as the model wrote them: meant to be a JSON object, and not checked here.
    pub arguments: String,
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelTool {
    /// The name, such as `fs.read`. Each provider's limits on names are dealt with behind [`Model`](super::Model).
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments: an object.
    pub parameters: Value,
}

/// A piece of a reply as it arrives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyDelta {
    /// More text.
    Text(String),
}

/// A whole reply.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ModelReply {
    /// The text; may be empty when tools are called.
    pub text: String,
    /// The tools to call, in the model's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ModelToolCall>,
    /// Why the model ended: `stop`, `length`, `tool_calls`, `content_filter`, or the provider's own word.
    pub finish_reason: String,
    /// What the call took.
    pub usage: ModelUsage,
}

impl ModelReply {
    /// The reply as a message of the conversation.
    #[must_use]
    pub fn to_message(&self) -> ModelMessage {
        ModelMessage::assistant(self.text.clone(), self.tool_calls.clone())
    }
}

/// Tokens of one call, as the provider counts them; 0 when it does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ModelUsage {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
}

impl std::ops::AddAssign for ModelUsage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
    }
}
