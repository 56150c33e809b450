//! Random sessions: whatever a model and its hooks do, the tape verifies and replays byte for byte.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail by panicking")]

mod dice;
mod session;

use std::num::NonZeroUsize;

use pintle_host::tape::replay::{ReplayOptions, ReplayReport, replay};
use pintle_host::tape::{HostRecord, RecordBody};

use dice::SplitMixDice;
use session::normalize_numbers;

/// The number of sessions.
const SESSIONS: u64 = 40;

fn replay_with_threads(tape: &[u8], threads: usize) -> ReplayReport {
    replay(tape, &ReplayOptions { threads: NonZeroUsize::new(threads), stop_point: None }).unwrap()
}

#[test]
fn random_sessions_come_out_byte_for_byte() {
    pintle_testkit::quiet_panics("fell over");
    let mut kinds = std::collections::BTreeSet::new();
    for seed in 0..SESSIONS {
        let tape = session::play_session(seed);
        let one = replay_with_threads(&tape, 1);
        let text = String::from_utf8_lossy(&tape);
        assert_eq!(one.difference, None, "seed {seed}");
        assert!(one.tape == tape && replay_with_threads(&tape, 3).tape == tape, "seed {seed}");
        assert_eq!(one.unfinished, [], "seed {seed}");
        let reading = pintle_host::tape::read_bytes(&tape).unwrap();
        let report = pintle_host::tape::verify::verify_bytes(&tape).unwrap();
        assert!(report.is_complete(), "seed {seed}: {report:?}\n{text}");
        kinds.extend(reading.records.iter().map(|record| record.body.kind().to_owned()));
    }
    // A test without any actions would prove nothing.
    for kind in ["hook_vetoed", "effect", "approval", "matcher_failed", "tool_result", "messages", "reminder"] {
        assert!(kinds.contains(kind), "no session has a `{kind}`: {kinds:?}");
    }
}

/// The records of a session without their position on the tape, because concurrent agents may be in another order.
fn session_events(tape: &[u8]) -> Vec<String> {
    let reading = pintle_host::tape::read_bytes(tape).unwrap();
    let happening = |body: &RecordBody<'_>| match body {
        // Only the directory differs.
        RecordBody::Event(fired) if fired.event == "session.start" => None,
        RecordBody::Event(fired) => Some(format!("{} {}", fired.event, normalize_numbers(&fired.payload))),
        RecordBody::HookCall(asked) => Some(format!("{} in round {}", asked.hook, asked.round)),
        RecordBody::HookReturned(answered) => {
            Some(format!("{} {}", answered.hook, normalize_numbers(format!("{:?}", answered.verdict))))
        }
        RecordBody::Host(HostRecord::Message(message)) => Some(normalize_numbers(&message.message)),
        _ => None,
    };
    let mut all: Vec<String> = reading.records.iter().filter_map(|record| happening(&record.body)).collect();
    all.sort();
    all
}

#[test]
fn a_seed_plays_the_same_session_every_time() {
    pintle_testkit::quiet_panics("fell over");
    for seed in 0..8 {
        let (once, again) =
            (session_events(&session::play_session(seed)), session_events(&session::play_session(seed)));
        let first = once.iter().find(|happening| !again.contains(happening));
        assert!(once == again, "seed {seed}: {} and {} happenings, {first:?}", once.len(), again.len());
    }
}

#[test]
fn random_sessions_cut_anywhere_come_out_as_far_as_they_are_whole() {
    pintle_testkit::quiet_panics("fell over");
    for seed in 0..6 {
        let tape = session::play_session(seed);
        let header = tape.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let mut dice = SplitMixDice::new(seed ^ 0xc07);
        for _ in 0..20 {
            let cut = header + dice.roll(tape.len() - header);
            let part = &tape[..cut];
            let replayed = replay_with_threads(part, 2);
            assert_eq!(replayed.difference, None, "seed {seed}, cut at {cut}");
            let whole = part.iter().filter(|byte| **byte == b'\n').count();
            let lacks_end_only = tape[cut] == b'\n';
            assert_eq!(replayed.records, whole + usize::from(lacks_end_only), "seed {seed}, cut at {cut}");
            let is_torn = !part.ends_with(b"\n") && !lacks_end_only;
            assert_eq!(replayed.torn.is_some(), is_torn, "seed {seed}, cut at {cut}");
            assert!(tape.starts_with(&replayed.tape), "seed {seed}, cut at {cut}");
        }
    }
}
