//! In which round a hook is asked.

use std::sync::Arc;

use pintle_contract::{CancelToken, Hook, Layer, Profile, Verdict};
use pintle_tape::Tape;
use pintle_tape::replay::Why;
use pintle_testkit::chain;
use serde_json::{Value, json};

use crate::sessions::{says, steps, wants};
use crate::stage::{Session, Ticking, again, assert_same, forged, tool};

/// A hook that rewrites the target, and guards: one that wants only what that hook made, and one that wants everything.
fn hooks() -> Vec<Hook> {
    vec![steps("changer", 1), wants("late", 1, Verdict::pass()), says("always", Verdict::pass())]
}

fn played(profile: Profile) -> Vec<u8> {
    let session = Session::new(false);
    let set = session.load(vec![chain(Layer::User, profile, hooks())]);
    session.fire(&set, &tool("run", json!({"step": 0})), &CancelToken::default(), None);
    session.bytes()
}

/// The rounds on a tape, with their hooks.
fn rounds(tape: &[u8]) -> Vec<(String, u64)> {
    let lines = std::str::from_utf8(tape).unwrap().lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let calls = lines.filter(|line| line["kind"] == "hook_call");
    calls.map(|call| (call["hook"].as_str().unwrap().to_owned(), call["round"].as_u64().unwrap())).collect()
}

/// The tape as format 2 has it: a first call is of round 0.
fn older(tape: &[u8]) -> Vec<u8> {
    forged(tape, |all| {
        all[0]["format"] = json!(2);
        all.iter_mut().filter(|record| record["hook"] == "late" && record["round"] == 1).for_each(|call| {
            call["round"] = json!(0);
        });
    })
}

fn named(rounds: &[(&str, u64)]) -> Vec<(String, u64)> {
    rounds.iter().map(|(hook, round)| ((*hook).to_owned(), *round)).collect()
}

/// The hook that is asked late stands next on the tape once those that are asked at once were: it was taken for one of them.
#[test]
fn a_guard_that_is_asked_first_in_a_later_round_is_not_taken_for_one_of_those_asked_at_once() {
    for profile in [Profile::ParallelStrictest, Profile::ParallelMerge] {
        let tape = played(profile);
        let calls = [("changer", 0), ("always", 0), ("late", 1), ("always", 1)];
        assert_eq!(rounds(&tape), named(&calls), "{profile}");
        assert_same(&tape, &format!("{profile}"));
    }
    for profile in [Profile::SequentialFirstDeny, Profile::SequentialRunAll] {
        let tape = played(profile);
        assert_eq!(rounds(&tape), named(&[("changer", 0), ("late", 0), ("always", 0)]), "{profile}");
        assert_same(&tape, &format!("{profile}"));
    }
}

#[test]
fn a_tape_of_format_2_counts_rounds_as_format_2_does() {
    let newer = played(Profile::ParallelMerge);
    let older = older(&newer);
    assert_eq!(rounds(&older)[2], (String::from("late"), 0));
    assert_same(&older, "format 2");
    // Neither format takes the other one's count.
    let with_format = |tape: &[u8], format: u32| forged(tape, |all| all[0]["format"] = json!(format));
    for wrong in [with_format(&newer, 2), with_format(&older, 3)] {
        let found = again(&wrong).difference.unwrap();
        assert_eq!((found.hook.as_deref(), found.why), (Some("late"), Why::Enacted));
    }
}

#[test]
fn a_tape_of_format_2_that_is_gone_on_with_stays_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    std::fs::write(&path, older(&played(Profile::ParallelMerge))).unwrap();
    let clock = Arc::new(Ticking::default());
    let session = Session::on(Tape::append_to(&path, clock.clone()).unwrap(), clock, false);
    let set = session.load(vec![chain(Layer::User, Profile::ParallelMerge, hooks())]);
    session.fire(&set, &tool("run", json!({"step": 0})), &CancelToken::default(), None);
    let tape = std::fs::read(&path).unwrap();
    let once = [("changer", 0), ("always", 0), ("late", 0), ("always", 1)];
    assert_eq!(rounds(&tape), named(&[once, once].concat()));
    assert_same(&tape, "gone on with");
}
