//! What hooks were called with, and what each returned.

use parking_lot::Mutex;
use pintle_host::contract::{CallId, DispatchId, EnforcementMode, Failure, JournalEntry, Location, VerdictKind};
use pintle_host::{Event, FailurePolicy, Hook, Journal, Verdict};

use crate::options::is_same_place;

/// Collects the events that are fired, with the hooks that they called.
#[derive(Debug, Default)]
pub(in crate::commands) struct CallJournal(Mutex<Vec<JudgedEvent>>);

/// An event that was fired.
#[derive(Debug)]
pub(in crate::commands) struct JudgedEvent {
    dispatch: DispatchId,
    pub(in crate::commands) event: Event,
    pub(in crate::commands) calls: Vec<CalledHook>,
}

/// A hook that was called, or that failed before.
#[derive(Debug, Clone)]
pub(in crate::commands) struct CalledHook {
    pub(in crate::commands) name: String,
    pub(in crate::commands) location: Location,
    pub(in crate::commands) mode: EnforcementMode,
    pub(in crate::commands) on_failure: FailurePolicy,
    pub(in crate::commands) verdict: Verdict,
}

impl CalledHook {
    fn new(hook: &Hook, verdict: Verdict) -> Self {
        Self {
            name: hook.id.to_string(),
            location: hook.location.clone(),
            mode: hook.mode,
            on_failure: hook.on_failure,
            verdict,
        }
    }
}

impl CallJournal {
    /// Takes the events, in the order in which they were fired.
    pub(in crate::commands) fn take_events(&self) -> Vec<JudgedEvent> {
        std::mem::take(&mut *self.0.lock())
    }
}

impl Journal for CallJournal {
    fn begin_dispatch(&self, entry: &JournalEntry<'_>) -> DispatchId {
        self.record(DispatchId(0), entry);
        DispatchId(0)
    }

    fn record(&self, dispatch: DispatchId, entry: &JournalEntry<'_>) {
        let mut events = self.0.lock();
        let failed = |failure: &Failure| Verdict::new(VerdictKind::Failed(failure.clone()));
        let called = match entry {
            JournalEntry::Event { event, .. } => {
                events.push(JudgedEvent { dispatch, event: (*event).clone(), calls: Vec::new() });
                return;
            }
            JournalEntry::Return { hook, verdict, .. } => CalledHook::new(hook, (*verdict).clone()),
            JournalEntry::NotCalled { hook, failure, .. } => CalledHook::new(hook, failed(failure)),
            _ => return,
        };
        let Some(event) = events.iter_mut().find(|event| event.dispatch == dispatch) else { return };
        // Of a hook that was called again, the last verdict applies.
        event.calls.retain(|call| call.name != called.name || !is_same_place(&call.location, &called.location));
        event.calls.push(called);
    }

    fn next_call(&self) -> CallId {
        CallId(0)
    }
}
