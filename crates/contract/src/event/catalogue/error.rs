//! `error`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::fragment::HostPayload;
use crate::event::def::{EventClass, ContextScope, EventDef, RewriteTarget, schema_of, no_aliases};

/// The row of `error`.
pub static ROW: EventDef = EventDef {
    name: "error",
    fires_when: "The agent loop met an error that it cannot mend.",
    class: EventClass::Observe,
    subject: Some("kind"),
    target: RewriteTarget::Nothing,
    deny_means: "Nothing follows: the event only tells.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    schema: schema_of::<ErrorPayload>,
    example: || {
        json!({
            "message": "the model did not answer: connection refused",
            "kind": "model",
            "during": "completion.pre",
            "retryable": true,
            "iteration": 2,
        })
    },
    normalize: no_aliases,
};

/// The payload of `error`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ErrorPayload {
    /// What went wrong, for a person.
    pub message: String,
    /// What failed: `model`, `tool`, `hook`, `delegation`, `limit`, `config` or `internal`.
    pub kind: String,
    /// The event during or after which it happened, such as `completion.pre`; empty outside of any.
    pub during: String,
    /// The provider's or the host's code of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Whether trying again may help.
    pub retryable: bool,
    /// Which model call of the turn it was, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    /// What the agent that told of it said in its own words, when it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
