//! `user.input`.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};

/// The event definition of `user.input`.
pub static ROW: EventDef = EventDef {
    name: "user.input",
    fires_when: "The agent waits for input from the user.",
    class: EventClass::Observe,
    subject: Some("reason"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing: hooks can observe this event, but not block it.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    example: || json!({"reason": "permission", "message": "run `git push`?"}),
    normalize: no_aliases,
};

/// The payload of `user.input`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct UserInput {
    /// What the input is for: `prompt`, `permission`, `limit` or `question`.
    pub reason: String,
    /// The text that the user sees; empty for the plain prompt.
    pub message: String,
}
