//! The round in which a hook is called.

use pintle_contract::{CancelToken, Hook, Layer, Profile, Verdict};
use pintle_testkit::chain;
use serde_json::{Value, json};

use crate::replay::fixture::{ReplaySessionFixture, assert_replays_equal, tool_event};
use crate::replay::sessions::{counting_hook, guard_of_step, hook_returning};

/// A hook that rewrites the target, a guard that matches only the rewritten target, and a guard that matches
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

fn expected_rounds(rounds: &[(&str, u64)]) -> Vec<(String, u64)> {
    rounds.iter().map(|(hook, round)| ((*hook).to_owned(), *round)).collect()
}

/// The call of the late hook directly follows the calls of the concurrent hooks. Replay once took it for one of them.
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
