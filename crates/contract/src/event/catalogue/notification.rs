//! `notification`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::piece::HostSaid;
use crate::event::row::{Class, ContextScope, Row, Target, schema_of, settled};

/// The row of `notification`.
pub static ROW: Row = Row {
    name: "notification",
    fires: "The person is told something outside the conversation.",
    class: Class::Observe,
    subject: Some("kind"),
    target: Target::Nothing,
    deny: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<Notification>,
    example: || json!({"kind": "idle", "level": "info", "message": "the agent waits for you"}),
    settle: settled,
};

/// The payload of `notification`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Notification {
    /// What it is about: `permission`, `idle`, `error`, `limit`, or the host's own word.
    pub kind: String,
    /// How urgent it is: `info`, `warning` or `error`.
    pub level: String,
    /// The heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The text.
    pub message: String,
    /// What the agent that told of it said in its own words, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostSaid>,
}
