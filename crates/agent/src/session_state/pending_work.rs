//! Work of a session that has begun and not ended.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

/// The work in progress, in the order in which it began. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct PendingWork(Arc<Mutex<WorkItems>>);

#[derive(Debug, Default)]
struct WorkItems {
    started_count: u64,
    pending: BTreeMap<u64, WorkItem>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkKind {
    /// A running tool call.
    ToolCall,
    /// A background delegation or command.
    BackgroundTask,
}

#[derive(Debug, Clone)]
pub(crate) struct WorkItem {
    pub(crate) kind: WorkKind,
    pub(crate) id: String,
    pub(crate) summary: String,
    pub(crate) began_us: u64,
}

/// Marks work as in progress until it is dropped.
#[derive(Debug)]
pub(crate) struct WorkGuard {
    work: PendingWork,
    number: u64,
}

impl PendingWork {
    /// Registers work that begins.
    pub(crate) fn begin(&self, kind: WorkKind, id: &str, summary: &str, began_us: u64) -> WorkGuard {
        let mut items = self.0.lock();
        items.started_count += 1;
        let number = items.started_count;
        items.pending.insert(number, WorkItem { kind, id: id.to_owned(), summary: summary.to_owned(), began_us });
        WorkGuard { work: self.clone(), number }
    }

    /// All work in progress.
    pub(crate) fn all(&self) -> Vec<WorkItem> {
        self.0.lock().pending.values().cloned().collect()
    }
}

impl Drop for WorkGuard {
    fn drop(&mut self) {
        self.work.0.lock().pending.remove(&self.number);
    }
}
