//! Random hooks and random events.

use std::sync::Arc;

use pintle_contract::{
    ApprovalResponse, CancelToken, Chain, Effect, EnforcementMode, EventName, Failure, FailureKind, FailurePolicy,
    Hook, HookCall, Layer, MatchResult, Profile, Reminder, Rewrite, Verdict,
};
use pintle_tape::replay::{ReplayOptions, replay};
use pintle_testkit::{ClosureMatcher, ScriptedHandler, chain, hook};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::replay::fixture::{ReplaySessionFixture, assert_replays_equal, increment_counter, make_event, tool_event};

/// SplitMix64.
#[derive(Debug, Clone)]
struct RandomDice(u64);

impl RandomDice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::try_from(self.roll(from.len() as u64)).unwrap()]
    }
}

/// Dice that depend only on a seed and the payload, so that hooks return the same verdict whenever they run.
fn dice_for(seed: u64, payload: &Value) -> RandomDice {
    let bytes = payload.to_string();
    RandomDice(bytes.bytes().fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)))
}

const EVENTS: [&str; 4] = ["tool.pre", "tool.post", "permission.ask", "turn.end"];

fn random_rewrite(dice: &mut RandomDice) -> Rewrite {
    let step = dice.roll(3);
    let large = "long ".repeat(usize::try_from(dice.roll(2) * 300).unwrap());
    match dice.roll(5) {
        0 => Rewrite::Whole(json!({"name": "run", "args": {"step": step}})),
        1 => Rewrite::Fields(Map::from_iter([(String::from("content"), json!(large))])),
        2 => Rewrite::Fields(Map::from_iter([(String::from("nonsense"), json!(1))])),
        3 => Rewrite::Whole(json!(step)),
        _ => Rewrite::Fields(Map::from_iter([(String::from("args"), json!({"step": step, "text": large}))])),
    }
}

fn random_verdict(dice: &mut RandomDice, call: &HookCall<'_>) -> Verdict {
    let reason = format!("because {}", dice.roll(3));
    let mut verdict = match dice.roll(14) {
        0 => Verdict::deny(reason),
        1 => Verdict::ask(reason),
        2 | 3 => Verdict::allow(reason),
        4 => Verdict::failed(Failure::new(FailureKind::Timeout, "too slow")),
        5 => panic!("hook fell over"),
        6 => Verdict::allow(reason).with_rewrite(random_rewrite(dice)),
        7 => Verdict::ask(reason).with_rewrite(random_rewrite(dice)),
        8..=10 => Verdict::pass().with_rewrite(random_rewrite(dice)),
        _ => increment_counter(call, "n"),
    };
    match dice.roll(6) {
        0 => verdict = verdict.with_effect(Effect::Context(String::from("mind"))).with_warning("odd"),
        1 => verdict = verdict.with_effect(Effect::Reminder(Reminder::for_one_turn("do it"))),
        2 => verdict = verdict.with_effect(Effect::Metadata(Map::from_iter([(String::from("risk"), json!(0.50))]))),
        _ => {}
    }
    verdict
}

fn random_hook(dice: &mut RandomDice, number: u64) -> Hook {
    let (seed, quiet) = (dice.roll(u64::MAX), dice.roll(3) == 0);
    let name = EventName::parse(dice.pick(&EVENTS)).unwrap();
    let script = move |call: &HookCall<'_>| random_verdict(&mut self::dice_for(seed, call.event.payload.value()), call);
    let handler =
        if dice.roll(3) == 0 { ScriptedHandler::from_waiting_fn(script) } else { ScriptedHandler::from_fn(script) };
    let matcher = ClosureMatcher::new(move |event| match self::dice_for(seed ^ 1, event.payload.value()).roll(8) {
        _ if quiet => MatchResult::No,
        0 => MatchResult::Failed(Failure::new(FailureKind::Error, "no such field")),
        1 => panic!("matcher fell over"),
        2 | 3 => MatchResult::No,
        _ => MatchResult::Yes,
    });
    Hook {
        matcher: (dice.roll(3) > 0).then_some(matcher as Arc<dyn pintle_contract::Matcher>),
        guard: dice.roll(3) > 0,
        on_failure: dice.pick(&[
            FailurePolicy::Closed,
            FailurePolicy::Open,
            FailurePolicy::Open,
            FailurePolicy::Ignored,
        ]),
        strict_matcher: dice.roll(3) == 0,
        mode: if dice.roll(8) == 0 { EnforcementMode::Shadow } else { EnforcementMode::Enforce },
        ..hook(&format!("h{}", number % 5), name, handler)
    }
}

fn random_chain(dice: &mut RandomDice) -> Chain {
    let layer = dice.pick(&[Layer::Managed, Layer::User, Layer::Project, Layer::Agent, Layer::Runtime]);
    let profile = dice.pick(&[
        Profile::SequentialFirstDeny,
        Profile::SequentialRunAll,
        Profile::ParallelStrictest,
        Profile::ParallelMerge,
        Profile::ParallelUnanimous,
    ]);
    let hooks: Vec<Hook> = (0..=dice.roll(6)).map(|number| random_hook(dice, number)).collect();
    chain(layer, profile, hooks)
}

fn record_random_session(seed: u64) -> Vec<u8> {
    let mut dice = RandomDice(seed);
    let mut session = ReplaySessionFixture::new(dice.roll(12) == 0);
    let chains: Vec<Chain> = (0..=dice.roll(3)).map(|_| random_chain(&mut dice)).collect();
    let base = session.load(chains);
    let own = vec![random_chain(&mut dice)];
    session.tape.record_agent_hooks(&own);
    let under = base.with_chains(own);
    for _ in 0..12 {
        let payload = tool_event(dice.pick(&["run", "walk"]), json!({"step": dice.roll(3)})).payload.into_value();
        let event = make_event(dice.pick(&EVENTS), payload);
        session.approval_response = match dice.roll(3) {
            0 => ApprovalResponse::Unavailable,
            1 => ApprovalResponse::Deferred,
            _ => ApprovalResponse::Approved { answered_by: String::from("mara") },
        };
        let cancel = CancelToken::default();
        if dice.roll(10) == 0 {
            cancel.cancel();
        }
        let set = if dice.roll(2) == 0 { &base } else { &under };
        session.fire(set, &event, &cancel, None);
    }
    session.bytes()
}

#[test]
fn any_hooks_and_events_come_out_byte_for_byte() {
    pintle_testkit::quiet_panics("fell over");
    for seed in 0..120 {
        assert_replays_equal(&record_random_session(seed), &format!("seed {seed}"));
    }
}

/// The lines, each chained to the one before, whatever their content.
fn rechain_lines(lines: &[String]) -> Vec<u8> {
    let mut tape = String::new();
    let mut prev = String::new();
    for line in lines {
        let begin = line.find("\"prev\":\"").map(|index| index + "\"prev\":\"".len());
        let line = match begin.filter(|index| line.is_char_boundary(index + 64)) {
            Some(index) => format!("{}{prev}{}", &line[..index], &line[index + 64..]),
            None => line.clone(),
        };
        prev = Sha256::digest(line.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        tape.push_str(&line);
        tape.push('\n');
    }
    tape.into_bytes()
}

/// A replay first parses a tape without values that the engine does not read, and parses it completely if that may
/// change the result. A tape with a torn record is parsed completely at once, so the two ways can be compared.
#[test]
fn a_tape_read_without_its_values_is_the_same_as_one_that_is_read_whole() {
    pintle_testkit::quiet_panics("fell over");
    let mut same = 0;
    for seed in 0..8 {
        let tape = record_random_session(seed);
        let lines: Vec<String> = std::str::from_utf8(&tape).unwrap().lines().map(str::to_owned).collect();
        let mut dice = RandomDice(seed ^ 0xb1_0b);
        for _ in 0..24 {
            let mut changed = lines.clone();
            let index = usize::try_from(dice.roll(lines.len() as u64)).unwrap();
            let line = &mut changed[index];
            let position = usize::try_from(dice.roll(line.len() as u64)).unwrap();
            let other =
                dice.pick(&["", " ", "0", "1", "a", "\"", "\\", "{", "}", "[", ",", ":", "$", "null", "-", ".5", "e3"]);
            if line.is_char_boundary(position) && line.is_char_boundary(position + 1) {
                line.replace_range(position..position + usize::from(dice.roll(2) == 0), other);
            }
            let changed = rechain_lines(&changed);
            let come = |tape: &[u8]| match replay(tape, &ReplayOptions::default()) {
                Ok(replayed) => Ok((replayed.difference, replayed.tape, replayed.calls, replayed.turns)),
                Err(error) => Err(error.to_string()),
            };
            let (one, whole) = (come(&changed), come(&[&*changed, b"{"].concat()));
            same += usize::from(one.as_ref().is_ok_and(|(difference, ..)| difference.is_none()));
            assert!(one == whole, "seed {seed}, line {}\n{}", index + 1, String::from_utf8_lossy(&changed));
        }
    }
    // Some changes, such as to a reply or to a time, result in another tape that replays identically.
    assert!(same > 4, "{same}");
}
