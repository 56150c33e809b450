//! Files that tools and the host changed: queued when it happens, told at the next boundary of a round (Harn,
//! `file_edited`).
//!
//! The queue belongs to the session, and each edit to the run that caused it: an agent tells its own hooks of its own
//! edits. Tools that write through the session say so themselves ([`FileTexts`]). What programs write - a shell, a script
//! that starts one, an MCP server - is found by comparing the workspace before and after the call ([`watched`]), for as
//! long as some hook listens.

mod files;
mod scan;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pintle::Event;
use pintle::event::FileEdited;
use serde_json::{Map, Value};

use crate::turn::Turn;
use crate::workspace::Workspace;

pub(crate) use files::{By, Files};

use scan::Stamp;

/// The edits of one session that no hook was told of yet.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    queue: Mutex<VecDeque<Edit>>,
    watch: Mutex<Watch>,
}

/// One of them.
#[derive(Debug)]
struct Edit {
    /// The delegation that caused it; empty for the agent the person talks to.
    run: String,
    payload: FileEdited,
}

/// What the workspace was like when it was last looked at.
#[derive(Debug, Default)]
struct Watch {
    /// The calls at work that may write unseen.
    active: usize,
    /// The files and what tells their states apart; `None` is a workspace that is too large to be compared.
    known: Option<BTreeMap<String, Stamp>>,
}

impl Edits {
    /// Tells the hooks of `file.edited` of everything this turn's run has changed since the last time. What such a hook
    /// changes itself is for the next time. One that fails keeps no other edit from being told.
    pub(crate) fn drain(turn: &Turn) {
        Self::tell(turn, |edit| edit.run == turn.origin.run);
    }

    /// The same for all runs, when the session ends.
    pub(crate) fn drain_all(turn: &Turn) {
        Self::tell(turn, |_| true);
    }

    fn tell(turn: &Turn, is_wanted: impl Fn(&Edit) -> bool) {
        let edits = turn.agent.shared.edits.queue().take(is_wanted);
        for edit in edits {
            let _ = turn.fire_end(&Event::from_payload(&edit.payload, Arc::clone(&turn.origin)));
        }
    }

    /// Queues what the host says that it changed itself.
    pub(crate) fn notify(turn: &Turn, path: &str, metadata: Map<String, Value>) {
        if !turn.listens::<FileEdited>() {
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
        self.queue().0.push_back(Edit { run: run.to_owned(), payload });
    }

    fn queue(&self) -> Queue<'_> {
        Queue(self.queue.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn watch(&self) -> MutexGuard<'_, Watch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The queue, held.
struct Queue<'a>(MutexGuard<'a, VecDeque<Edit>>);

impl Queue<'_> {
    fn take(mut self, is_wanted: impl Fn(&Edit) -> bool) -> Vec<Edit> {
        let (wanted, left) = self.0.drain(..).partition(is_wanted);
        *self.0 = left;
        Vec::from(wanted)
    }
}

/// A call that may write without a word, and that ends when this is dropped. Then its changes are queued.
///
/// Of calls that run at the same time each change is told once, by the call that ended next after it was made.
pub(crate) struct Watched<'a> {
    workspace: &'a Workspace,
    edits: &'a Edits,
    by: By<'a>,
}

/// Watches the workspace for as long as a call runs, when a hook wants to know.
pub(crate) fn watched<'a>(turn: &'a Turn, tool: &'a str, call_id: &'a str) -> Option<Watched<'a>> {
    if !turn.listens::<FileEdited>() {
        return None;
    }
    let shared = &turn.agent.shared;
    let mut watch = shared.edits.watch();
    if watch.active == 0 {
        // What changed while no call was at work is somebody else's.
        watch.known = scan::of(&shared.workspace);
    }
    watch.active += 1;
    let by = By { run: &turn.origin.run, tool, call_id: Some(call_id) };
    Some(Watched { workspace: &shared.workspace, edits: &shared.edits, by })
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        let mut watch = self.edits.watch();
        watch.active = watch.active.saturating_sub(1);
        let now = scan::of(self.workspace);
        if let (Some(before), Some(now)) = (&watch.known, &now) {
            for (path, operation, size_bytes) in scan::changes(before, now) {
                self.by.tell(self.edits, self.workspace, path, operation, size_bytes, None);
            }
        }
        // Nobody looks until the next call begins.
        watch.known = now.filter(|_| watch.active > 0);
    }
}
