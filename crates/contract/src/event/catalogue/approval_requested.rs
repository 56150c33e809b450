//! `approval.requested`.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};

/// The event definition of `approval.requested`.
pub static ROW: EventDef = EventDef {
    name: "approval.requested",
    fires_when: "An approval request is about to be sent to the user.",
    class: EventClass::Observe,
    subject: Some("name"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing: hooks can observe this event, but not block it.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    example: || {
        json!({
            "id": "approval_1",
            "kind": "tool",
            "name": "run_command",
            "reason": "it publishes the branch",
            "digest": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        })
    },
    normalize: no_aliases,
};

/// The payload of `approval.requested`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ApprovalRequested {
    /// The ID of the request.
    pub id: String,
    /// What the approval is for: `tool`, `step`, `budget`, `error` or `limit`.
    pub kind: String,
    /// The name of what is to be approved, such as a tool.
    pub name: String,
    /// Why approval is needed.
    pub reason: String,
    /// The digest of the exact target that the approval is bound to.
    pub digest: String,
    /// How long the request is valid, in milliseconds; absent if it does not expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_ms: Option<u64>,
    /// The running persona; absent outside a persona.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub persona: String,
    /// The persona's current step; absent outside a step.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub step: String,
}
