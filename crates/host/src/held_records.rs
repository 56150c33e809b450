//! Records that are held back until it is their turn.
//!
//! A host may fire the events of several things at once. Each thing then holds its records ([`EventScope::held`]) until
//! the host releases them, so that the tape does not depend on which of them was faster.
//!
//! [`EventScope::held`]: crate::EventScope::held

use std::collections::HashMap;
use std::fmt;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pintle_contract::{
    ApprovalResponse, CallId, DispatchId, EffectCaller, EffectError, EffectReply, EffectRequest, Event, EventCause,
    Failure, Hook, Journal, JournalEntry, Layer, Outcome, OutcomeReason, Verdict, Warning,
};
use pintle_engine::HookSet;

use crate::journal_fanout::JournalFanout;

/// The number of the next held dispatch or call. It is never mistaken for one of the tape, or of other held records.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(1 << 63);

/// The records of the events of one scope, held back until [`Runtime::release_records`](crate::Runtime::release_records).
#[derive(Debug, Default)]
pub struct HeldRecords(Mutex<RecordQueue>);

#[derive(Debug, Default)]
struct RecordQueue {
    waiting: Vec<HeldStep>,
    is_released: bool,
    /// The numbers on the tape of what is written.
    dispatches: HashMap<u64, DispatchId>,
    calls: HashMap<u64, CallId>,
}

/// One step of a held dispatch. The numbers are those given while it was held.
#[derive(Debug)]
enum HeldStep {
    Event { dispatch: DispatchId, event: Event, cause: EventCause },
    WithoutHooks { dispatch: DispatchId, event: Event, cause: EventCause },
    MatcherFailed { dispatch: DispatchId, hook: Arc<Hook>, round: u8, failure: Failure },
    NotCalled { dispatch: DispatchId, hook: Arc<Hook>, round: u8, failure: Failure },
    Call { dispatch: DispatchId, id: CallId, hook: Arc<Hook>, round: u8, event: Event },
    Return { dispatch: DispatchId, id: CallId, hook: Arc<Hook>, verdict: Box<Verdict>, duration_us: u64 },
    Warning { dispatch: DispatchId, warning: Warning },
    ApprovalAnswered { dispatch: DispatchId, digest: String, reasons: Vec<OutcomeReason>, response: ApprovalResponse },
    Outcome { dispatch: DispatchId, event: Event, outcome: Box<Outcome> },
    Effect(HeldEffect),
    Host(HostStep),
}

/// What the host does between its events, such as applying the effects of an outcome.
struct HostStep(Box<dyn FnOnce() + Send>);

impl fmt::Debug for HostStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostStep")
    }
}

/// An effect request of a held call, with its reply.
#[derive(Debug)]
struct HeldEffect {
    dispatch: DispatchId,
    call: CallId,
    name: String,
    layer: Layer,
    request: EffectRequest,
    reply: Result<EffectReply, EffectError>,
}

impl HeldRecords {
    /// Does something of the host's after the records so far are written. It must not use what is held.
    pub fn run_after(&self, step: impl FnOnce() + Send + 'static) {
        let mut queue = self.lock();
        if !queue.is_released {
            queue.waiting.push(HeldStep::Host(HostStep(Box::new(step))));
            return;
        }
        drop(queue);
        step();
    }

    /// Writes what is held. What follows is written at once.
    pub(crate) fn release(&self, journals: &JournalFanout) {
        let mut queue = self.lock();
        queue.is_released = true;
        for step in std::mem::take(&mut queue.waiting) {
            queue.write(journals, step);
        }
    }

    /// Records an effect request of a call, or holds it.
    pub(crate) fn record_effect(
        &self,
        journals: &JournalFanout,
        caller: EffectCaller<'_>,
        request: &EffectRequest,
        reply: &Result<EffectReply, EffectError>,
    ) {
        let EffectCaller { dispatch, call, name, layer, .. } = caller;
        let (request, reply) = (request.clone(), reply.clone());
        let effect = HeldEffect { dispatch, call, name: name.to_owned(), layer, request, reply };
        self.lock().add(journals, HeldStep::Effect(effect));
    }

    fn lock(&self) -> MutexGuard<'_, RecordQueue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn next_number() -> u64 {
    NEXT_NUMBER.fetch_add(1, Ordering::Relaxed)
}

impl RecordQueue {
    fn add(&mut self, journals: &JournalFanout, step: HeldStep) {
        if self.is_released {
            self.write(journals, step);
        } else {
            self.waiting.push(step);
        }
    }

    /// The number on the tape of a dispatch, which is unchanged if it was never held.
    fn dispatch(&self, id: DispatchId) -> DispatchId {
        self.dispatches.get(&id.0).copied().unwrap_or(id)
    }

    fn call(&self, id: CallId) -> CallId {
        self.calls.get(&id.0).copied().unwrap_or(id)
    }

    fn cause(&self, cause: EventCause) -> EventCause {
        let (parent, call) = (cause.parent.map(|id| self.dispatch(id)), cause.call.map(|id| self.call(id)));
        EventCause { parent, call, ..cause }
    }

    /// Writes a step with the numbers that it has on the tape.
    fn write(&mut self, journals: &JournalFanout, step: HeldStep) {
        match step {
            HeldStep::Event { dispatch, event, cause } => {
                let cause = self.cause(cause);
                let number = journals.begin_dispatch(&JournalEntry::Event { event: &event, cause });
                self.dispatches.insert(dispatch.0, number);
            }
            HeldStep::WithoutHooks { dispatch, event, cause } => {
                let number = journals.record_without_hooks(&event, self.cause(cause));
                self.dispatches.insert(dispatch.0, number);
            }
            HeldStep::MatcherFailed { dispatch, hook, round, failure } => journals.record(
                self.dispatch(dispatch),
                &JournalEntry::MatcherFailed { hook: &hook, round, failure: &failure },
            ),
            HeldStep::NotCalled { dispatch, hook, round, failure } => {
                journals.record(
                    self.dispatch(dispatch),
                    &JournalEntry::NotCalled { hook: &hook, round, failure: &failure },
                );
            }
            HeldStep::Call { dispatch, id, hook, round, event } => {
                let number = journals.next_call();
                self.calls.insert(id.0, number);
                let entry = JournalEntry::Call { id: number, hook: &hook, round, event: &event };
                journals.record(self.dispatch(dispatch), &entry);
            }
            HeldStep::Return { dispatch, id, hook, verdict, duration_us } => {
                let entry = JournalEntry::Return { id: self.call(id), hook: &hook, verdict: &verdict, duration_us };
                journals.record(self.dispatch(dispatch), &entry);
            }
            HeldStep::Warning { dispatch, warning } => {
                journals.record(self.dispatch(dispatch), &JournalEntry::Warning { warning: &warning });
            }
            HeldStep::ApprovalAnswered { dispatch, digest, reasons, response } => journals.record(
                self.dispatch(dispatch),
                &JournalEntry::ApprovalAnswered { digest: &digest, reasons: &reasons, response: &response },
            ),
            HeldStep::Outcome { dispatch, event, mut outcome } => {
                outcome.dispatch = self.dispatch(dispatch);
                journals.record(outcome.dispatch, &JournalEntry::Outcome { event: &event, outcome: &outcome });
            }
            HeldStep::Host(HostStep(step)) => step(),
            HeldStep::Effect(HeldEffect { dispatch, call, name, layer, request, reply }) => {
                let caller = EffectCaller::new(self.call(call), &name).with_layer(layer);
                journals.record_effect(caller.with_dispatch(self.dispatch(dispatch)), &request, &reply);
            }
        }
    }
}

/// The journal of a dispatch whose records are held.
#[derive(Debug)]
pub(crate) struct HoldingJournal<'a> {
    pub(crate) held: &'a HeldRecords,
    pub(crate) journals: &'a JournalFanout,
    pub(crate) set: &'a HookSet,
}

impl HoldingJournal<'_> {
    fn add(&self, step: HeldStep) {
        self.held.lock().add(self.journals, step);
    }

    /// The hook as its set shares it: a tape knows hooks by their address.
    fn shared(&self, hook: &Hook) -> Arc<Hook> {
        let known = self.set.hooks().find(|(_, known)| ptr::eq(Arc::as_ptr(known), hook));
        known.map_or_else(|| Arc::new(hook.clone()), |(_, known)| Arc::clone(known))
    }
}

impl Journal for HoldingJournal<'_> {
    fn begin_dispatch(&self, entry: &JournalEntry<'_>) -> DispatchId {
        let mut queue = self.held.lock();
        let dispatch = DispatchId(next_number());
        if let JournalEntry::Event { event, cause } = entry {
            queue.add(self.journals, HeldStep::Event { dispatch, event: (*event).clone(), cause: *cause });
        }
        dispatch
    }

    fn record(&self, dispatch: DispatchId, entry: &JournalEntry<'_>) {
        self.add(match *entry {
            JournalEntry::Event { event, cause } => HeldStep::Event { dispatch, event: event.clone(), cause },
            JournalEntry::MatcherFailed { hook, round, failure } => {
                HeldStep::MatcherFailed { dispatch, hook: self.shared(hook), round, failure: failure.clone() }
            }
            JournalEntry::NotCalled { hook, round, failure } => {
                HeldStep::NotCalled { dispatch, hook: self.shared(hook), round, failure: failure.clone() }
            }
            JournalEntry::Call { id, hook, round, event } => {
                HeldStep::Call { dispatch, id, hook: self.shared(hook), round, event: event.clone() }
            }
            JournalEntry::Return { id, hook, verdict, duration_us } => {
                let (hook, verdict) = (self.shared(hook), Box::new(verdict.clone()));
                HeldStep::Return { dispatch, id, hook, verdict, duration_us }
            }
            JournalEntry::Warning { warning } => HeldStep::Warning { dispatch, warning: warning.clone() },
            JournalEntry::ApprovalAnswered { digest, reasons, response } => HeldStep::ApprovalAnswered {
                dispatch,
                digest: digest.to_owned(),
                reasons: reasons.to_vec(),
                response: response.clone(),
            },
            JournalEntry::Outcome { event, outcome } => {
                HeldStep::Outcome { dispatch, event: event.clone(), outcome: Box::new(outcome.clone()) }
            }
        });
    }

    fn record_without_hooks(&self, event: &Event, cause: EventCause) -> DispatchId {
        let mut queue = self.held.lock();
        let dispatch = DispatchId(next_number());
        queue.add(self.journals, HeldStep::WithoutHooks { dispatch, event: event.clone(), cause });
        dispatch
    }

    fn next_call(&self) -> CallId {
        CallId(next_number())
    }
}
