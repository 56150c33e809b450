//! A journal of text lines.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pintle_contract::{CallId, DispatchId, Journal, JournalEntry};

/// Keeps every entry as one line, so that two dispatches can be compared byte for byte. Clones share the lines.
#[derive(Debug, Clone, Default)]
pub struct LineJournal(Arc<JournalInner>);

#[derive(Debug, Default)]
struct JournalInner {
    lines: Mutex<Vec<String>>,
    dispatches: AtomicU64,
    calls: AtomicU64,
}

impl LineJournal {
    /// Creates an empty journal; its first call has the number 1.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The lines so far.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The lines so far as one text.
    #[must_use]
    pub fn text(&self) -> String {
        self.lines().join("\n")
    }
}

impl Journal for LineJournal {
    fn begin_dispatch(&self, event: &JournalEntry<'_>) -> DispatchId {
        let dispatch = DispatchId(self.0.dispatches.fetch_add(1, Ordering::AcqRel) + 1);
        self.record(dispatch, event);
        dispatch
    }

    fn record(&self, _dispatch: DispatchId, entry: &JournalEntry<'_>) {
        let line = match entry {
            JournalEntry::Event { event, .. } => format!("event {} {:?}", event.name, event.payload),
            JournalEntry::MatcherFailed { hook, round, failure } => {
                format!("matcher_failed {} round {round} {failure}", hook.id)
            }
            JournalEntry::NotCalled { hook, round, failure } => {
                format!("not_called {} round {round} {failure}", hook.id)
            }
            JournalEntry::ApprovalAnswered { digest, reasons, response: resolution } => {
                format!("resolved {digest} {reasons:?} {resolution:?}")
            }
            JournalEntry::Call { id, hook, round, event } => {
                format!("call {} {} round {round} {:?}", id.0, hook.id, event.payload)
            }
            JournalEntry::Return { id, hook, verdict, duration_us } => {
                format!("return {} {} {verdict:?} {duration_us} us", id.0, hook.id)
            }
            JournalEntry::Warning { warning } => format!("warning {}: {}", warning.hook, warning.message),
            JournalEntry::Outcome { event, outcome } => format!("outcome {} {outcome:?}", event.name),
        };
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    fn next_call(&self) -> CallId {
        CallId(self.0.calls.fetch_add(1, Ordering::AcqRel) + 1)
    }
}
