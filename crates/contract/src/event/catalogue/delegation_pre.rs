//! `delegation.pre`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::piece::HostSaid;
use crate::event::row::{Class, ContextScope, Row, Target, schema_of};
use crate::event::spelling::{lists, object, same, texts};

/// The row of `delegation.pre`.
pub static ROW: Row = Row {
    name: "delegation.pre",
    fires: "An agent is about to hand a task to another agent.",
    class: Class::Guard,
    subject: Some("agent"),
    target: Target::Fields(&["agent", "prompt", "task", "model", "tools", "system_prompt", "verify", "max_verify_retries"]),
    deny: "The task is not handed over; the delegating agent gets `delegation blocked: <reason>` as an error.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Closed,
    schema: schema_of::<DelegationPre>,
    example: || {
        json!({
            "id": "delegation_1",
            "agent": "reviewer",
            "prompt": "review the change",
            "task": "review the change",
            "depth": 1,
            "tools": [],
            "max_verify_retries": 2,
        })
    },
    settle,
};

/// The payload of `delegation.pre` (AI Harness reference, canonical payload shapes).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DelegationPre {
    /// The id of the delegation.
    pub id: String,
    /// The id of the delegation that the delegating agent itself works on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// The agent that gets the task; empty when it is described here alone.
    pub agent: String,
    /// The task.
    pub prompt: String,
    /// The same text as `prompt`.
    pub task: String,
    /// How deep the other agent will be: 1 for an agent that the first one calls.
    pub depth: u32,
    /// The model of the other agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The tools that it gets besides its own, as written in the request.
    pub tools: Vec<Value>,
    /// The system prompt of the other agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// The script that verifies its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify: Option<String>,
    /// How many more attempts it gets when verification fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_verify_retries: Option<u32>,
    /// What the agent that told of it said in its own words, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostSaid>,
}

/// `prompt` and `task` are two spellings of one text.
fn settle(before: &Value, after: &mut Value) -> Result<(), String> {
    let fields = object(ROW.name, after)?;
    same(before, fields, "prompt", "task");
    texts(fields, &["agent", "prompt"])?;
    lists(fields, &["tools"])
}
