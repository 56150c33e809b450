//! `finish.pre`.

use super::prelude::*;

/// The event definition of `finish.pre`.
pub static ROW: EventDef = EventDef {
    fires_when: "A run is about to finish, before the finish callback that the host registered.",
    ..EventDef::observe("finish.pre")
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
