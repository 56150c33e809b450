//! `custom.*`.

use super::prelude::*;

/// The event definition of `custom.*`.
pub static ROW: EventDef = EventDef {
    fires_when: "A script calls `events.emit(\"custom.name\", payload)`.",
    target: RewriteTarget::Whole,
    deny_means: "`events.emit` raises an error with the reason in the script that called it.",
    ..EventDef::rewrite("custom.*")
};

/// The payload of `custom.*`: the value that the script emitted; `null` by default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct CustomPayload(pub Value);
