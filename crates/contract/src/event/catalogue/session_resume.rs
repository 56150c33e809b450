//! `session.resume`.

use super::prelude::*;

/// The event definition of `session.resume`.
pub static ROW: EventDef = EventDef {
    fires_when: "A paused session is about to resume.",
    subject: Some("source"),
    deny_means: "The session does not resume: `session blocked: <reason>`.",
    context: ContextScope::Persistent,
    ..EventDef::guard("session.resume")
};

/// The payload of `session.resume`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SessionResume {
    /// Why the session resumes: `resume`, `limit` (the user raised the iteration limit), or the host's own value.
    pub source: String,
    /// The absolute path of the working directory.
    pub cwd: String,
    /// The previous iteration limit; present if `source` is `limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_max_iterations: Option<u32>,
    /// The new iteration limit; present if `source` is `limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_max_iterations: Option<u32>,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
