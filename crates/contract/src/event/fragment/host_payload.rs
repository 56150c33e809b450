//! What another agent said in its own words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What another agent said in its own words when it told of an event. Present where a bridge fires the event, absent in
/// Pintle's own loop.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct HostPayload {
    /// The agent, such as `claude`.
    pub client: String,
    /// Its name of the event, such as `PreToolUse`.
    pub event: String,
    /// Its name of the tool, such as `Bash`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Its whole input of the tool. One call of the agent can be several of the events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// What the tool gave, as it tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<Value>,
    /// The file with the conversation, in its own form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript_path: Option<String>,
    /// How the session asks for permission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<String>,
    /// Its id of the turn or of the prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}
