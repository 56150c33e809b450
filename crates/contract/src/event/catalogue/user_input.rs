//! `user.input`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `user.input`.
pub static ROW: EventDef = EventDef {
    name: "user.input",
    fires_when: "The agent waits for a person to say something.",
    class: EventClass::Observe,
    subject: Some("reason"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<UserInput>,
    example: || json!({"reason": "permission", "message": "run `git push`?"}),
    normalize: no_aliases,
};

/// The payload of `user.input`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UserInput {
    /// What for: `prompt`, `permission`, `limit` or `question`.
    pub reason: String,
    /// What the person sees; empty when it is only the prompt.
    pub message: String,
}
