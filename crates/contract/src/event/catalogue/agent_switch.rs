//! `agent.switch`.

use super::prelude::*;

/// The event definition of `agent.switch`.
pub static ROW: EventDef = EventDef {
    fires_when: "The conversation switches to another agent.",
    subject: Some("to"),
    ..EventDef::observe("agent.switch")
};

/// The payload of `agent.switch`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct AgentSwitch {
    /// The agent that had the conversation so far.
    pub from: String,
    /// The agent that has the conversation from now on.
    pub to: String,
    /// How the switch happens: `delegation`, `delegation_return`, `handoff` or `forced_handoff`.
    pub kind: String,
    /// The models of the agent named in `from`.
    pub from_models: Vec<AgentModel>,
}

/// A model of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct AgentModel {
    /// The provider of the model, such as `openai`.
    pub provider: String,
    /// The name of the model.
    pub model: String,
    /// The URL of the server; absent if it is the provider's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The URL that unloads the model from memory; absent if the server has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unload_url: Option<String>,
}
