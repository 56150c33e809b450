//! Requests to models, their messages and replies.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One model call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelRequest {
    /// The agent that makes the call. Not sent; scripted models have separate turns for each agent.
    pub agent: String,
    /// The conversation's id, the same for all its calls. Not sent.
    pub conversation: String,
    /// The model's name; empty for the one the model was opened with.
    pub model: String,
    /// The messages, oldest first.
    pub messages: Vec<ModelMessage>,
    /// The tools the model may call.
    pub tools: Vec<ModelTool>,
    /// The maximum number of tokens of the reply; `None` for the declared number or the provider's default.
    pub max_tokens: Option<u32>,
    /// The sampling temperature, 0 to 2; `None` for the declared one or the provider's default.
    pub temperature: Option<f64>,
    /// Nucleus sampling, 0 to 1; `None` for the provider's default.
    pub top_p: Option<f64>,
    /// Texts at which the model stops.
    pub stop: Vec<String>,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ModelMessage {
    /// The role of the author.
    pub role: MessageRole,
    /// The text; may be empty in a message that only calls tools.
    pub content: String,
    /// The tool calls of the assistant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ModelToolCall>,
    /// For [`MessageRole::Tool`]: the id of the call this is the result of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// For [`MessageRole::Tool`]: the tool's name. For others: the author's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl ModelMessage {
    /// Creates a message with only a role and a text.
    pub fn new(role: MessageRole, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), ..Self::default() }
    }

    /// Creates an instruction.
    pub fn system(content: impl Into<String>) -> Self {
        Self::new(MessageRole::System, content)
    }

    /// Creates a message of the user.
    pub fn user(content: impl Into<String>) -> Self {
        Self::new(MessageRole::User, content)
    }

    /// Creates a message of the model, with the tools it called.
    pub fn assistant(content: impl Into<String>, tool_calls: Vec<ModelToolCall>) -> Self {
        Self { tool_calls, ..Self::new(MessageRole::Assistant, content) }
    }

    /// Creates a tool result.
    pub fn tool(call: &ModelToolCall, content: impl Into<String>) -> Self {
        Self {
            tool_call_id: Some(call.id.clone()),
            name: Some(call.name.clone()),
            ..Self::new(MessageRole::Tool, content)
        }
    }
}

/// The role of a message's author.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageRole {
    /// An instruction.
    System,
    /// The user.
    #[default]
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
}

impl MessageRole {
    /// The role's name in chat formats.
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

/// A tool call that the model requests.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ModelToolCall {
    /// The call's id, to which the result refers.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as the model wrote them: meant to be a JSON object, and not checked here.
    pub arguments: String,
}

/// The definition of a tool, as sent to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelTool {
    /// The name, such as `fs.read`. [`Model`](super::Model) adapts it to each provider's rules.
    pub name: String,
    /// The description for the model.
    pub description: String,
    /// The JSON Schema of its arguments, which are an object.
    pub parameters: Value,
}

/// A part of a reply that is being streamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyDelta {
    /// More text.
    Text(String),
}

/// A complete reply.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ModelReply {
    /// The text; may be empty if tools are called.
    pub text: String,
    /// The requested tool calls, in the model's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ModelToolCall>,
    /// Why the model stopped: `stop`, `length`, `tool_calls`, `content_filter`, or the provider's own value.
    pub finish_reason: String,
    /// The tokens that the call used.
    pub usage: ModelUsage,
}

impl ModelReply {
    /// The reply as a message of the conversation.
    #[must_use]
    pub fn to_message(&self) -> ModelMessage {
        ModelMessage::assistant(self.text.clone(), self.tool_calls.clone())
    }
}

/// The tokens of one call, as the provider counts them; 0 if it does not report them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ModelUsage {
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
}

impl std::ops::AddAssign for ModelUsage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
    }
}
