//! `iteration.start`.

use super::prelude::*;

/// The event definition of `iteration.start`.
pub static ROW: EventDef = EventDef {
    fires_when: "A model call of the turn is being prepared. Context that hooks return applies to this call only.",
    context: ContextScope::Call,
    ..EventDef::observe("iteration.start")
};

/// The payload of `iteration.start`, which docker-agent calls `turn_start`: its turn is one model call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct IterationStart {
    /// The number of the model call within the turn, from 1.
    pub iteration: u32,
}
