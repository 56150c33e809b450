//! The tape and all other journals of a runtime.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use pintle_contract::{
    CallId, Chain, DispatchId, EffectCaller, EffectError, EffectReply, EffectRequest, Event, EventCause, Journal,
    JournalEntry, Outcome, Redactor,
};

use crate::Tape;

/// Passes every step to the tape first and then to the other journals, in the order in which they were added.
#[derive(Debug, Default)]
pub(crate) struct JournalFanout {
    tape: Option<Arc<Tape>>,
    listeners: Vec<Arc<dyn Journal>>,
    call_counter: CallCounter,
    redactor: OnceLock<Arc<dyn Redactor>>,
}

impl JournalFanout {
    pub(crate) fn new(tape: Option<Arc<Tape>>, watchers: Vec<Arc<dyn Journal>>) -> Self {
        Self { tape, listeners: watchers, call_counter: CallCounter::default(), redactor: OnceLock::new() }
    }

    /// The same journals with another tape.
    #[cfg(feature = "tape")]
    pub(crate) fn with_tape(&self, tape: Arc<Tape>) -> Self {
        let journals = Self::new(Some(tape), self.listeners.clone());
        if let Some(secrets) = self.redactor() {
            journals.set_redactor(Arc::clone(secrets));
        }
        journals
    }

    pub(crate) fn tape(&self) -> Option<&Arc<Tape>> {
        self.tape.as_ref()
    }

    /// Redacts the tape from now on if one of these hooks is a redactor. The event is recorded before a hook sees it,
    /// so the hook alone would be too late.
    pub(crate) fn enable_redaction<'a>(&self, chains: impl IntoIterator<Item = &'a Chain>) {
        if self.redactor.get().is_some() {
            return;
        }
        let mut hooks = chains.into_iter().flat_map(|chain| &chain.hooks);
        let Some(secrets) = hooks.find_map(|hook| hook.handler.redactor()) else { return };
        self.set_redactor(secrets);
    }

    /// Redacts the tape from now on. A redactor that was set before is kept.
    pub(crate) fn set_redactor(&self, secrets: Arc<dyn Redactor>) {
        if let Some(tape) = &self.tape {
            tape.set_redactor(Arc::clone(&secrets));
        }
        let _ = self.redactor.set(secrets);
    }

    pub(crate) fn redactor(&self) -> Option<&Arc<dyn Redactor>> {
        self.redactor.get()
    }

    pub(crate) fn record_effect(
        &self,
        caller: EffectCaller<'_>,
        request: &EffectRequest,
        reply: &Result<EffectReply, EffectError>,
    ) {
        if let Some(tape) = &self.tape {
            tape.record_effect(caller, request, reply);
        }
    }

    /// Whether the runtime has a tape or another journal.
    pub(crate) fn has_listeners(&self) -> bool {
        self.tape.is_some() || !self.listeners.is_empty()
    }

    /// The call counter, for dispatches that no journal records.
    pub(crate) fn call_counter(&self) -> &CallCounter {
        &self.call_counter
    }

    /// Whether effects are recorded, so that requests are not copied needlessly.
    pub(crate) fn records_effects(&self) -> bool {
        self.tape.is_some()
    }
}

impl Journal for JournalFanout {
    fn begin_dispatch(&self, event: &JournalEntry<'_>) -> DispatchId {
        let dispatch = match &self.tape {
            Some(tape) => tape.begin_dispatch(event),
            None => self.call_counter.begin_dispatch(event),
        };
        for watcher in &self.listeners {
            watcher.record(dispatch, event);
        }
        dispatch
    }

    fn record(&self, dispatch: DispatchId, entry: &JournalEntry<'_>) {
        if let Some(tape) = &self.tape {
            tape.record(dispatch, entry);
        }
        for watcher in &self.listeners {
            watcher.record(dispatch, entry);
        }
    }

    fn record_without_hooks(&self, event: &Event, cause: EventCause) -> DispatchId {
        let dispatch = match &self.tape {
            Some(tape) => tape.record_without_hooks(event, cause),
            None => self.call_counter.record_without_hooks(event, cause),
        };
        if !self.listeners.is_empty() {
            let outcome = Outcome { dispatch, ..Outcome::unchanged(event.payload.clone()) };
            for watcher in &self.listeners {
                watcher.record(dispatch, &JournalEntry::Event { event, cause });
                watcher.record(dispatch, &JournalEntry::Outcome { event, outcome: &outcome });
            }
        }
        dispatch
    }

    fn next_call(&self) -> CallId {
        match &self.tape {
            Some(tape) => tape.next_call(),
            None => self.call_counter.next_call(),
        }
    }
}

/// A journal that only numbers the dispatches and calls.
#[derive(Debug, Default)]
pub(crate) struct CallCounter {
    dispatches: AtomicU64,
    calls: AtomicU64,
}

impl Journal for CallCounter {
    fn begin_dispatch(&self, _event: &JournalEntry<'_>) -> DispatchId {
        DispatchId(self.dispatches.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, _dispatch: DispatchId, _entry: &JournalEntry<'_>) {}

    fn record_without_hooks(&self, event: &Event, cause: EventCause) -> DispatchId {
        self.begin_dispatch(&JournalEntry::Event { event, cause })
    }

    fn next_call(&self) -> CallId {
        CallId(self.calls.fetch_add(1, Ordering::Relaxed) + 1)
    }
}
