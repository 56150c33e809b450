//! The round in which a hook is called.

use std::sync::Arc;

use pintle_contract::{CancelToken, Hook, Layer, Profile, Verdict};
use pintle_testkit::chain;
use serde_json::{Value, json};

use crate::fixture::{ReplaySessionFixture, assert_replays_equal, tool_event};
use crate::sessions::{counting_hook, guard_of_step, hook_returning};

/// A hook that rewrites the target, and guards: one that matches only that hook's result, and one that matches
/// everything.
fn rewriting_hooks() -> Vec<Hook> {
    vec![
        counting_hook("changer", 1),
        guard_of_step("late", 1, Verdict::pass()),
        hook_returning("always", Verdict::pass()),
    ]
}

fn record_profile(profile: Profile) -> Vec<u8> {
    let session = ReplaySessionFixture::new(false);
    let set = session.load(vec![chain(Layer::User, profile, rewriting_hooks())]);
    session.fire(&set, &tool_event("run", json!({"step": 0})), &CancelToken::default(), None);
    session.bytes()
}

/// The hook and the round of each call on a tape.
fn rounds_of(tape: &[u8]) -> Vec<(String, u64)> {
    let lines = std::str::from_utf8(tape).unwrap().lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let calls = lines.filter(|line| line["kind"] == "hook_call");
    calls.map(|call| (call["hook"].as_str().unwrap().to_owned(), call["round"].as_u64().unwrap())).collect()
}

/// The tape as format 2 has it: a first call has round 0.
fn to_format_2(tape: &[u8]) -> Vec<u8> {
    forge_tape(tape, |all| {
        all[0]["format"] = json!(2);
        all.iter_mut().filter(|record| record["hook"] == "late" && record["round"] == 1).for_each(|call| {
            call["round"] = json!(0);
        });
    })
}

fn expected_rounds(rounds: &[(&str, u64)]) -> Vec<(String, u64)> {
    rounds.iter().map(|(hook, round)| ((*hook).to_owned(), *round)).collect()
}

/// The hook that is called later directly follows the concurrent ones on the tape, and used to be taken for one of
/// them.
#[test]
fn guard_first_called_in_a_later_round_is_not_put_in_the_first_group() {
    for profile in [Profile::ParallelStrictest, Profile::ParallelMerge] {
        let tape = record_profile(profile);
        let calls = [("changer", 0), ("always", 0), ("late", 1), ("always", 1)];
        assert_eq!(rounds_of(&tape), expected_rounds(&calls), "{profile}");
        assert_replays_equal(&tape, &format!("{profile}"));
    }
    for profile in [Profile::SequentialFirstDeny, Profile::SequentialRunAll] {
        let tape = record_profile(profile);
        assert_eq!(rounds_of(&tape), expected_rounds(&[("changer", 0), ("late", 0), ("always", 0)]), "{profile}");
        assert_replays_equal(&tape, &format!("{profile}"));
    }
}

#[test]
fn a_tape_of_format_2_counts_rounds_as_format_2_does() {
    let newer = record_profile(Profile::ParallelMerge);
    let older = to_format_2(&newer);
    assert_eq!(rounds_of(&older)[2], (String::from("late"), 0));
    assert_replays_equal(&older, "format 2");
    // Neither format accepts the count of the other one.
    let with_format = |tape: &[u8], format: u32| forge_tape(tape, |all| all[0]["format"] = json!(format));
    for wrong in [with_format(&newer, 2), with_format(&older, 3)] {
        let found = replay_tape(&wrong).difference.unwrap();
        assert_eq!((found.hook.as_deref(), found.difference_kind), (Some("late"), DifferenceKind::Content));
    }
}

#[test]
fn a_tape_of_format_2_that_is_gone_on_with_stays_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    std::fs::write(&path, to_format_2(&record_profile(Profile::ParallelMerge))).unwrap();
    let clock = Arc::new(ReplayTickingClock::default());
    let session = ReplaySessionFixture::with_tape(Tape::append_to(&path, clock.clone()).unwrap(), clock, false);
    let set = session.load(vec![chain(Layer::User, Profile::ParallelMerge, rewriting_hooks())]);
    session.fire(&set, &tool_event("run", json!({"step": 0})), &CancelToken::default(), None);
    let tape = std::fs::read(&path).unwrap();
    let once = [("changer", 0), ("always", 0), ("late", 0), ("always", 1)];
    assert_eq!(rounds_of(&tape), expected_rounds(&[once, once].concat()));
    assert_replays_equal(&tape, "gone on with");
}
