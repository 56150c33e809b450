//! Files that tools and the host changed: queued when it happens, told at the next boundary of a round (Harn,
//! `file_edited`).
//!
//! The queue belongs to the session, and each edit to the run that caused it: an agent tells its own hooks of its own
//! edits. Tools that write through the session say so themselves ([`TrackedFiles`]). What programs write - a shell, a script
//! that starts one, an MCP server - is found by comparing the workspace before and after the call ([`watch_call`]), for as
//! long as some hook listens.

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

/// The edits of one session that no hook was told of yet.
#[derive(Debug, Default)]
pub(crate) struct EditQueue {
    queue: Mutex<VecDeque<QueuedEdit>>,
    watch: Mutex<WorkspaceWatch>,
}

/// One of them.
#[derive(Debug)]
struct QueuedEdit {
    /// The delegation that caused it; empty for the agent the person talks to.
    run: String,
    payload: FileEdited,
}

/// What the workspace was like when it was last looked at.
#[derive(Debug, Default)]
struct WorkspaceWatch {
    /// The calls at work that may write unseen.
    active: usize,
    /// The files and what tells their states apart; `None` is a workspace that is too large to be compared.
    stamps: Option<BTreeMap<String, FileStamp>>,
}

impl EditQueue {
    /// Tells the hooks of `file.edited` of everything this turn's run has changed since the last time. What such a hook
    /// changes itself is for the next time. One that fails keeps no other edit from being told.
    pub(crate) fn drain(turn: &TurnContext) {
        Self::fire_matching(turn, |edit| edit.run == turn.origin.run);
    }

    /// The same for all runs, when the session ends.
    pub(crate) fn drain_all(turn: &TurnContext) {
        Self::fire_matching(turn, |_| true);
    }

    fn fire_matching(turn: &TurnContext, is_wanted: impl Fn(&QueuedEdit) -> bool) {
        let edits = turn.agent.shared.edits.lock_queue().take(is_wanted);
        for edit in edits {
            let _ = turn.fire_end(&Event::from_payload(&edit.payload, Arc::clone(&turn.origin)));
        }
    }

    /// Queues what the host says that it changed itself.
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

/// The queue, held.
struct QueueGuard<'a>(MutexGuard<'a, VecDeque<QueuedEdit>>);

impl QueueGuard<'_> {
    fn take(mut self, is_wanted: impl Fn(&QueuedEdit) -> bool) -> Vec<QueuedEdit> {
        let (wanted, left) = self.0.drain(..).partition(is_wanted);
        *self.0 = left;
        Vec::from(wanted)
    }
}

/// A call that may write without a word, and that ends when this is dropped. Then its changes are queued.
///
/// Of calls that run at the same time each change is told once, by the call that ended next after it was made.
pub(crate) struct WatchedCall<'a> {
    workspace: &'a Workspace,
    edits: &'a EditQueue,
    author: EditAuthor<'a>,
}

/// Watches the workspace for as long as a call runs, when a hook wants to know.
pub(crate) fn watch_call<'a>(turn: &'a TurnContext, tool: &'a str, call_id: &'a str) -> Option<WatchedCall<'a>> {
    if !turn.has_listener::<FileEdited>() {
        return None;
    }
    let shared = &turn.agent.shared;
    let mut watch = shared.edits.lock_watch();
    if watch.active == 0 {
        // What changed while no call was at work is somebody else's.
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
        // Nobody looks until the next call begins.
        watch.stamps = now.filter(|_| watch.active > 0);
    }
}
