//! What the engine tells the tape.

use std::fmt::Debug;

use crate::{ApprovalResponse, CallId, Event, Failure, Hook, Outcome, OutcomeReason, Verdict, Warning};

/// One step of a dispatch, in the order the tape keeps.
#[derive(Debug)]
pub enum JournalEntry<'a> {
    /// A dispatch begins.
    Event {
        /// The event as the host fired it.
        event: &'a Event,
        /// The call of a hook that caused it, when one did.
        cause: Option<CallId>,
    },
    /// A hook's matcher failed. What follows from that comes next: a warning, or [`JournalEntry::NotCalled`].
    MatcherFailed {
        /// The hook.
        hook: &'a Hook,
        /// The round in which its turn came: 0 for the first, then 1 to 4 when guards have their turn again.
        round: u8,
        /// What happened.
        failure: &'a Failure,
    },
    /// A hook wants the event and is not asked: its matcher failed and that counts, or the host cancelled.
    NotCalled {
        /// The hook.
        hook: &'a Hook,
        /// The round in which its turn came: 0 for the first, then 1 to 4 when guards have their turn again.
        round: u8,
        /// Why, as a failure of the hook.
        failure: &'a Failure,
    },
    /// A hook is called.
    Call {
        /// Numbers the call within the session.
        id: CallId,
        /// The hook.
        hook: &'a Hook,
        /// The round in which it is called: 0 for the first, then 1 to 3 when guards are asked again. A guard that was
        /// passed over before is called for the first time in such a round.
        round: u8,
        /// The event with the payload that this hook sees.
        event: &'a Event,
    },
    /// A hook returned.
    Return {
        /// The number of its call.
        id: CallId,
        /// The hook.
        hook: &'a Hook,
        /// What it said.
        verdict: &'a Verdict,
        /// How long it took.
        duration_us: u64,
    },
    /// Something worth telling that is no verdict, such as a matcher that failed.
    Warning {
        /// What, and of which hook.
        warning: &'a Warning,
    },
    /// An ask was answered, or nobody was there to answer it.
    ApprovalAnswered {
        /// The digest of the payload that the answer is bound to.
        digest: &'a str,
        /// Who asked and why.
        reasons: &'a [OutcomeReason],
        /// The answer.
        response: &'a ApprovalResponse,
    },
    /// The dispatch is over. Written before the host acts on it.
    Outcome {
        /// The event as the host fired it.
        event: &'a Event,
        /// The outcome.
        outcome: &'a Outcome,
    },
}

/// Receives the steps of every dispatch.
pub trait Journal: Send + Sync + Debug {
    /// Records a step. A journal that cannot write keeps the fault to itself until it is asked.
    fn record(&self, entry: &JournalEntry<'_>);

    /// A number for the next call, unique and growing within the journal.
    fn next_call(&self) -> CallId;
}

/// A journal that keeps nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NullJournal;

impl Journal for NullJournal {
    fn record(&self, _entry: &JournalEntry<'_>) {}

    fn next_call(&self) -> CallId {
        CallId(0)
    }
}
