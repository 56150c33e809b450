//! Files that tools and the host changed: queued at once, reported by `file.edited` at the end of the iteration.
//!
//! The queue belongs to the session, and each edit to the run that caused it: an agent reports its own edits to its own
//! hooks. Tools that write through the session queue their edits themselves ([`TrackedFiles`]). What programs write (a
//! shell, a script that starts one, an MCP server) is found by comparing the workspace before and after the call
//! ([`EditQueue::watch`]), as long as a hook listens. `edit_reports` fires the events.

mod files;
mod scan;

use std::collections::{BTreeMap, VecDeque};

use parking_lot::{Mutex, MutexGuard};
use pintle_host::event::FileEdited;

use crate::workspace::Workspace;

pub(crate) use files::{EditAuthor, TrackedFiles};

use scan::FileStamp;

/// The session's edits that hooks have not been notified of yet.
#[derive(Debug, Default)]
pub(crate) struct EditQueue {
    queue: Mutex<VecDeque<QueuedEdit>>,
    watch: Mutex<WorkspaceWatch>,
}

#[derive(Debug)]
struct QueuedEdit {
    /// The id of the delegation that caused the edit; empty for the agent that talks to the user.
    run: String,
    payload: FileEdited,
}

/// The state of the workspace at the last scan.
#[derive(Debug, Default)]
struct WorkspaceWatch {
    /// The number of running calls that may write files without queueing the edits.
    active: usize,
    /// The files with their stamps; `None` if the workspace is too large to be compared.
    stamps: Option<BTreeMap<String, FileStamp>>,
}

impl EditQueue {
    /// Takes the edits of one run, or of all runs.
    pub(crate) fn take(&self, run: Option<&str>) -> Vec<FileEdited> {
        let edits = self.lock_queue().take(|edit| run.is_none_or(|run| edit.run == run));
        edits.into_iter().map(|edit| edit.payload).collect()
    }

    /// Watches the workspace until the result is dropped.
    pub(crate) fn watch<'a>(&'a self, workspace: &'a Workspace, author: EditAuthor<'a>) -> WatchedCall<'a> {
        let mut watch = self.watch.lock();
        if watch.active == 0 {
            // Changes from before this call were not made by a call.
            watch.stamps = scan::scan_workspace(workspace);
        }
        watch.active += 1;
        WatchedCall { workspace, edits: self, author }
    }

    pub(crate) fn push(&self, run: &str, payload: FileEdited) {
        self.lock_queue().0.push_back(QueuedEdit { run: run.to_owned(), payload });
    }

    fn lock_queue(&self) -> QueueGuard<'_> {
        QueueGuard(self.queue.lock())
    }
}

/// The locked queue.
struct QueueGuard<'a>(MutexGuard<'a, VecDeque<QueuedEdit>>);

impl QueueGuard<'_> {
    fn take(mut self, is_wanted: impl Fn(&QueuedEdit) -> bool) -> Vec<QueuedEdit> {
        let (wanted, left) = self.0.drain(..).partition(is_wanted);
        *self.0 = left;
        Vec::from(wanted)
    }
}

/// A running call that may write files without queueing the edits. Its changes are found and queued when it is dropped.
///
/// If several calls run at the same time, each change is reported once, by the first call that ends after it.
pub(crate) struct WatchedCall<'a> {
    workspace: &'a Workspace,
    edits: &'a EditQueue,
    author: EditAuthor<'a>,
}

impl Drop for WatchedCall<'_> {
    fn drop(&mut self) {
        let mut watch = self.edits.watch.lock();
        watch.active = watch.active.saturating_sub(1);
        let now = scan::scan_workspace(self.workspace);
        if let (Some(before), Some(now)) = (&watch.stamps, &now) {
            for (path, operation, size_bytes) in scan::find_changes(before, now) {
                self.author.queue_edit(self.edits, self.workspace, path, operation, size_bytes, None);
            }
        }
        // Without a running call the stamps would become outdated.
        watch.stamps = now.filter(|_| watch.active > 0);
    }
}
