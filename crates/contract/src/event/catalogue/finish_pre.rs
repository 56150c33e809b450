//! `finish.pre`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};
use crate::event::fragment::UnsettledWork;

/// The event definition of `finish.pre`.
pub static ROW: EventDef = EventDef {
    name: "finish.pre",
    fires_when: "A run is about to finish, before the finish callback that the host registered.",
    class: EventClass::Observe,
    subject: None,
    target: RewriteTarget::Nothing,
    deny_means: "Nothing: hooks can observe this event, but not block it.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    example: || json!({"return_value": {"merged": true}, "unsettled": [], "has_on_finish": true}),
    normalize: no_aliases,
};

/// The payload of `finish.pre`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FinishPre {
    /// The value that the run is about to return.
    pub return_value: Value,
    /// The work that is still pending.
    pub unsettled: Vec<UnsettledWork>,
    /// Whether a finish callback follows; its value then replaces `return_value`.
    pub has_on_finish: bool,
}
