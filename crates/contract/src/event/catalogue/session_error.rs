//! `session.error`.

use super::prelude::*;

/// The event definition of `session.error`.
pub static ROW: EventDef = EventDef {
    fires_when: "A session ends abnormally; `session.end` follows.",
    subject: Some("status"),
    ..EventDef::observe("session.error")
};

/// The payload of `session.error`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SessionError {
    /// How the session ended: `failed`, `cancelled`, `blocked`, or the host's own value.
    pub status: String,
    /// Why the session ended, as one word.
    pub stop_reason: String,
    /// The error message, for the user.
    pub message: String,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
