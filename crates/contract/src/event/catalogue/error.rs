//! `error`.

use super::prelude::*;

/// The event definition of `error`.
pub static ROW: EventDef = EventDef {
    fires_when: "The agent loop met an error that it cannot recover from.",
    subject: Some("kind"),
    ..EventDef::observe("error")
};

/// The payload of `error`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ErrorPayload {
    /// The error message, for the user.
    pub message: String,
    /// What failed: `model`, `tool`, `hook`, `delegation`, `limit`, `config` or `internal`.
    pub kind: String,
    /// The event during or after which the error occurred, such as `completion.pre`; empty outside any event.
    pub during: String,
    /// The error code of the provider or host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Whether a retry may succeed.
    pub retryable: bool,
    /// The number of the model call within the turn, from 1; absent outside a model call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    /// The host agent's own data for this event; absent in Pintle's own agent loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostPayload>,
}
