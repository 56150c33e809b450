//! `delegation.pre`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::fragment::HostPayload;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of};
use crate::event::aliases::{require_lists, require_object, sync_aliases, require_texts};

/// The row of `delegation.pre`.
pub static ROW: EventDef = EventDef {
    name: "delegation.pre",
    fires_when: "An agent is about to hand a task to another agent.",
    class: EventClass::Guard,
    subject: Some("agent"),
    target: RewriteTarget::Fields(&["agent", "prompt", "task", "model", "tools", "system_prompt", "verify", "max_verify_retries"]),
    deny_means: "The task is not handed over; the delegating agent gets `delegation blocked: <reason>` as an error.",
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
    normalize,
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
    pub host: Option<HostPayload>,
}

/// `prompt` and `task` are two spellings of one text.
fn normalize(before: &Value, after: &mut Value) -> Result<(), String> {
    let fields = require_object(ROW.name, after)?;
    sync_aliases(before, fields, "prompt", "task");
    require_texts(fields, &["agent", "prompt"])?;
    require_lists(fields, &["tools"])
}
