//! `approval.requested`.

use super::prelude::*;

/// The event definition of `approval.requested`.
pub static ROW: EventDef = EventDef {
    fires_when: "An approval request is about to be sent to the user.",
    subject: Some("name"),
    ..EventDef::observe("approval.requested")
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
