//! `permission.reply`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::fragment::CallFacts;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The event definition of `permission.reply`.
pub static ROW: EventDef = EventDef {
    name: "permission.reply",
    fires_when: "The permission to run a tool call has been granted or denied.",
    class: EventClass::Observe,
    subject: Some("name"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing: hooks can observe this event, but not block it.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<PermissionReply>,
    example: || {
        json!({
            "id": "call_1",
            "name": "run_command",
            "decision": "allow",
            "source": "person",
            "reason": "",
            "remember": false,
            "detail": "user_approved",
        })
    },
    normalize: no_aliases,
};

/// The payload of `permission.reply`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PermissionReply {
    /// The provider's ID of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// `allow` or `deny`.
    pub decision: String,
    /// What decided: `person` (the user), `hook`, `rule`, `resolver` (the host's approver) or `cancelled`.
    pub source: String,
    /// The reason; empty if none was given.
    pub reason: String,
    /// Whether the decision also applies to later calls of the session.
    pub remember: bool,
    /// What decided, by the host's own name, such as `user_approved` or `tool_guard_deny`.
    pub detail: String,
    /// The arguments of the call, decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Value>,
    /// The safety label that the call was given before: `safe`, `destructive` or `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safety_label: Option<String>,
    /// What else is known about the call.
    #[serde(flatten)]
    pub facts: CallFacts,
}
