//! `notification`.

use super::prelude::*;

/// The event definition of `notification`.
pub static ROW: EventDef = EventDef {
    fires_when: "The user is notified of something outside the conversation.",
    subject: Some("kind"),
    ..EventDef::observe("notification")
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
