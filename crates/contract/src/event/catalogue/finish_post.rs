//! `finish.post`.

use super::prelude::*;

/// The event definition of `finish.post`.
pub static ROW: EventDef = EventDef {
    fires_when: "A run has finished; its return value is about to go to the host.",
    ..EventDef::observe("finish.post")
};

/// The payload of `finish.post`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct FinishPost {
    /// The value that the run returned.
    pub return_value: Value,
    /// The work that was still pending when the run finished.
    pub unsettled: Vec<UnsettledWork>,
}
