//! `persona.resumed`.

use super::prelude::*;

/// The event definition of `persona.resumed`.
pub static ROW: EventDef = EventDef {
    fires_when: "A paused persona has been resumed and can run steps again.",
    subject: Some("persona"),
    ..EventDef::observe("persona.resumed")
};

/// The payload of `persona.resumed`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PersonaResumed {
    /// The name of the persona.
    pub persona: String,
    /// The reason; empty if none was given.
    pub reason: String,
    /// Who did it: `person` (the user), `agent`, `budget` or `host`.
    pub by: String,
}
