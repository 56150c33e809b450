//! What the naive fold expects of a dispatch.

use pintle_contract::{Decision, FailureKind, FailurePolicy};
use serde_json::Value;

/// The outcome that the fold expects.
#[derive(Debug, PartialEq)]
pub(crate) struct ExpectedOutcome {
    pub(crate) decision: Decision,
    pub(crate) approved: bool,
    pub(crate) payload: Value,
    pub(crate) rewritten: bool,
    /// Ids of the hooks that decided, each with a `!` behind it where its deny ends the run.
    pub(crate) reasons: Vec<String>,
    /// Ids of the hooks whose effects the host gets.
    pub(crate) effects: Vec<String>,
    pub(crate) failures: Vec<(String, FailureKind, FailurePolicy)>,
    /// Ids of the hooks in shadow mode that said or failed something.
    pub(crate) shadow: Vec<String>,
    pub(crate) has_approval: bool,
    /// Every step between the event and its outcome that the journal is told of.
    pub(crate) steps: Vec<JournaledStep>,
}

/// A step of a dispatch, as the journal is told of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum JournaledStep {
    /// A call: hook, round, payload.
    Call(String, u8, Value),
    /// A matcher that failed: hook, round, what happened.
    MatcherFailed(String, u8, FailureKind),
    /// A hook that is not asked for it: the same.
    NotCalled(String, u8, FailureKind),
    /// An ask that was answered: the digest of the payload, and who asked.
    ApprovalAnswered(String, Vec<String>),
}
