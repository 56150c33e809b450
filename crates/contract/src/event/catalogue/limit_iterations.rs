//! `limit.iterations`.

use super::prelude::*;

/// The event definition of `limit.iterations`.
pub static ROW: EventDef =
    EventDef { fires_when: "A turn has reached its limit of model calls.", ..EventDef::observe("limit.iterations") };

/// The payload of `limit.iterations`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LimitIterations {
    /// The maximum number of model calls in a turn.
    pub limit: u32,
    /// The message for the user.
    pub message: String,
    /// What the host does next: `stop`, `ask` or `continue`.
    pub action: String,
}
