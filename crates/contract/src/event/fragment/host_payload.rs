//! A host agent's own data for an event.

use serde::{Deserialize, Serialize};
use serde_json::Value;

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
