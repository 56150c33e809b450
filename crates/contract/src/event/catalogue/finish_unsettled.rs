//! `finish.unsettled`.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};
use crate::event::fragment::UnsettledWork;

/// The event definition of `finish.unsettled`.
pub static ROW: EventDef = EventDef {
    name: "finish.unsettled",
    fires_when: "A run is about to finish with work still pending. It fires after `finish.pre`.",
    class: EventClass::Observe,
    subject: None,
    target: RewriteTarget::Nothing,
    deny_means: "Nothing: hooks can observe this event, but not block it.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    example: || {
        json!({
            "unsettled": [
                {
                    "category": "background_task",
                    "id": "task_3",
                    "summary": "runs",
                    "age_ms": 61000,
                },
            ],
            "summary": "1 background task",
        })
    },
    normalize: no_aliases,
};

/// The payload of `finish.unsettled`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FinishUnsettled {
    /// The work that is still pending.
    pub unsettled: Vec<UnsettledWork>,
    /// The pending work as one line for the user.
    pub summary: String,
}
