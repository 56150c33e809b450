//! `notification`.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};
use crate::event::fragment::HostPayload;

/// The event definition of `notification`.
pub static ROW: EventDef = EventDef {
    name: "notification",
    fires_when: "The user is notified of something outside the conversation.",
    class: EventClass::Observe,
    subject: Some("kind"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing: hooks can observe this event, but not block it.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    example: || json!({"kind": "idle", "level": "info", "message": "the agent waits for you"}),
    normalize: no_aliases,
};

/// The payload of `notification`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Notification {
    /// What the notification is about: `permission`, `idle`, `error`, `limit`, or the host's own value.
    pub kind: String,
    /// How urgent the notification is: `info`, `warning` or `error`.
    pub level: String,
    /// The title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The text of the notification.
    pub message: String,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
