//! The tape and whoever else watches.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use pintle_contract::{
    CallId, Chain, EffectCaller, EffectError, EffectReply, EffectRequest, Journal, JournalEntry, Redactor,
};
use pintle_tape::Tape;

/// Passes every step to the tape first and then to the watchers, in the order they were added.
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

    pub(crate) fn tape(&self) -> Option<&Arc<Tape>> {
        self.tape.as_ref()
    }

    /// Keeps secrets off the tape from here on when one of these hooks is there to take them out. The event is written
    /// down before a hook sees it, so the hook alone could not.
    pub(crate) fn enable_redaction<'a>(&self, chains: impl IntoIterator<Item = &'a Chain>) {
        if self.redactor.get().is_some() {
            return;
        }
        let mut hooks = chains.into_iter().flat_map(|chain| &chain.hooks);
        let Some(secrets) = hooks.find_map(|hook| hook.handler.redactor()) else { return };
        self.set_redactor(secrets);
    }

    /// Keeps secrets off the tape from here on. Who is asked first stays.
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

    /// Whether anybody is told of the steps.
    pub(crate) fn has_listeners(&self) -> bool {
        self.tape.is_some() || !self.listeners.is_empty()
    }

    /// Whom to tell the steps when nobody hears them: numbers the calls, and no more.
    pub(crate) fn call_counter(&self) -> &CallCounter {
        &self.call_counter
    }

    /// Whether anybody keeps effects, so that a request need not be copied for nobody.
    pub(crate) fn records_effects(&self) -> bool {
        self.tape.is_some()
    }
}

impl Journal for JournalFanout {
    fn record(&self, entry: &JournalEntry<'_>) {
        if let Some(tape) = &self.tape {
            tape.record(entry);
        }
        for watcher in &self.listeners {
            watcher.record(entry);
        }
    }

    fn next_call(&self) -> CallId {
        match &self.tape {
            Some(tape) => tape.next_call(),
            None => self.call_counter.next_call(),
        }
    }
}

/// A journal of a runtime that keeps none.
#[derive(Debug, Default)]
pub(crate) struct CallCounter {
    calls: AtomicU64,
}

impl Journal for CallCounter {
    fn record(&self, _entry: &JournalEntry<'_>) {}

    fn next_call(&self) -> CallId {
        CallId(self.calls.fetch_add(1, Ordering::Relaxed) + 1)
    }
}
