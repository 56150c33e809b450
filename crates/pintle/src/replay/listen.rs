//! Hears what the hooks of today do in one dispatch.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use pintle_contract::{CallId, CancelToken, Journal, JournalEntry, Outcome, Payload, Verdict};

use super::recorded::Recorded;
use super::told::Rest;

/// One call of a hook, as it is.
#[derive(Debug)]
pub(super) struct HeardCall {
    pub(super) id: CallId,
    pub(super) hook: String,
    /// How many times the hook was called before in the dispatch.
    pub(super) before: usize,
    pub(super) payload: Payload,
    pub(super) verdict: Option<Verdict>,
}

/// What was heard.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) calls: Vec<HeardCall>,
    pub(super) outcome: Outcome,
    pub(super) rest: Rest,
}

/// The journal of one dispatch. It cancels where the host did so then.
#[derive(Debug)]
pub(super) struct Listener<'a> {
    calls: Mutex<Vec<HeardCall>>,
    next: AtomicU64,
    cancel: &'a CancelToken,
    cancelled_after: Option<usize>,
}

impl<'a> Listener<'a> {
    pub(super) fn new(recorded: &Recorded, cancel: &'a CancelToken) -> Self {
        let cancelled_after = recorded.cancelled_after;
        if cancelled_after == Some(0) {
            cancel.cancel();
        }
        Self { calls: Mutex::default(), next: AtomicU64::new(0), cancel, cancelled_after }
    }

    pub(super) fn close(self, outcome: Outcome, rest: Rest) -> Heard {
        Heard { calls: self.calls.into_inner().unwrap_or_else(PoisonError::into_inner), outcome, rest }
    }
}

impl Journal for Listener<'_> {
    fn record(&self, entry: &JournalEntry<'_>) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        match entry {
            JournalEntry::Call { id, hook, event, .. } => {
                let (hook, payload) = (hook.id.to_string(), event.payload.clone());
                let before = calls.iter().filter(|call| call.hook == hook).count();
                calls.push(HeardCall { id: *id, hook, before, payload, verdict: None });
            }
            JournalEntry::Return { id, verdict, .. } => {
                if let Some(call) = calls.iter_mut().find(|call| call.id == *id) {
                    call.verdict = Some((*verdict).clone());
                }
                let returned = calls.iter().filter(|call| call.verdict.is_some()).count();
                if self.cancelled_after.is_some_and(|most| returned >= most) {
                    self.cancel.cancel();
                }
            }
            _ => {}
        }
    }

    fn next_call(&self) -> CallId {
        CallId(self.next.fetch_add(1, Ordering::Relaxed) + 1)
    }
}
