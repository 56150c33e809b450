//! Effects: what a verdict carries in addition to its decision.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{EventKind, Reminder};

/// The events at which a hook can delegate: the agent's answer is replaced by another agent's.
pub const DELEGATING_EVENTS: [EventKind; 2] = [EventKind::AgentStop, EventKind::DelegationPost];

/// A side effect of a verdict, passed to the host with the outcome.
///
/// Metrics, logs and emitted events of a running script go through the [`EffectRunner`](crate::EffectRunner) at once;
/// the effects here are for the host to act on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// Text for the model. The event's definition says how long it stays.
    Context(String),
    /// Text that reminds the model of something, with its lifetime.
    Reminder(Reminder),
    /// Text for the user.
    Notice(String),
    /// A summary that replaces the compacted messages.
    Summary(String),
    /// A log line, in order, for `turn.end`.
    Log {
        /// How urgent the line is.
        level: LogLevel,
        /// The text of the line.
        message: String,
    },
    /// Data for the approver of this call, such as how much it could destroy.
    Metadata(serde_json::Map<String, Value>),
    /// A request to run another agent and use its answer (`delegate(request)`).
    Delegate(Value),
}

/// How urgent a log line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// Written by `log(..)` and `log.info(..)`.
    Info,
    /// Written by `log.warn(..)`.
    Warn,
}
