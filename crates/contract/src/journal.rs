//! The journal: receives each step of a dispatch, for the tape.

use std::fmt::Debug;

use crate::{ApprovalResponse, CallId, Event, Failure, Hook, Outcome, OutcomeReason, Verdict, Warning};

/// The ID of one dispatch within a session's tape. Every step of the dispatch carries it.
///
/// It is 0 if no journal records the event and no hook is registered for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct DispatchId(pub u64);

/// What causes an event. The default is the host itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EventCause {
    /// The dispatch whose hook fires the event; `None` if the host fires it.
    pub parent: Option<DispatchId>,
    /// The call of that hook.
    pub call: Option<CallId>,
    /// The number of events that led to this one.
    pub depth: u32,
}

impl EventCause {
    /// The maximum nesting depth of events that cause events.
    pub const MAX_DEPTH: u32 = 8;

    /// The cause of events that may be fired after the call has returned: at the same depth, but by the host.
    #[must_use]
    pub fn detached(self) -> Self {
        Self { parent: None, call: None, ..self }
    }
}

/// One step of a dispatch, in the order in which the tape records them.
#[derive(Debug)]
pub enum JournalEntry<'a> {
    /// A dispatch starts.
    Event {
        /// The event as the host fired it.
        event: &'a Event,
        /// What caused the event.
        cause: EventCause,
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
    /// Starts a dispatch: records its first step, a [`JournalEntry::Event`], and returns the ID that all its steps
    /// carry. IDs are unique and increase in the order in which dispatches start.
    fn begin_dispatch(&self, event: &JournalEntry<'_>) -> DispatchId;

    /// Records a step of a dispatch. A journal that cannot write does not report it here; the host has to check the
    /// journal.
    fn record(&self, dispatch: DispatchId, entry: &JournalEntry<'_>);

    /// Records a whole dispatch: no hook matches the event, so nothing happens between its first and its last step.
    /// Default: records both.
    fn record_without_hooks(&self, event: &Event, cause: EventCause) -> DispatchId {
        let dispatch = self.begin_dispatch(&JournalEntry::Event { event, cause });
        let outcome = Outcome { dispatch, ..Outcome::unchanged(event.payload.clone()) };
        self.record(dispatch, &JournalEntry::Outcome { event, outcome: &outcome });
        dispatch
    }

    /// The ID for the next call: unique and increasing within the journal.
    fn next_call(&self) -> CallId;
}

/// A journal that discards every entry. Every dispatch and every call gets the ID 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct NullJournal;

impl Journal for NullJournal {
    fn begin_dispatch(&self, _event: &JournalEntry<'_>) -> DispatchId {
        DispatchId(0)
    }

    fn record_without_hooks(&self, _event: &Event, _cause: EventCause) -> DispatchId {
        DispatchId(0)
    }

    fn record(&self, _dispatch: DispatchId, _entry: &JournalEntry<'_>) {}

    fn next_call(&self) -> CallId {
        CallId(0)
    }
}
