//! A process that handles many calls keeps their sessions, while other processes handle calls of the same ones.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use pintle_bridge::{HostResponse, KeptSessions};
use pintle_host::contract::{EffectCaller, EffectReply, EffectRequest};
use pintle_host::tape::{replay, verify};
use pintle_host::{EventName, Hook, Verdict, native};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::fixture::respond_in_session;

struct SharedSession {
    state: TempDir,
    kept: Arc<KeptSessions>,
}

/// A hook that denies with the number of its call in the session.
fn counting_hook() -> Hook {
    native::hook("counts", EventName::parse("tool.pre").unwrap(), |call| {
        let caller = EffectCaller::new(call.id, "counts");
        let increment = EffectRequest::MetricIncr { name: String::from("n"), amount: 1 };
        match call.effects.perform(caller, increment).unwrap() {
            EffectReply::Int(count) => Verdict::deny(format!("call {count}.")),
            other => panic!("{other:?}"),
        }
    })
}

impl SharedSession {
    fn new() -> Self {
        Self { state: tempfile::tempdir().unwrap(), kept: Arc::default() }
    }

    fn fire(&self, keeps: bool, event: &str, hooks: Vec<Hook>) -> HostResponse {
        let kept = Some(&self.kept).filter(|_| keeps);
        respond_in_session(("claude", event), self.state.path(), hooks, kept, None)
    }

    /// The number of the call, or why it has none.
    fn count(&self, keeps: bool) -> Result<u32, String> {
        let answer = self.fire(keeps, "PreToolUse", vec![counting_hook()]);
        let number = answer.stderr.split_once("call ").and_then(|(_, rest)| rest.split_once('.'));
        number.and_then(|(number, _)| number.parse().ok()).ok_or(answer.stderr)
    }

    fn dir(&self) -> PathBuf {
        self.state.path().join("bridge/claude/s1")
    }

    fn check_tape(&self) {
        let bytes = fs::read(self.dir().join("tape.jsonl")).unwrap();
        let verified = verify::verify_bytes(&bytes).unwrap();
        assert!(verified.findings.is_empty(), "{verified:?}");
        assert!(replay::replay(&bytes, &replay::ReplayOptions::default()).unwrap().difference.is_none());
    }
}

#[test]
fn calls_of_two_processes_are_calls_of_one_session() {
    let session = SharedSession::new();
    let numbers = (1..=9).map(|number| session.count(number % 3 != 0).unwrap());
    assert_eq!(numbers.collect::<Vec<_>>(), (1..=9).collect::<Vec<_>>());
    session.check_tape();
    let mut names: Vec<_> = fs::read_dir(session.dir()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.retain(|name| name.to_string_lossy().starts_with("call-"));
    assert!(names.len() <= 2, "files of branches are used again: {names:?}");
    session.fire(true, "SessionEnd", vec![]);
    let left = fs::read_dir(session.dir()).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().starts_with("call-")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_session_that_was_deleted_or_moved_begins_again() {
    for moved in [false, true] {
        let session = SharedSession::new();
        assert_eq!([session.count(true), session.count(true)], [Ok(1), Ok(2)]);
        match moved {
            false => fs::remove_dir_all(session.dir()).unwrap(),
            true => fs::rename(session.dir(), session.state.path().join("moved")).unwrap(),
        }
        assert_eq!(session.count(true), Ok(1), "moved: {moved}");
        session.check_tape();
    }
}

#[test]
fn what_was_lost_or_changed_between_two_calls_denies() {
    for (file, reason) in [("state.json", "its `state.json` is missing"), ("tape.jsonl", "it was deleted")] {
        let session = SharedSession::new();
        assert_eq!(session.count(true), Ok(1));
        fs::remove_file(session.dir().join(file)).unwrap();
        let answer = session.count(true).unwrap_err();
        assert!(answer.contains(reason), "{file}: {answer}");
    }
    let session = SharedSession::new();
    assert_eq!(session.count(true), Ok(1));
    let tape = session.dir().join("tape.jsonl");
    let mut bytes = fs::read(&tape).unwrap();
    let last = bytes.len() - 3;
    bytes[last] ^= 1;
    fs::write(&tape, bytes).unwrap();
    let answer = session.count(true).unwrap_err();
    assert!(answer.contains("differs from what the last process wrote"), "{answer}");
}

#[test]
fn a_state_that_was_set_back_is_read_as_by_any_other_process() {
    for keeps in [false, true] {
        let session = SharedSession::new();
        assert_eq!(session.count(keeps), Ok(1));
        let state = session.dir().join("state.json");
        let before = fs::read(&state).unwrap();
        assert_eq!(session.count(keeps), Ok(2));
        fs::write(&state, before).unwrap();
        assert_eq!([session.count(keeps), session.count(!keeps)], [Ok(2), Ok(3)], "keeps: {keeps}");
        let tape = fs::read(session.dir().join("tape.jsonl")).unwrap();
        let verified = verify::verify_bytes(&tape).unwrap();
        assert!(verified.findings.is_empty() && verified.dispatches == 4, "keeps: {keeps}: {verified:?}");
    }
}

#[test]
fn records_of_a_killed_process_are_merged_by_the_next_call() {
    let session = SharedSession::new();
    assert_eq!(session.count(true), Ok(1));
    // What another process left that died in its call.
    let branch = session.dir().join("call-00000000000001-1-0.jsonl");
    fs::write(&branch, "{\"seq\":0,\"at_ms\":1,\"kind\":\"header\"").unwrap();
    assert_eq!(session.count(true), Ok(2));
    assert!(!branch.exists());
    session.check_tape();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn each_call_goes_on_where_the_last_one_ended(calls in prop::collection::vec(any::<bool>(), 1..30)) {
        let session = SharedSession::new();
        for (before, keeps) in calls.into_iter().enumerate() {
            prop_assert_eq!(session.count(keeps), Ok(u32::try_from(before).unwrap() + 1));
        }
        session.check_tape();
    }
}
