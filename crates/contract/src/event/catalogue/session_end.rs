//! `session.end`.

use super::prelude::*;

/// The event definition of `session.end`.
pub static ROW: EventDef = EventDef {
    fires_when: "A session is over, whether it succeeded or failed. A Markdown hook receives `None` as its payload.",
    subject: Some("reason"),
    ..EventDef::observe("session.end")
};

/// The payload of `session.end`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SessionEnd {
    /// Why the session ended: `done`, `exit`, `clear`, `error`, `cancelled` or `blocked`.
    pub reason: String,
    /// The number of turns in the session.
    pub turns: u32,
    /// How long the session lasted, in milliseconds.
    pub duration_ms: u64,
    /// The tokens used by all model calls of the session.
    pub usage: TokenUsage,
    /// The error message; absent if the session ended without an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
