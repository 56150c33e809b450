//! The journal that observes what the current hooks do in one dispatch.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use pintle_contract::{CallId, CancelToken, DispatchId, Journal, JournalEntry, Outcome, Payload, Verdict};

use super::tape_dispatch::TapeDispatch;
use super::tape_effects::UnusedEffects;

/// One call of a current hook.
#[derive(Debug)]
pub(super) struct ObservedCall {
    pub(super) id: CallId,
    pub(super) hook: String,
    /// The number of earlier calls of the hook in the dispatch.
    pub(super) earlier_call_count: usize,
    pub(super) payload: Payload,
    pub(super) verdict: Option<Verdict>,
}

/// What the current hooks did in one dispatch.
#[derive(Debug)]
pub(super) struct ObservedDispatch {
    pub(super) calls: Vec<ObservedCall>,
    pub(super) outcome: Outcome,
    pub(super) unused_effects: UnusedEffects,
}

/// The journal of one dispatch. It cancels the dispatch at the point where the host cancelled the recorded one.
#[derive(Debug)]
pub(super) struct ObservingJournal<'a> {
    calls: Mutex<Vec<ObservedCall>>,
    /// The number of the recorded dispatch.
    number: DispatchId,
    next_call_id: AtomicU64,
    cancel: &'a CancelToken,
    cancelled_after: Option<usize>,
}

impl<'a> ObservingJournal<'a> {
    pub(super) fn new(recorded: &TapeDispatch, cancel: &'a CancelToken) -> Self {
        let cancelled_after = recorded.cancelled_after;
        if cancelled_after == Some(0) {
            cancel.cancel();
        }
        let number = DispatchId(recorded.number);
        Self { calls: Mutex::default(), number, next_call_id: AtomicU64::new(0), cancel, cancelled_after }
    }

    pub(super) fn into_dispatch(self, outcome: Outcome, unused_effects: UnusedEffects) -> ObservedDispatch {
        ObservedDispatch {
            calls: self.calls.into_inner().unwrap_or_else(PoisonError::into_inner),
            outcome,
            unused_effects,
        }
    }
}

impl Journal for ObservingJournal<'_> {
    fn begin_dispatch(&self, _event: &JournalEntry<'_>) -> DispatchId {
        self.number
    }

    fn record(&self, _dispatch: DispatchId, entry: &JournalEntry<'_>) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        match entry {
            JournalEntry::Call { id, hook, event, .. } => {
                let (hook, payload) = (hook.id.to_string(), event.payload.clone());
                let earlier_call_count = calls.iter().filter(|call| call.hook == hook).count();
                calls.push(ObservedCall { id: *id, hook, earlier_call_count, payload, verdict: None });
            }
            JournalEntry::Return { id, verdict, .. } => {
                if let Some(call) = calls.iter_mut().find(|call| call.id == *id) {
                    call.verdict = Some((*verdict).clone());
                }
                let returned = calls.iter().filter(|call| call.verdict.is_some()).count();
                if self.cancelled_after.is_some_and(|limit| returned >= limit) {
                    self.cancel.cancel();
                }
            }
            _ => {}
        }
    }

    fn next_call(&self) -> CallId {
        CallId(self.next_call_id.fetch_add(1, Ordering::Relaxed) + 1)
    }
}
