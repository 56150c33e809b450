//! `session.start`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::fragment::HostPayload;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `session.start`.
pub static ROW: EventDef = EventDef {
    name: "session.start",
    fires_when: "A session begins, before its first turn. A hook in Markdown gets `None` as its payload.",
    class: EventClass::Guard,
    subject: Some("source"),
    target: RewriteTarget::Nothing,
    deny_means: "The session does not start: `session blocked: <reason>`.",
    deny_restricts: true,
    context: ContextScope::Persistent,
    on_failure: FailurePolicy::Closed,
    schema: schema_of::<SessionStart>,
    example: || json!({"source": "startup", "cwd": "/home/ada/project"}),
    normalize: no_aliases,
};

/// The payload of `session.start`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SessionStart {
    /// Why the session starts: `startup`, `resume`, `clear` or `compact`.
    pub source: String,
    /// The working directory.
    pub cwd: String,
    /// What the agent that told of it said in its own words, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
