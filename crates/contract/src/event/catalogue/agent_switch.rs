//! `agent.switch`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `agent.switch`.
pub static ROW: EventDef = EventDef {
    name: "agent.switch",
    fires_when: "The conversation goes to another agent.",
    class: EventClass::Observe,
    subject: Some("to"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<AgentSwitch>,
    example: || {
        json!({
            "from": "triage",
            "to": "billing",
            "kind": "handoff",
            "from_models": [{"provider": "openai", "model": "gpt-4o"}],
        })
    },
    normalize: no_aliases,
};

/// The payload of `agent.switch`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentSwitch {
    /// The agent that spoke so far.
    pub from: String,
    /// The agent that speaks from now on.
    pub to: String,
    /// How: `delegation`, `delegation_return`, `handoff` or `forced_handoff`.
    pub kind: String,
    /// The models of the agent that spoke so far.
    pub from_models: Vec<AgentModel>,
}

/// A model of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentModel {
    /// Who serves it.
    pub provider: String,
    /// Its name.
    pub model: String,
    /// The address of the server, when it is not the provider's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The address that unloads the model from memory, when the server has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unload_url: Option<String>,
}
