//! The journal: receives each step of a dispatch, for the tape.

use std::fmt::Debug;

use crate::{ApprovalResponse, CallId, Event, Failure, Hook, Outcome, OutcomeReason, Verdict, Warning};

/// One step of a dispatch, in the order in which the tape records them.
#[derive(Debug)]
pub enum JournalEntry<'a> {
    /// A dispatch starts.
    Event {
        /// The event as the host fired it.
        event: &'a Event,
        /// The hook call that caused the event; `None` if the host fired it.
        cause: Option<CallId>,
    },
    /// A hook's matcher failed. The next entry shows the effect: a warning, or [`JournalEntry::NotCalled`].
    MatcherFailed {
        /// The hook.
        hook: &'a Hook,
        /// The recheck round: 0 for the first pass, 1 to 4 when guards are matched again.
        round: u8,
        /// The error of the matcher.
        failure: &'a Failure,
    },
    /// A hook matched but was not called, because its matcher failed and that counts as a failure, or because the host
    /// cancelled.
    NotCalled {
        /// The hook.
        hook: &'a Hook,
        /// The recheck round: 0 for the first pass, 1 to 4 when guards are matched again.
        round: u8,
        /// The reason, as a failure of the hook.
        failure: &'a Failure,
    },
    /// A hook is called.
    Call {
        /// The ID of the call within the session.
        id: CallId,
        /// The hook.
        hook: &'a Hook,
        /// The recheck round: 0 for the first pass, 1 to 3 when guards are called again. A guard that did not match
        /// before may be called for the first time in a recheck round.
        round: u8,
        /// The event, with the payload that this hook receives.
        event: &'a Event,
    },
    /// A hook returned.
    Return {
        /// The ID of the call.
        id: CallId,
        /// The hook.
        hook: &'a Hook,
        /// The hook's verdict.
        verdict: &'a Verdict,
        /// How long the call took, in microseconds.
        duration_us: u64,
    },
    /// A problem that did not affect the decision, such as a matcher that failed.
    Warning {
        /// The warning, with the hook that it is about.
        warning: &'a Warning,
    },
    /// An approval request was answered, or could not be answered.
    ApprovalAnswered {
        /// The digest of the payload that the response is bound to.
        digest: &'a str,
        /// The hooks that returned `ask`, and their reasons.
        reasons: &'a [OutcomeReason],
        /// The response.
        response: &'a ApprovalResponse,
    },
    /// The dispatch is over. The entry is recorded before the host acts on the outcome.
    Outcome {
        /// The event as the host fired it.
        event: &'a Event,
        /// The outcome.
        outcome: &'a Outcome,
    },
}

/// Receives the steps of every dispatch.
pub trait Journal: Send + Sync + Debug {
    /// Records a step. A journal that cannot write does not report it here; the host has to check the journal.
    fn record(&self, entry: &JournalEntry<'_>);

    /// The ID for the next call: unique and increasing within the journal.
    fn next_call(&self) -> CallId;
}

/// A journal that discards every entry. Every call gets the ID 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct NullJournal;

impl Journal for NullJournal {
    fn record(&self, _entry: &JournalEntry<'_>) {}

    fn next_call(&self) -> CallId {
        CallId(0)
    }
}
