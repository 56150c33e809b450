//! Files that tools and the host changed: queued at once, reported by `file.edited` at the end of the iteration.
//!
//! The queue belongs to the session, and each edit to the run that caused it: an agent reports its own edits to its own
//! hooks. Tools that write through the session queue their edits themselves ([`TrackedFiles`]). What programs write (a
//! shell, a script that starts one, an MCP server) is found by comparing the workspace before and after the call
//! ([`watch_call`]), as long as a hook listens.

mod files;
mod scan;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pintle::Event;
use pintle::event::FileEdited;
use serde_json::{Map, Value};

use crate::turn_context::TurnContext;
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
    /// Fires `file.edited` for everything this turn's run has changed since the last time. What such a hook changes
    /// itself is reported the next time. A hook that fails does not keep the other edits from being reported.
    pub(crate) fn drain(turn: &TurnContext) {
        Self::fire_matching(turn, |edit| edit.run == turn.origin.run);
    }

    /// Fires `file.edited` for the edits of all runs, when the session ends.
    pub(crate) fn drain_all(turn: &TurnContext) {
        Self::fire_matching(turn, |_| true);
    }

    fn fire_matching(turn: &TurnContext, is_wanted: impl Fn(&QueuedEdit) -> bool) {
        let edits = turn.agent.shared.edits.lock_queue().take(is_wanted);
        for edit in edits {
            let _ = turn.fire_end(&Event::from_payload(&edit.payload, Arc::clone(&turn.origin)));
        }
    }

    /// Queues an edit that the host reports.
    pub(crate) fn queue_host_edit(turn: &TurnContext, path: &str, metadata: Map<String, Value>) {
        if !turn.has_listener::<FileEdited>() {
            return;
        }
        let workspace = &turn.agent.shared.workspace;
        let absolute = workspace.root().join(path).display().to_string();
        let size = || workspace.stat(path).ok().map(|stat| stat.size_bytes);
        let payload = FileEdited {
            operation: metadata.get("operation").and_then(Value::as_str).unwrap_or("write").to_owned(),
            size_bytes: metadata.get("bytes").and_then(Value::as_u64).or_else(size),
            path: absolute,
            metadata,
            ..FileEdited::default()
        };
        turn.agent.shared.edits.push(&turn.origin.run, payload);
    }

    fn push(&self, run: &str, payload: FileEdited) {
        self.lock_queue().0.push_back(QueuedEdit { run: run.to_owned(), payload });
    }

    fn lock_queue(&self) -> QueueGuard<'_> {
        QueueGuard(self.queue.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn lock_watch(&self) -> MutexGuard<'_, WorkspaceWatch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
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

/// Watches the workspace while a call runs, if a hook listens.
pub(crate) fn watch_call<'a>(turn: &'a TurnContext, tool: &'a str, call_id: &'a str) -> Option<WatchedCall<'a>> {
    if !turn.has_listener::<FileEdited>() {
        return None;
    }
    let shared = &turn.agent.shared;
    let mut watch = shared.edits.lock_watch();
    if watch.active == 0 {
        // Changes from before this call were not made by a call.
        watch.stamps = scan::scan_workspace(&shared.workspace);
    }
    watch.active += 1;
    let by = EditAuthor { run: &turn.origin.run, tool, call_id: Some(call_id) };
    Some(WatchedCall { workspace: &shared.workspace, edits: &shared.edits, author: by })
}

impl Drop for WatchedCall<'_> {
    fn drop(&mut self) {
        let mut watch = self.edits.lock_watch();
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
