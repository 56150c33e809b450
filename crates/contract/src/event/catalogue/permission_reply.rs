//! `permission.reply`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::row::{Class, ContextScope, Row, Target, schema_of, settled};

/// The row of `permission.reply`.
pub static ROW: Row = Row {
    name: "permission.reply",
    fires: "It is settled whether a tool call may run.",
    class: Class::Observe,
    subject: Some("name"),
    target: Target::Nothing,
    deny: "Nothing follows: the event only tells.",
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
        })
    },
    settle: settled,
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
}
