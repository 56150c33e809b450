//! `session.start`.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};
use crate::event::fragment::HostPayload;

/// The event definition of `session.start`.
pub static ROW: EventDef = EventDef {
    name: "session.start",
    fires_when: "A session starts, before its first turn. A Markdown hook receives `None` as its payload.",
    class: EventClass::Guard,
    subject: Some("source"),
    target: RewriteTarget::Nothing,
    deny_means: "The session does not start: `session blocked: <reason>`.",
    deny_restricts: true,
    context: ContextScope::Persistent,
    on_failure: FailurePolicy::Closed,
    example: || json!({"source": "startup", "cwd": "/home/ada/project"}),
    normalize: no_aliases,
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
