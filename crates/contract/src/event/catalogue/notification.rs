//! `notification`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::fragment::HostPayload;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `notification`.
pub static ROW: EventDef = EventDef {
    name: "notification",
    fires_when: "The person is told something outside the conversation.",
    class: EventClass::Observe,
    subject: Some("kind"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<Notification>,
    example: || json!({"kind": "idle", "level": "info", "message": "the agent waits for you"}),
    normalize: no_aliases,
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
    pub host: Option<HostPayload>,
}
