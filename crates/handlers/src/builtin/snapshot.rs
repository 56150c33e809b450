//! `snapshot`: takes snapshots of the working directory before and after the agent's work. `pintle snapshot` restores
//! them.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pintle_contract::{EventKind, Verdict};

use super::{BuiltinCall, BuiltinHook, BuiltinResult};
use crate::snapshot::{CheckpointLabel, SnapshotError, SnapshotStore, data_dir};

/// Captures the files when an action starts, and records a checkpoint if files have changed when it ends.
///
/// It never blocks: errors are only warnings.
#[derive(Debug)]
struct SnapshotHook {
    /// The directory of shadow repositories; `None` for the user's default.
    data: Option<PathBuf>,
}

/// The started actions, oldest first: an `iteration.start` and its `iteration.end` are two hooks.
#[derive(Debug, Default)]
pub(super) struct OpenCheckpoints(Mutex<Vec<OpenCheckpoint>>);

impl OpenCheckpoints {
    fn lock(&self) -> MutexGuard<'_, Vec<OpenCheckpoint>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An action without an end is forgotten after this many later ones.
const MOST: usize = 4_096;

/// A started action.
#[derive(Debug)]
struct OpenCheckpoint {
    /// The files that it works on: a shadow repository and a part of its root.
    files: (PathBuf, PathBuf),
    /// Its session and the run of a delegated task.
    session_run: (String, String),
    /// The ID of the tool call; empty for an iteration.
    call_id: String,
    /// The files when it started, or after the last checkpoint.
    tree_before: String,
}

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> BuiltinResult {
    if !arguments.is_empty() {
        doubts.push(String::from("it takes no arguments"));
    }
    Ok(Box::new(SnapshotHook { data: None }))
}

impl BuiltinHook for SnapshotHook {
    fn may_wait(&self) -> bool {
        true
    }

    fn needs_order(&self) -> bool {
        true
    }

    fn call(&self, call: &BuiltinCall<'_>) -> Verdict {
        match handle_event(call, self.data.as_deref()) {
            Ok(()) => Verdict::pass(),
            Err(error) => Verdict::pass().with_warning(format!("no snapshot: {error}")),
        }
    }
}

fn handle_event(builtin_call: &BuiltinCall<'_>, data: Option<&Path>) -> Result<(), SnapshotError> {
    let (event, open) = (builtin_call.event_kind(), &builtin_call.state().open_checkpoints);
    let Some(directory) = builtin_call.working_dir() else { return Ok(()) };
    let data = data.map_or_else(data_dir, |data| Ok(data.to_owned()))?;
    let snapshots = SnapshotStore::open(&data, &directory, builtin_call.time_left_ms(), builtin_call.call.cancel)?;
    let origin = &builtin_call.call.event.origin;
    let who = (origin.session.clone(), origin.run.clone());
    let files = (snapshots.store().to_owned(), snapshots.scope().to_owned());
    match event {
        EventKind::SessionStart => snapshots.capture().map(drop),
        EventKind::SessionEnd => {
            open.lock().retain(|work| work.session_run != who);
            if snapshots.store().exists() { snapshots.prune() } else { Ok(()) }
        }
        EventKind::IterationStart => {
            let before = snapshots.capture()?;
            let mut begun = open.lock();
            // All actions of the last iteration are over: a denied call has no end event.
            begun.retain(|work| work.session_run != who || work.files != files);
            start_work(
                &mut begun,
                OpenCheckpoint { files, session_run: who, call_id: String::new(), tree_before: before },
            );
            Ok(())
        }
        EventKind::ToolPre => {
            let known = oldest_tree(&open.lock(), &files, &who);
            // Within an iteration the files were already captured.
            let before = known.map_or_else(|| snapshots.capture(), Ok)?;
            start_work(
                &mut open.lock(),
                OpenCheckpoint { files, session_run: who, call_id: call_id(builtin_call), tree_before: before },
            );
            Ok(())
        }
        EventKind::ToolPost | EventKind::IterationEnd => {
            let call = if event == EventKind::ToolPost { call_id(builtin_call) } else { String::new() };
            let before = oldest_tree(&open.lock(), &files, &who);
            open.lock().retain(|work| work.session_run != who || work.files != files || work.call_id != call);
            match before {
                Some(before) => finish_work(builtin_call, &snapshots, files, &before),
                None => Ok(()),
            }
        }
        other => Err(SnapshotError::UnsupportedEvent { event: other }),
    }
}

/// Records the changes. Actions that are still running report only later changes.
fn finish_work(
    call: &BuiltinCall<'_>,
    snapshots: &SnapshotStore,
    files: (PathBuf, PathBuf),
    before: &str,
) -> Result<(), SnapshotError> {
    let after = snapshots.capture()?;
    let origin = &call.call.event.origin;
    let what = match call.event_kind() {
        EventKind::ToolPost => format!("{} {}", call.text("name"), call_id(call)),
        _ => {
            let iteration = call.field("iteration").and_then(serde_json::Value::as_u64).unwrap_or_default();
            // Each turn counts its iterations from 1.
            if origin.turn == 0 {
                format!("iteration {iteration}")
            } else {
                format!("turn {}, iteration {iteration}", origin.turn)
            }
        }
    };
    // A checkpoint without a time is still useful, but its age is unknown.
    let at_ms = call.now_ms().ok().and_then(|now| u64::try_from(now).ok()).unwrap_or_default();
    let label = CheckpointLabel { session: origin.session.clone(), agent: origin.agent.clone(), action: what, at_ms };
    snapshots.write_checkpoint(before, &after, &label)?;
    for work in call.state().open_checkpoints.lock().iter_mut().filter(|work| work.files == files) {
        work.tree_before.clone_from(&after);
    }
    Ok(())
}

fn start_work(begun: &mut Vec<OpenCheckpoint>, checkpoint: OpenCheckpoint) {
    if begun.len() >= MOST {
        begun.remove(0);
    }
    begun.push(checkpoint);
}

/// The files when the oldest running action started. Concurrent calls change files together, so the first one to end
/// reports the changes of all.
fn oldest_tree(begun: &[OpenCheckpoint], files: &(PathBuf, PathBuf), agent_key: &(String, String)) -> Option<String> {
    begun
        .iter()
        .find(|work| work.files == *files && work.session_run == *agent_key)
        .map(|work| work.tree_before.clone())
}

/// The ID of the call of a tool event.
fn call_id(call: &BuiltinCall<'_>) -> String {
    let field = if call.event_kind() == EventKind::ToolPost { "call_id" } else { "id" };
    call.text(field).to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use pintle_contract::CancelToken;
    use serde_json::json;
    use tempfile::TempDir;

    use super::*;
    use crate::builtin::BuiltinState;
    use crate::builtin::tests::BuiltinFixture;

    /// A session in its own directory.
    struct SnapshotSession {
        folder: TempDir,
        data: TempDir,
        state: Arc<BuiltinState>,
    }

    impl SnapshotSession {
        fn new() -> Self {
            let session = Self {
                folder: tempfile::tempdir().unwrap(),
                data: tempfile::tempdir().unwrap(),
                state: Arc::default(),
            };
            session.write_file("kept.txt", "one");
            session
        }

        fn write_file(&self, name: &str, text: &str) {
            fs::write(self.folder.path().join(name), text).unwrap();
        }

        /// Fires an event at a hook of its own.
        fn fire(&self, event: &str, payload: serde_json::Value) -> Verdict {
            let builtin = SnapshotHook { data: Some(self.data.path().to_owned()) };
            let session = self.folder.path().display().to_string();
            let fixture = BuiltinFixture::new(event, payload).with_state(&self.state);
            fixture.in_directory(self.folder.path(), &session).call_builtin(&builtin)
        }

        fn fire_quietly(&self, event: &str, payload: serde_json::Value) {
            assert_eq!(self.fire(event, payload), Verdict::pass(), "{event}");
        }

        /// The action of each checkpoint, and the files it changed.
        fn checkpoints(&self) -> Vec<(String, Vec<String>)> {
            let of =
                SnapshotStore::open(self.data.path(), self.folder.path(), 60_000, &CancelToken::default()).unwrap();
            let all = of.checkpoints().unwrap();
            all.into_iter().map(|one| (one.action, one.files.into_iter().map(|change| change.path).collect())).collect()
        }
    }

    fn expected_checkpoints(expected: &[(&str, &[&str])]) -> Vec<(String, Vec<String>)> {
        let text = |text: &&str| (*text).to_owned();
        expected.iter().map(|(work, files)| (text(work), files.iter().map(text).collect())).collect()
    }

    #[test]
    fn an_iteration_that_changed_files_is_a_checkpoint_and_any_other_is_none() {
        let session = SnapshotSession::new();
        session.fire_quietly("session.start", json!({"source": "startup"}));
        assert_eq!(session.checkpoints(), []);
        session.fire_quietly("iteration.start", json!({"iteration": 1}));
        session.fire_quietly("iteration.end", json!({"iteration": 1, "reason": "continue"}));
        session.fire_quietly("iteration.start", json!({"iteration": 2}));
        session.write_file("kept.txt", "two");
        session.write_file("made.txt", "x");
        session.fire_quietly("iteration.end", json!({"iteration": 2, "reason": "continue"}));
        // The user's changes between two turns are not the agent's work.
        session.write_file("mine.txt", "x");
        session.fire_quietly("iteration.start", json!({"iteration": 1}));
        session.write_file("kept.txt", "three");
        session.fire_quietly("iteration.end", json!({"iteration": 1, "reason": "error"}));
        session.fire_quietly("session.end", json!({"reason": "stream_ended"}));
        assert_eq!(
            session.checkpoints(),
            expected_checkpoints(&[("iteration 2", &["kept.txt", "made.txt"]), ("iteration 1", &["kept.txt"])])
        );
    }

    #[test]
    fn every_tool_call_is_a_checkpoint_and_its_iteration_records_the_rest() {
        let session = SnapshotSession::new();
        let call = |id: &str| json!({"id": id, "name": "shell", "args": {}});
        let result = |id: &str| json!({"call_id": id, "name": "shell", "content": ""});
        session.fire_quietly("iteration.start", json!({"iteration": 1}));
        session.fire_quietly("tool.pre", call("c1"));
        session.write_file("a.txt", "a");
        session.fire_quietly("tool.post", result("c1"));
        // A denied call has no end event.
        session.fire_quietly("tool.pre", call("c2"));
        session.write_file("late.txt", "written behind everybody's back");
        session.fire_quietly("iteration.end", json!({"iteration": 1, "reason": "normal"}));
        session.write_file("mine.txt", "x");
        session.fire_quietly("iteration.start", json!({"iteration": 2}));
        session.fire_quietly("tool.pre", call("c3"));
        session.write_file("b.txt", "b");
        session.fire_quietly("tool.post", result("c3"));
        session.fire_quietly("iteration.end", json!({"iteration": 2, "reason": "normal"}));
        assert_eq!(
            session.checkpoints(),
            expected_checkpoints(&[("shell c1", &["a.txt"]), ("iteration 1", &["late.txt"]), ("shell c3", &["b.txt"])])
        );
    }

    #[test]
    fn calls_that_run_at_once_lose_no_change_and_tell_none_twice() {
        let session = SnapshotSession::new();
        let call = |id: &str| json!({"id": id, "name": "shell", "args": {}});
        let result = |id: &str| json!({"call_id": id, "name": "shell", "content": ""});
        session.fire_quietly("tool.pre", call("a"));
        session.write_file("a.txt", "begun");
        session.fire_quietly("tool.pre", call("b"));
        session.write_file("b.txt", "b");
        session.fire_quietly("tool.post", result("b"));
        session.write_file("a.txt", "done");
        session.fire_quietly("tool.post", result("a"));
        assert_eq!(
            session.checkpoints(),
            expected_checkpoints(&[("shell b", &["a.txt", "b.txt"]), ("shell a", &["a.txt"])])
        );
        // An end without a start reports nothing.
        session.write_file("c.txt", "c");
        session.fire_quietly("tool.post", result("c"));
        assert_eq!(session.checkpoints().len(), 2);
    }

    #[test]
    fn what_goes_wrong_is_a_warning_and_never_a_refusal() {
        let session = SnapshotSession::new();
        let fired = session.fire("notification", json!({"level": "info", "message": "x"}));
        assert_eq!(fired, Verdict::pass().with_warning("no snapshot: `snapshot` has no effect on `notification`"));
        fs::write(session.data.path().join("snapshots"), "no folder").unwrap();
        for event in ["session.start", "iteration.start", "tool.pre"] {
            let verdict = session.fire(event, json!({"id": "1", "name": "x", "iteration": 1}));
            assert!(
                verdict.warnings.iter().any(|warning| warning.starts_with("no snapshot: cannot use `")),
                "{verdict:?}"
            );
            assert_eq!(verdict.kind, pintle_contract::VerdictKind::Pass);
        }
        let nowhere = BuiltinFixture::new("session.start", json!({})).call_builtin(&SnapshotHook { data: None });
        assert_eq!(nowhere, Verdict::pass(), "without a working directory there is nothing to do");
    }
}
