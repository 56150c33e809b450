//! `permission.reply`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `permission.reply`.
pub static ROW: EventDef = EventDef {
    name: "permission.reply",
    fires_when: "It is settled whether a tool call may run.",
    class: EventClass::Observe,
    subject: Some("name"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing follows: the event only tells.",
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
    /// The provider's id of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// `allow` or `deny`.
    pub decision: String,
    /// Who settled it: `person`, `hook`, `rule`, `resolver` or `cancelled`.
    pub source: String,
    /// Why; empty when nobody said.
    pub reason: String,
    /// Whether the decision holds for later calls of the session too.
    pub remember: bool,
    /// Who settled it in the host's own words, such as `user_approved` or `tool_guard_deny`.
    pub detail: String,
    /// The arguments of the call, decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Value>,
    /// How the call was judged before: `safe`, `destructive` or `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safety_label: Option<String>,
    /// The group that the tool belongs to, such as `shell` or `filesystem`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Whether the tool says of itself that it changes nothing; a claim, not a proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// How the session asks for permission, in the host's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<String>,
}
