//! `delegation.pre`.

use super::prelude::*;

/// The event definition of `delegation.pre`.
pub static ROW: EventDef = EventDef {
    fires_when: "An agent is about to delegate a task to another agent.",
    subject: Some("agent"),
    target: RewriteTarget::Fields(&[
        "agent",
        "prompt",
        "task",
        "model",
        "tools",
        "system_prompt",
        "verify",
        "max_verify_retries",
    ]),
    deny_means: "The task is not delegated; the delegating agent gets `delegation blocked: <reason>` as an error.",
    same: &[("prompt", "task")],
    texts: &["agent", "prompt"],
    lists: &["tools"],
    ..EventDef::guard("delegation.pre")
};

/// The payload of `delegation.pre`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct DelegationPre {
    /// The ID of the delegation.
    pub id: String,
    /// The ID of the delegation that the delegating agent itself is working on; absent for the main agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// The child agent that gets the task; empty if only this payload describes it.
    pub agent: String,
    /// The task, as a prompt for the child agent.
    pub prompt: String,
    /// Alias of `prompt`.
    pub task: String,
    /// The delegation depth of the child agent: 1 if the main agent delegates to it.
    pub depth: u32,
    /// The model of the child agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Tools that the child agent gets in addition to its own, as written in the request.
    pub tools: Vec<Value>,
    /// The system prompt of the child agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// The script that verifies the child agent's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify: Option<String>,
    /// How many more attempts the child agent gets if verification fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_verify_retries: Option<u32>,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
