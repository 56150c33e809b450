//! Failures of hooks. A hook that fails has not denied: its failure policy decides.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Diagnostic;

/// The reason why a hook gave no verdict.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The kind of failure, for policies and tests.
    pub kind: FailureKind,
    /// The message for the user: one line, lower case, without a full stop.
    pub message: String,
    /// The position in the hook's source, if known.
    pub diagnostic: Option<Box<Diagnostic>>,
}

impl Failure {
    /// Creates a failure without a source position.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), diagnostic: None }
    }

    /// Adds the position in the hook's source.
    #[must_use]
    pub fn with_location(mut self, diagnostic: Diagnostic) -> Self {
        self.diagnostic = Some(Box::new(diagnostic));
        self
    }
}

/// Compares kind and message; the source position is only for display.
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
    /// The hook did not finish within its time limit.
    Timeout,
    /// The hook exceeded a limit.
    Limit(LimitKind),
    /// The hook's output cannot be decoded.
    BadOutput,
    /// The hook's program does not exist.
    Missing,
    /// Pintle could not start the hook. It is not the hook's own failure, so a guard denies whatever its policy says.
    NotStarted,
    /// The hook crashed: a panic in process, or a signal or exit of its process.
    Crash,
    /// The host cancelled the call.
    Cancelled,
}

/// The limit that a hook exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// Too many interpreter steps.
    Steps,
    /// Too much memory.
    Memory,
    /// Calls nested too deeply.
    Depth,
    /// Too much output.
    Output,
}

impl FailureKind {
    /// Whether the call was ended by something other than the hook's own code: a limit, the deadline, a missing
    /// program, a crash or a cancellation.
    ///
    /// A matcher that is cut short has not decided that its hook does not match.
    #[must_use]
    pub fn is_cut_short(self) -> bool {
        match self {
            Self::Timeout | Self::Limit(_) | Self::Missing | Self::NotStarted | Self::Crash | Self::Cancelled => true,
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
            Self::NotStarted => "not started",
            Self::Crash => "crash",
            Self::Cancelled => "cancelled",
        })
    }
}

/// What a hook's failure means for the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailurePolicy {
    /// The failure counts as a deny.
    Closed,
    /// The failure does not deny; it is recorded, counted and shown.
    Open,
    /// The failure does not deny and is not shown; it is recorded and counted.
    Ignored,
}
