//! `session.idle`.

use super::prelude::*;

/// The event definition of `session.idle`.
pub static ROW: EventDef =
    EventDef { fires_when: "The agent is idle and waits for work.", ..EventDef::observe("session.idle") };

/// The payload of `session.idle`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct SessionIdle {
    /// The number of model calls that the session has made.
    pub iteration: u32,
    /// How long the agent has been waiting, in milliseconds.
    pub waited_ms: u64,
    /// The interval at which the agent checks for work, in milliseconds; absent if it waits for an event only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wake_interval_ms: Option<u64>,
}
