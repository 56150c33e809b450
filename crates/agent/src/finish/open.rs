//! Work of a session that has begun and not ended.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Work that is under way, by the order in which it began. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenWork(Arc<Mutex<Items>>);

#[derive(Debug, Default)]
struct Items {
    begun: u64,
    open: BTreeMap<u64, Item>,
}

/// Kinds of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A tool call that runs.
    ToolCall,
    /// A delegation or a command that nobody waits for.
    BackgroundTask,
}

/// A piece of work.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) kind: Kind,
    pub(super) id: String,
    pub(super) summary: String,
    pub(super) began_us: u64,
}

/// Work that is under way for as long as this lives.
#[derive(Debug)]
pub(crate) struct Held {
    work: OpenWork,
    number: u64,
}

impl OpenWork {
    /// Takes note of work that begins.
    pub(crate) fn hold(&self, kind: Kind, id: &str, summary: &str, began_us: u64) -> Held {
        let mut items = self.items();
        items.begun += 1;
        let number = items.begun;
        items.open.insert(number, Item { kind, id: id.to_owned(), summary: summary.to_owned(), began_us });
        Held { work: self.clone(), number }
    }

    /// What is under way.
    pub(super) fn all(&self) -> Vec<Item> {
        self.items().open.values().cloned().collect()
    }

    fn items(&self) -> MutexGuard<'_, Items> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.work.items().open.remove(&self.number);
    }
}
