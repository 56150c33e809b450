//! Failures of hooks. A failed hook is not a refusing hook (design, section 4).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Diagnostic;

/// Why a hook gave no answer.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The kind, which is what policies and tests look at.
    pub kind: FailureKind,
    /// One line for people, lower case, without a full stop.
    pub message: String,
    /// Where in the hook's source it happened, when that is known.
    pub diagnostic: Option<Box<Diagnostic>>,
}

impl Failure {
    /// A failure without a source position.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), diagnostic: None }
    }

    /// Adds the place in the hook's source.
    #[must_use]
    pub fn with_location(mut self, diagnostic: Diagnostic) -> Self {
        self.diagnostic = Some(Box::new(diagnostic));
        self
    }
}

/// Positions are for people; two failures are the same when kind and message are.
impl PartialEq for Failure {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.message == other.message
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

/// The kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The hook raised an error.
    Error,
    /// The hook did not answer in time.
    Timeout,
    /// The hook went over a limit.
    Limit(LimitKind),
    /// The hook answered something that cannot be read.
    BadOutput,
    /// The program of the hook is not there.
    Missing,
    /// The hook died: a panic in process, a signal or an exit outside it.
    Crash,
    /// The host cancelled the call.
    Cancelled,
}

/// Which limit was exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// Too many steps.
    Steps,
    /// Too much memory.
    Memory,
    /// Calls nested too deeply.
    Depth,
    /// Too much output.
    Output,
}

impl FailureKind {
    /// Whether something other than the hook's own code ended the call: a limit, the deadline, a death, a cancel.
    ///
    /// A matcher that ends so has not said that its hook does not want the event.
    #[must_use]
    pub fn is_cut_short(self) -> bool {
        match self {
            Self::Timeout | Self::Limit(_) | Self::Missing | Self::Crash | Self::Cancelled => true,
            Self::Error | Self::BadOutput => false,
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Timeout => "timeout",
            Self::Limit(LimitKind::Steps) => "step limit",
            Self::Limit(LimitKind::Memory) => "memory limit",
            Self::Limit(LimitKind::Depth) => "depth limit",
            Self::Limit(LimitKind::Output) => "output limit",
            Self::BadOutput => "bad output",
            Self::Missing => "missing program",
            Self::Crash => "crash",
            Self::Cancelled => "cancelled",
        })
    }
}

/// What a failure of a hook means for the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailurePolicy {
    /// The failure denies.
    Closed,
    /// The failure is recorded, counted and shown, and does not deny.
    Open,
    /// The failure is recorded and counted, and neither denies nor is shown.
    Ignored,
}
