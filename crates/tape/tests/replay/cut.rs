//! Tapes that end too early.

use pintle_contract::{CancelToken, EventName, Layer, Profile, Verdict};
use pintle_tape::replay::{ReplayError, ReplayOptions, StopPoint, replay};
use pintle_testkit::{ScriptedHandler, chain, hook};
use serde_json::json;

use crate::replay::fixture::{ReplaySessionFixture, increment_counter, make_event, replay_tape, tool_event};

fn record_tape() -> Vec<u8> {
    let session = ReplaySessionFixture::new(false);
    let pre = || EventName::parse("tool.pre").unwrap();
    let hooks = [
        hook("counts", pre(), ScriptedHandler::from_fn(|call| increment_counter(call, "n"))),
        hook("asks", pre(), ScriptedHandler::from_verdict(Verdict::ask("look"))),
        hook("long", pre(), ScriptedHandler::from_verdict(Verdict::pass().with_warning("w".repeat(1_030)))),
    ];
    let set = session.load(vec![chain(Layer::User, Profile::ParallelStrictest, hooks)]);
    for name in ["run", "walk"] {
        session.fire(&set, &tool_event(name, json!({"a": 1})), &CancelToken::default(), None);
    }
    session.fire(&set, &make_event("turn.end", json!({"text": "bye"})), &CancelToken::default(), None);
    session.bytes()
}

#[test]
fn a_tape_cut_at_any_byte_is_enacted_as_far_as_it_is_whole() {
    let tape = record_tape();
    let header = tape.iter().position(|byte| *byte == b'\n').unwrap();
    // Every byte of the first dispatch, which has every kind of record, and some bytes after it.
    let cuts = (0..tape.len()).filter(|cut| *cut < tape.len() / 2 || cut % 7 == 0);
    for cut in cuts {
        let part = &tape[..cut];
        let replayed = match replay(part, &ReplayOptions::default()) {
            Ok(replayed) => replayed,
            Err(error) => {
                assert!(cut < header, "cut at {cut}: {error}");
                continue;
            }
        };
        assert_eq!(replayed.difference, None, "cut at {cut}");
        let whole = part.iter().filter(|byte| **byte == b'\n').count();
        // A line that lacks only its newline is complete.
        let ends = tape[cut] == b'\n';
        assert_eq!(replayed.records, whole + usize::from(ends), "cut at {cut}");
        assert!(tape.starts_with(&replayed.tape), "cut at {cut}");
        let torn = replayed.torn.map(|torn| (torn.line, torn.size_bytes));
        let rest = part.rsplit(|byte| *byte == b'\n').next().unwrap().len();
        assert_eq!(torn, (rest > 0 && !ends).then_some((whole + 1, rest)), "cut at {cut}");
    }
}

#[test]
fn dispatches_without_an_outcome_are_told() {
    let tape = record_tape();
    let lines: Vec<&str> = std::str::from_utf8(&tape).unwrap().lines().collect();
    let outcome = lines.iter().position(|line| line.contains("\"kind\":\"outcome\"")).unwrap();
    let replayed = replay_tape(format!("{}\n", lines[..outcome].join("\n")).as_bytes());
    assert_eq!(replayed.difference, None);
    let found: Vec<_> = replayed.unfinished.iter().map(|one| (one.dispatch, one.event.as_str(), one.line)).collect();
    assert_eq!(found, [(1, "tool.pre", 3)]);
    assert_eq!(replay_tape(&tape).unfinished, []);
}

#[test]
fn a_replay_stops_where_it_is_told_to() {
    let tape = record_tape();
    let stop = |until: &str| replay(&tape, &ReplayOptions { stop_point: Some(until.parse().unwrap()), threads: None });
    let all = replay(&tape, &ReplayOptions::default()).unwrap();
    let ends = [("0", 1), ("3", 4), ("turn.end", all.records), ("turn:1", all.records)];
    for (until, records) in ends {
        let replayed = stop(until).unwrap();
        assert_eq!(
            (replayed.records, replayed.total_records, replayed.difference),
            (records, all.records, None),
            "{until}"
        );
    }
    let first = stop("tool.pre").unwrap();
    assert!(first.records < all.records && first.unfinished.is_empty());
    let faults = [
        ("999", format!("the tape has no record 999; its last one is {}", all.records - 1)),
        ("turn:2", String::from("the tape has no turn 2; its last one is 1")),
        ("tool.post", String::from("the tape has no outcome of `tool.post`; did you mean `tool.pre`?")),
    ];
    for (until, error) in faults {
        let Err(ReplayError::NoStopPoint(got)) = stop(until) else { panic!("{until}") };
        assert_eq!(got, error);
    }
    assert_eq!("turn:1".parse(), Ok(StopPoint::Turn(1)));
}

#[test]
fn what_is_no_tape_is_an_error() {
    let cases: [(&[u8], &str); 3] = [
        (b"", "the tape is empty; a tape begins with a header record"),
        (b"hello\n", "line 1: not JSON: expected value (column 1)"),
        (
            b"{\"seq\":0,\"at_ms\":0,\"prev\":null,\"kind\":\"note\",\"data\":1}\n",
            "line 1: the first record is not a header; check that the file is a tape",
        ),
    ];
    for (bytes, expected) in cases {
        assert_eq!(replay(bytes, &ReplayOptions::default()).unwrap_err().to_string(), expected);
    }
}
