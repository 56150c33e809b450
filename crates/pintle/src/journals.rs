//! The tape and whoever else watches.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use pintle_contract::{
    CallId, Chain, EffectCaller, EffectError, EffectReply, EffectRequest, Journal, JournalEntry, Redactor,
};
use pintle_tape::Tape;

/// Passes every step to the tape first and then to the watchers, in the order they were added.
#[derive(Debug, Default)]
pub(crate) struct Journals {
    tape: Option<Arc<Tape>>,
    watchers: Vec<Arc<dyn Journal>>,
    unheard: Unheard,
    secrets: OnceLock<Arc<dyn Redactor>>,
}

impl Journals {
    pub(crate) fn new(tape: Option<Arc<Tape>>, watchers: Vec<Arc<dyn Journal>>) -> Self {
        Self { tape, watchers, unheard: Unheard::default(), secrets: OnceLock::new() }
    }

    pub(crate) fn tape(&self) -> Option<&Arc<Tape>> {
        self.tape.as_ref()
    }

    /// Keeps secrets off the tape from here on when one of these hooks is there to take them out. The event is written
    /// down before a hook sees it, so the hook alone could not.
    pub(crate) fn keep_clean<'a>(&self, chains: impl IntoIterator<Item = &'a Chain>) {
        if self.secrets.get().is_some() {
            return;
        }
        let mut hooks = chains.into_iter().flat_map(|chain| &chain.hooks);
        let Some(secrets) = hooks.find_map(|hook| hook.handler.redactor()) else { return };
        self.redact(secrets);
    }

    /// Keeps secrets off the tape from here on. Who is asked first stays.
    pub(crate) fn redact(&self, secrets: Arc<dyn Redactor>) {
        if let Some(tape) = &self.tape {
            tape.set_redactor(Arc::clone(&secrets));
        }
        let _ = self.secrets.set(secrets);
    }

    pub(crate) fn secrets(&self) -> Option<&Arc<dyn Redactor>> {
        self.secrets.get()
    }

    pub(crate) fn effect(
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
    pub(crate) fn hears(&self) -> bool {
        self.tape.is_some() || !self.watchers.is_empty()
    }

    /// Whom to tell the steps when nobody hears them: numbers the calls, and no more.
    pub(crate) fn unheard(&self) -> &Unheard {
        &self.unheard
    }

    /// Whether anybody keeps effects, so that a request need not be copied for nobody.
    pub(crate) fn keeps_effects(&self) -> bool {
        self.tape.is_some()
    }
}

impl Journal for Journals {
    fn record(&self, entry: &JournalEntry<'_>) {
        if let Some(tape) = &self.tape {
            tape.record(entry);
        }
        for watcher in &self.watchers {
            watcher.record(entry);
        }
    }

    fn next_call(&self) -> CallId {
        match &self.tape {
            Some(tape) => tape.next_call(),
            None => self.unheard.next_call(),
        }
    }
}

/// A journal of a runtime that keeps none.
#[derive(Debug, Default)]
pub(crate) struct Unheard {
    calls: AtomicU64,
}

impl Journal for Unheard {
    fn record(&self, _entry: &JournalEntry<'_>) {}

    fn next_call(&self) -> CallId {
        CallId(self.calls.fetch_add(1, Ordering::Relaxed) + 1)
    }
}
