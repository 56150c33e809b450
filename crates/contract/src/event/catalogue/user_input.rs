//! `user.input`.

use super::prelude::*;

/// The event definition of `user.input`.
pub static ROW: EventDef = EventDef {
    fires_when: "The agent waits for input from the user.",
    subject: Some("reason"),
    ..EventDef::observe("user.input")
};

/// The payload of `user.input`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct UserInput {
    /// What the input is for: `prompt`, `permission`, `limit` or `question`.
    pub reason: String,
    /// The text that the user sees; empty for the plain prompt.
    pub message: String,
}
