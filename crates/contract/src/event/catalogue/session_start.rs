//! `session.start`.

use super::prelude::*;

/// The event definition of `session.start`.
pub static ROW: EventDef = EventDef {
    fires_when: "A session starts, before its first turn. A Markdown hook receives `None` as its payload.",
    subject: Some("source"),
    deny_means: "The session does not start: `session blocked: <reason>`.",
    context: ContextScope::Persistent,
    ..EventDef::guard("session.start")
};

/// The payload of `session.start`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SessionStart {
    /// Why the session starts: `startup`, `resume`, `clear` or `compact`.
    pub source: String,
    /// The absolute path of the working directory.
    pub cwd: String,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
