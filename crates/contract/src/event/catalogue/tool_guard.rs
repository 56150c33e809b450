//! `tool.guard`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};
use crate::event::fragment::CallFacts;

/// The event definition of `tool.guard`.
pub static ROW: EventDef = EventDef {
    name: "tool.guard",
    fires_when: "A tool call is checked, whatever the permission rules decide about it.",
    class: EventClass::Guard,
    subject: Some("name"),
    target: RewriteTarget::Nothing,
    deny_means: "The tool does not run; the reason is the tool's error result.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Closed,
    example: || {
        json!({
            "id": "call_1",
            "name": "run_command",
            "arguments": "{\"command\":\"ls -la\"}",
            "args": {"command": "ls -la"},
            "category": "shell",
            "permission_mode": "ask",
        })
    },
    normalize: no_aliases,
};

/// The payload of `tool.guard`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ToolGuard {
    /// The provider's ID of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments: String,
    /// The arguments, decoded.
    pub args: Value,
    /// What else is known about the call.
    #[serde(flatten)]
    pub facts: CallFacts,
}
