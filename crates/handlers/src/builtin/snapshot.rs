//! `snapshot`: the files of the working directory, before and after the agent's work (docker-agent behaviour,
//! section 4.11). `pintle snapshot` goes back to them.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pintle_contract::Verdict;

use super::{Asked, Builtin, Made};
use crate::snapshot::{Label, SnapshotError, Snapshots, data_folder};

/// Captures the files when work begins, and writes a checkpoint down when it ends and files have changed.
///
/// It never stands in the way: what goes wrong is a warning.
#[derive(Debug)]
struct Snapshot {
    /// Where shadows are kept; `None` is the user's own place.
    data: Option<PathBuf>,
}

/// Work that has begun, oldest first, for all hooks of the process: an `iteration.start` and its `iteration.end` are
/// two hooks.
static BEGUN: Mutex<Vec<Work>> = Mutex::new(Vec::new());

/// Work of which nothing more is heard is forgotten when this much has begun after it.
const MOST: usize = 4_096;

/// Work that has begun.
#[derive(Debug)]
struct Work {
    /// The files it works on: a shadow and a part of its root.
    files: (PathBuf, PathBuf),
    /// The session and the delegated run of it.
    who: (String, String),
    /// The call's id; empty for an iteration.
    call: String,
    /// The files when it began, or as the last checkpoint left them.
    before: String,
}

pub(super) fn make(arguments: &[String], doubts: &mut Vec<String>) -> Made {
    if !arguments.is_empty() {
        doubts.push(String::from("it takes no arguments"));
    }
    Ok(Box::new(Snapshot { data: None }))
}

impl Builtin for Snapshot {
    fn may_wait(&self) -> bool {
        true
    }

    fn call(&self, asked: &Asked<'_>) -> Verdict {
        match answer(asked, self.data.as_deref()) {
            Ok(()) => Verdict::pass(),
            Err(fault) => Verdict::pass().with_warning(format!("no snapshot: {fault}")),
        }
    }
}

fn answer(asked: &Asked<'_>, data: Option<&Path>) -> Result<(), SnapshotError> {
    let event = asked.event();
    let Some(directory) = asked.directory() else { return Ok(()) };
    let data = data.map_or_else(data_folder, |data| Ok(data.to_owned()))?;
    let snapshots = Snapshots::of(&data, &directory, asked.left_ms(), asked.call.cancel)?;
    let origin = &asked.call.event.origin;
    let who = (origin.session.clone(), origin.run.clone());
    let files = (snapshots.store().to_owned(), snapshots.scope().to_owned());
    match event {
        "session.start" => snapshots.capture().map(drop),
        "session.end" => {
            begun().retain(|work| work.who != who);
            if snapshots.store().exists() { snapshots.tidy() } else { Ok(()) }
        }
        "iteration.start" => {
            let before = snapshots.capture()?;
            let mut begun = begun();
            // Whatever the last iteration began is over, heard of or not: a call that was denied has no end.
            begun.retain(|work| work.who != who || work.files != files);
            begin(&mut begun, Work { files, who, call: String::new(), before });
            Ok(())
        }
        "tool.pre" => {
            let known = oldest(&begun(), &files, &who);
            // Within an iteration the files were looked at already.
            let before = known.map_or_else(|| snapshots.capture(), Ok)?;
            begin(&mut begun(), Work { files, who, call: id(asked), before });
            Ok(())
        }
        "tool.post" | "iteration.end" => {
            let call = if event == "tool.post" { id(asked) } else { String::new() };
            let before = oldest(&begun(), &files, &who);
            begun().retain(|work| work.who != who || work.files != files || work.call != call);
            match before {
                Some(before) => end(asked, &snapshots, files, &before),
                None => Ok(()),
            }
        }
        other => Err(SnapshotError::Event { event: other }),
    }
}

/// Writes down what changed. Work that goes on has only to tell what changes from here on.
fn end(asked: &Asked<'_>, snapshots: &Snapshots, files: (PathBuf, PathBuf), before: &str) -> Result<(), SnapshotError> {
    let after = snapshots.capture()?;
    let origin = &asked.call.event.origin;
    let what = match asked.event() {
        "tool.post" => format!("{} {}", asked.text("name"), id(asked)),
        _ => format!("iteration {}", asked.field("iteration").and_then(serde_json::Value::as_u64).unwrap_or_default()),
    };
    // Without a clock the checkpoint is as good, but nobody knows how old it is.
    let at_ms = asked.now_ms().ok().and_then(|now| u64::try_from(now).ok()).unwrap_or_default();
    let label = Label { session: origin.session.clone(), agent: origin.agent.clone(), what, at_ms };
    snapshots.checkpoint(before, &after, &label)?;
    for work in begun().iter_mut().filter(|work| work.files == files) {
        work.before.clone_from(&after);
    }
    Ok(())
}

fn begin(begun: &mut Vec<Work>, work: Work) {
    if begun.len() >= MOST {
        begun.remove(0);
    }
    begun.push(work);
}

/// What the files were when the oldest work that still goes on began. Calls that run at once change files together, so the
/// first one to end tells for all of them.
fn oldest(begun: &[Work], files: &(PathBuf, PathBuf), who: &(String, String)) -> Option<String> {
    begun.iter().find(|work| work.files == *files && work.who == *who).map(|work| work.before.clone())
}

/// The id of the call that a tool event is about.
fn id(asked: &Asked<'_>) -> String {
    let field = if asked.event() == "tool.post" { "call_id" } else { "id" };
    asked.text(field).to_owned()
}

fn begun() -> MutexGuard<'static, Vec<Work>> {
    BEGUN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use pintle_contract::CancelToken;
    use serde_json::json;
    use tempfile::TempDir;

    use super::*;
    use crate::builtin::tests::Fixture;

    /// A session in a folder of its own.
    struct Session {
        folder: TempDir,
        data: TempDir,
    }

    impl Session {
        fn new() -> Self {
            let session = Self { folder: tempfile::tempdir().unwrap(), data: tempfile::tempdir().unwrap() };
            session.file("kept.txt", "one");
            session
        }

        fn file(&self, name: &str, text: &str) {
            fs::write(self.folder.path().join(name), text).unwrap();
        }

        /// Fires an event at a hook of its own, as every event has one.
        fn fire(&self, event: &str, payload: serde_json::Value) -> Verdict {
            let builtin = Snapshot { data: Some(self.data.path().to_owned()) };
            let session = self.folder.path().display().to_string();
            Fixture::new(event, payload).within(self.folder.path(), &session).ask(&builtin)
        }

        fn quietly(&self, event: &str, payload: serde_json::Value) {
            assert_eq!(self.fire(event, payload), Verdict::pass(), "{event}");
        }

        /// The work of each checkpoint, and the files it changed.
        fn list(&self) -> Vec<(String, Vec<String>)> {
            let of = Snapshots::of(self.data.path(), self.folder.path(), 60_000, &CancelToken::default()).unwrap();
            let all = of.checkpoints().unwrap();
            all.into_iter().map(|one| (one.what, one.files.into_iter().map(|change| change.path).collect())).collect()
        }
    }

    fn listed(expected: &[(&str, &[&str])]) -> Vec<(String, Vec<String>)> {
        let text = |text: &&str| (*text).to_owned();
        expected.iter().map(|(work, files)| (text(work), files.iter().map(text).collect())).collect()
    }

    #[test]
    fn an_iteration_that_changed_files_is_a_checkpoint_and_any_other_is_none() {
        let session = Session::new();
        session.quietly("session.start", json!({"source": "startup"}));
        assert_eq!(session.list(), []);
        session.quietly("iteration.start", json!({"iteration": 1}));
        session.quietly("iteration.end", json!({"iteration": 1, "reason": "continue"}));
        session.quietly("iteration.start", json!({"iteration": 2}));
        session.file("kept.txt", "two");
        session.file("made.txt", "x");
        session.quietly("iteration.end", json!({"iteration": 2, "reason": "continue"}));
        // What a person does between two turns is no work of the agent.
        session.file("mine.txt", "x");
        session.quietly("iteration.start", json!({"iteration": 1}));
        session.file("kept.txt", "three");
        session.quietly("iteration.end", json!({"iteration": 1, "reason": "error"}));
        session.quietly("session.end", json!({"reason": "stream_ended"}));
        assert_eq!(
            session.list(),
            listed(&[("iteration 2", &["kept.txt", "made.txt"]), ("iteration 1", &["kept.txt"])])
        );
    }

    #[test]
    fn every_tool_call_is_a_checkpoint_and_the_iteration_around_it_tells_only_what_is_left() {
        let session = Session::new();
        let call = |id: &str| json!({"id": id, "name": "shell", "args": {}});
        let result = |id: &str| json!({"call_id": id, "name": "shell", "content": ""});
        session.quietly("iteration.start", json!({"iteration": 1}));
        session.quietly("tool.pre", call("c1"));
        session.file("a.txt", "a");
        session.quietly("tool.post", result("c1"));
        // A call that was denied has no end.
        session.quietly("tool.pre", call("c2"));
        session.file("late.txt", "written behind everybody's back");
        session.quietly("iteration.end", json!({"iteration": 1, "reason": "normal"}));
        session.file("mine.txt", "x");
        session.quietly("iteration.start", json!({"iteration": 2}));
        session.quietly("tool.pre", call("c3"));
        session.file("b.txt", "b");
        session.quietly("tool.post", result("c3"));
        session.quietly("iteration.end", json!({"iteration": 2, "reason": "normal"}));
        assert_eq!(
            session.list(),
            listed(&[("shell c1", &["a.txt"]), ("iteration 1", &["late.txt"]), ("shell c3", &["b.txt"])])
        );
    }

    #[test]
    fn calls_that_run_at_once_lose_no_change_and_tell_none_twice() {
        let session = Session::new();
        let call = |id: &str| json!({"id": id, "name": "shell", "args": {}});
        let result = |id: &str| json!({"call_id": id, "name": "shell", "content": ""});
        session.quietly("tool.pre", call("a"));
        session.file("a.txt", "begun");
        session.quietly("tool.pre", call("b"));
        session.file("b.txt", "b");
        session.quietly("tool.post", result("b"));
        session.file("a.txt", "done");
        session.quietly("tool.post", result("a"));
        assert_eq!(session.list(), listed(&[("shell b", &["a.txt", "b.txt"]), ("shell a", &["a.txt"])]));
        // An end without a beginning tells nothing.
        session.file("c.txt", "c");
        session.quietly("tool.post", result("c"));
        assert_eq!(session.list().len(), 2);
    }

    #[test]
    fn what_goes_wrong_is_a_warning_and_never_a_refusal() {
        let session = Session::new();
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
        let nowhere = Fixture::new("session.start", json!({})).ask(&Snapshot { data: None });
        assert_eq!(nowhere, Verdict::pass(), "without a working directory there is nothing to do");
    }
}
