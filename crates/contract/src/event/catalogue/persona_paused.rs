//! `persona.paused`.

use super::prelude::*;

/// The event definition of `persona.paused`.
pub static ROW: EventDef = EventDef {
    fires_when: "A persona has been paused: it runs no further step until it is resumed.",
    subject: Some("persona"),
    ..EventDef::observe("persona.paused")
};

/// The payload of `persona.paused`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PersonaPaused {
    /// The name of the persona.
    pub persona: String,
    /// The reason; empty if none was given.
    pub reason: String,
    /// Who did it: `person` (the user), `agent`, `budget` or `host`.
    pub by: String,
}
