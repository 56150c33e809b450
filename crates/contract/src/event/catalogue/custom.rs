//! `custom.*`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::FailurePolicy;
use crate::event::def::{ContextScope, EventClass, EventDef, RewriteTarget, no_aliases};

/// The event definition of `custom.*`.
pub static ROW: EventDef = EventDef {
    name: "custom.*",
    fires_when: "A script calls `events.emit(\"custom.name\", payload)`.",
    class: EventClass::Rewrite,
    subject: None,
    target: RewriteTarget::Whole,
    deny_means: "`events.emit` raises an error with the reason in the script that called it.",
    deny_restricts: true,
    context: ContextScope::None,
    on_failure: FailurePolicy::Open,
    example: || json!({"service": "billing", "version": 7}),
    normalize: no_aliases,
};

/// The payload of `custom.*`: the value that the script emitted; `null` by default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct CustomPayload(pub Value);
