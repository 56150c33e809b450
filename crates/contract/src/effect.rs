//! What a verdict carries besides its decision.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Reminder;

/// A side effect of a verdict, handed to the host with the outcome.
///
/// Metrics, logs and emitted events that a script makes while it runs go through the [`EffectRunner`](crate::Seam) at
/// once; the effects here are what the host has to act on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// Text for the model. How long it stays is said by the event's row in the catalogue.
    Context(String),
    /// Text the model is reminded of, and for how long.
    Reminder(Reminder),
    /// Text for the person.
    Notice(String),
    /// A summary that replaces what is compacted.
    Summary(String),
    /// A log line, in order, for `turn.end`.
    Log {
        /// How urgent the line is.
        level: LogLevel,
        /// The text.
        message: String,
    },
    /// Facts for whoever asks a person about this call, such as how much it could destroy.
    Metadata(serde_json::Map<String, Value>),
    /// A request to run another agent and use its answer (`delegate(request)`).
    Delegate(Value),
}

/// How urgent a log line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// `log(..)` and `log.info(..)`.
    Info,
    /// `log.warn(..)`.
    Warn,
}
