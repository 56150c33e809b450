//! `finish.unsettled`.

use super::prelude::*;

/// The event definition of `finish.unsettled`.
pub static ROW: EventDef = EventDef {
    fires_when: "A run is about to finish with work still pending. It fires after `finish.pre`.",
    ..EventDef::observe("finish.unsettled")
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
