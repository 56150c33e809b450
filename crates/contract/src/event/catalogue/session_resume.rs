//! `session.resume`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::fragment::HostPayload;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `session.resume`.
pub static ROW: EventDef = EventDef {
    name: "session.resume",
    fires_when: "A session that was paused goes on.",
    class: EventClass::Guard,
    subject: Some("source"),
    target: RewriteTarget::Nothing,
    deny_means: "The session does not go on: `session blocked: <reason>`.",
    deny_restricts: true,
    context: ContextScope::Persistent,
    on_failure: FailurePolicy::Closed,
    schema: schema_of::<SessionResume>,
    example: || json!({"source": "resume", "cwd": "/home/ada/project"}),
    normalize: no_aliases,
};

/// The payload of `session.resume`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SessionResume {
    /// Why it goes on: `resume`, `limit` after a person raised the iteration limit, or the host's own word.
    pub source: String,
    /// The working directory.
    pub cwd: String,
    /// The iteration limit before, when `source` is `limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_max_iterations: Option<u32>,
    /// The iteration limit from now on, when `source` is `limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_max_iterations: Option<u32>,
    /// What the agent that told of it said in its own words, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
