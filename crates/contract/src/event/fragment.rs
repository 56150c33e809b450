//! Types that the payloads of several events share.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::aliases::{json_to_text, parse_json_or_text};
use crate::{CallCommand, Operation, ToolKind};

/// The only tool type in OpenAI's chat format.
fn function() -> String {
    String::from("function")
}

/// A message of the conversation, in OpenAI's chat format.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ChatMessage {
    /// The role of the sender: `system`, `user`, `assistant` or `tool`.
    pub role: String,
    /// A text, or a list of content parts; absent if the assistant only calls tools.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub content: Value,
    /// The tool calls that the assistant requests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ChatToolCall>,
    /// The ID of the tool call that a tool message responds to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The name of the sender or tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Caching instructions for the provider, passed through unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<Value>,
}

/// A tool call in a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ChatToolCall {
    /// The provider's ID of the call.
    pub id: String,
    /// Always `function`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The function to call, with its arguments.
    pub function: ChatFunctionCall,
}

/// The function of a [`ChatToolCall`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ChatFunctionCall {
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments: String,
}

impl Default for ChatToolCall {
    fn default() -> Self {
        Self { id: String::new(), kind: function(), function: ChatFunctionCall::default() }
    }
}

impl ChatMessage {
    /// Creates a message with plain text.
    pub fn text(role: impl Into<String>, text: impl Into<String>) -> Self {
        Self { role: role.into(), content: Value::String(text.into()), ..Self::default() }
    }
}

/// A tool definition as sent to a model, in OpenAI's chat format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ChatTool {
    /// Always `function`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The function that the tool is.
    pub function: ChatFunction,
}

/// The function of a [`ChatTool`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ChatFunction {
    /// The tool's name.
    pub name: String,
    /// The description of the tool.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

impl Default for ChatTool {
    fn default() -> Self {
        Self { kind: function(), function: ChatFunction::default() }
    }
}

impl ChatTool {
    /// Creates a tool definition; `parameters` is the JSON Schema of its arguments.
    pub fn new(name: impl Into<String>, description: impl Into<String>, parameters: Value) -> Self {
        let function = ChatFunction { name: name.into(), description: description.into(), parameters };
        Self { function, ..Self::default() }
    }
}

/// One choice of a model response.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CompletionChoice {
    /// The index of the choice, from 0.
    pub index: u32,
    /// The message that the model produced.
    pub message: ChatMessage,
    /// Why the model stopped: `stop`, `tool_calls`, `length`, `content_filter` or the provider's own value.
    pub finish_reason: String,
}

/// A tool call that the model made, with its arguments decoded and as text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ToolCall {
    /// The provider's ID of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments, decoded.
    pub args: Value,
    /// The arguments as JSON text.
    pub arguments: String,
}

impl ToolCall {
    /// Creates a call and encodes its arguments as text.
    pub fn new(id: impl Into<String>, name: impl Into<String>, args: Value) -> Self {
        Self { id: id.into(), name: name.into(), arguments: args.to_string(), args }
    }
}

/// The result of a tool call, decoded and as text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ToolResult {
    /// The ID of the tool call.
    pub call_id: String,
    /// The tool's name.
    pub name: String,
    /// The result as the model receives it: a text unchanged, any other value as JSON text.
    pub content: String,
    /// Whether the tool failed, was denied or was not found.
    pub is_error: bool,
    /// The result: decoded if it is JSON, otherwise the text.
    pub result: Value,
}

impl ToolResult {
    /// Creates a result and encodes it as text.
    pub fn new(call_id: impl Into<String>, name: impl Into<String>, result: Value, is_error: bool) -> Self {
        let content = json_to_text(&result);
        Self { call_id: call_id.into(), name: name.into(), content, is_error, result }
    }

    /// Creates a result from its text, and decodes it if it is JSON.
    pub fn from_content(call_id: impl Into<String>, name: impl Into<String>, content: &str, is_error: bool) -> Self {
        Self::new(call_id, name, parse_json_or_text(content), is_error).with_content(content)
    }

    fn with_content(mut self, content: &str) -> Self {
        content.clone_into(&mut self.content);
        self
    }
}

/// What events say about a tool call beside its name and arguments.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CallFacts {
    /// The vocabulary of `name` and `args`, such as `claude`: that of the agent that makes the call, or the hook's own
    /// if it is written in another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vocabulary: Option<String>,
    /// What the tool is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<ToolKind>,
    /// The tool's name in every vocabulary, the caller's own first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The absolute path of the directory that relative paths refer to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The absolute path of the project; absent if no hook reads paths or operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The paths that the call names; absent if no hook reads them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<CallPath>>,
    /// What the call would do, found before it is done; absent if no hook reads it. What cannot be known is an operation
    /// of the kind `unknown`, with its reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations: Option<Vec<Operation>>,
    /// The commands that the call runs: also those behind wrappers such as `sudo`, in substitutions, and in scripts that it
    /// runs; absent if no hook reads them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commands: Option<Vec<CallCommand>>,
    /// The files with code that were read for the operations, such as scripts that the call runs; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code_files: Vec<CodeFile>,
    /// The end of the user's pause of self-protection, in milliseconds since 1970; absent if it is not paused, or if no
    /// hook reads operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause_ends_at_ms: Option<u64>,
    /// The end of the time in which the user allows this call once, in milliseconds since 1970; absent if the user did not
    /// allow it, or if no hook reads operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowance_ends_at_ms: Option<u64>,
    /// The tool's category, such as `shell` or `filesystem`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Whether the tool declares itself read-only. Pintle does not verify the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// The session's permission mode, by the host's own name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<String>,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}

impl CallFacts {
    /// The fields that a host works out from the call, in payloads of events about it.
    pub const WORKED_OUT: [&'static str; 4] = ["paths", "operations", "commands", "code_files"];
}

/// A file with code that a call runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CodeFile {
    /// The absolute path, with symbolic links resolved.
    pub path: String,
    /// The digest of what was read of it: `sha256:` and the hex SHA-256.
    pub digest: String,
}

/// A path that a tool call names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct CallPath {
    /// The path as written.
    pub written: String,
    /// The absolute path, with symbolic links resolved as far as the path exists.
    pub absolute: String,
    /// The path relative to the project; absent outside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relative: Option<String>,
    /// Whether the path is inside the project.
    pub inside: bool,
    /// What the call does there: `read`, `write`, `edit`, `delete`, `move`, `list` or `search`.
    pub access: ToolKind,
}

/// The host agent's own data for an event; absent if the event comes from Pintle's own agent loop.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct HostPayload {
    /// The host agent, such as `claude`.
    pub client: String,
    /// The host agent's name for the event, such as `PreToolUse`.
    pub event: String,
    /// The request to the model, as the host agent reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// The tool's result, as the host agent reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<Value>,
    /// The path of the host agent's transcript, in its own format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript_path: Option<String>,
    /// The session's permission mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<String>,
    /// The host agent's ID of the turn or prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// The name of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// A log line that a hook wrote during the turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LogLine {
    /// How urgent the line is: `info` or `warn`.
    pub level: String,
    /// The name of the hook that wrote the line.
    pub hook: String,
    /// The text of the line.
    pub message: String,
}

/// An item of work that is still pending when a run is about to finish.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct UnsettledWork {
    /// The kind of work: `tool_call`, `background_task`, `message`, `approval` or `suspended_persona`.
    pub category: String,
    /// The ID of the item.
    pub id: String,
    /// A description of the work, for the user.
    pub summary: String,
    /// How long the work has been pending, in milliseconds.
    pub age_ms: u64,
}

/// The unsettled work of a session: work that has begun and not ended, and messages that were not delivered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UnsettledState {
    /// Tool calls that are running, or that the model made and that have no result.
    pub tool_calls: Vec<UnsettledWork>,
    /// Delegations and commands that run in the background.
    pub background_tasks: Vec<UnsettledWork>,
    /// Messages to the agent that were not delivered yet.
    pub messages: Vec<UnsettledWork>,
    /// Unanswered approval requests.
    pub approvals: Vec<UnsettledWork>,
    /// Personas that were paused and not resumed.
    pub suspended_personas: Vec<UnsettledWork>,
}

/// The singular noun for the items of each list.
const WORDS: [&str; 5] = ["tool call", "background task", "message", "approval", "suspended persona"];

impl UnsettledState {
    fn lists(&self) -> [&Vec<UnsettledWork>; 5] {
        [&self.tool_calls, &self.background_tasks, &self.messages, &self.approvals, &self.suspended_personas]
    }

    /// Whether nothing is unsettled.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lists().iter().all(|list| list.is_empty())
    }

    /// The number of items of each kind, by the singular noun, such as `tool call`.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, usize)> + use<> {
        WORDS.into_iter().zip(self.lists().map(Vec::len))
    }

    /// All items, kind by kind.
    #[must_use]
    pub fn all(&self) -> Vec<UnsettledWork> {
        self.lists().into_iter().flatten().cloned().collect()
    }

    /// A one-line summary, such as `1 tool call, 2 messages`.
    #[must_use]
    pub fn summary(&self) -> String {
        let told: Vec<String> = self
            .counts()
            .filter(|(_, count)| *count > 0)
            .map(|(word, count)| format!("{count} {word}{}", if count == 1 { "" } else { "s" }))
            .collect();
        if told.is_empty() { String::from("no unsettled work") } else { told.join(", ") }
    }
}

/// Token usage, under the field names of both OpenAI and Anthropic.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct TokenUsage {
    /// The number of input tokens.
    pub input_tokens: u64,
    /// The number of output tokens.
    pub output_tokens: u64,
    /// The sum of input and output tokens.
    pub total_tokens: u64,
    /// Alias of `input_tokens`.
    pub prompt_tokens: u64,
    /// Alias of `output_tokens`.
    pub completion_tokens: u64,
    /// The number of input tokens read from the provider's cache; absent if the provider does not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_input_tokens: Option<u64>,
    /// The number of output tokens spent on reasoning; absent if the provider does not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
}

impl TokenUsage {
    /// Creates a usage and fills in the sum and the aliases.
    #[must_use]
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self {
            input_tokens,
            output_tokens,
            total_tokens: input_tokens.saturating_add(output_tokens),
            prompt_tokens: input_tokens,
            completion_tokens: output_tokens,
            cached_input_tokens: None,
            reasoning_tokens: None,
        }
    }

    /// Adds another usage.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let optional = |one: Option<u64>, two: Option<u64>| match (one, two) {
            (None, None) => None,
            (one, two) => Some(one.unwrap_or(0).saturating_add(two.unwrap_or(0))),
        };
        Self {
            cached_input_tokens: optional(self.cached_input_tokens, other.cached_input_tokens),
            reasoning_tokens: optional(self.reasoning_tokens, other.reasoning_tokens),
            ..Self::new(
                self.input_tokens.saturating_add(other.input_tokens),
                self.output_tokens.saturating_add(other.output_tokens),
            )
        }
    }
}
