//! The end of a tape.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pintle_tape::replay::{ReplayOptions, replay};
use pintle_tape::verify::verify_bytes;
use pintle_tape::{HeaderRecord, Tape};
use pintle_testkit::FakeClock;
use serde_json::{Value, json};

use super::changes::{parse_records, rechain_records};
use super::{record_session, records_of};

/// The records of a tape of the corpus.
pub(crate) fn corpus_records(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tapes").join(name);
    let text = fs::read_to_string(path).unwrap();
    parse_records(text.lines())
}

#[test]
fn a_tape_is_whole_at_its_end_and_nowhere_before() {
    for name in ["lifecycle-hooks.jsonl", "verify-loop.jsonl", "fire.jsonl"] {
        let text = rechain_records(&corpus_records(name));
        let report = verify_bytes(text.as_bytes()).unwrap();
        assert!(report.is_complete() && report.closed, "{name}: {report:?}");
        let ends = text.match_indices('\n').map(|(index, _)| index + 1);
        for (count, end) in ends.enumerate() {
            let report = verify_bytes(&text.as_bytes()[..end]).unwrap();
            assert_eq!(report.findings, [], "{name}, {} records", count + 1);
            assert_eq!(report.is_complete(), end == text.len(), "{name}, {} records", count + 1);
        }
        // A tape that is truncated and closed again: what was unfinished there had to end first.
        let records = corpus_records(name);
        let closed = records.last().unwrap();
        for count in 1..records.len() - 1 {
            let cut = rechain_records(&[&records[..count], std::slice::from_ref(closed)].concat());
            let report = verify_bytes(cut.as_bytes()).unwrap();
            let open = verify_bytes(rechain_records(&records[..count]).as_bytes()).unwrap();
            assert_eq!(report.is_valid(), open.unfinished.len() == 1, "{name}, {count} records: {report:?}");
        }
    }
}

#[test]
fn every_bit_of_the_last_line_counts() {
    let text = record_session().tape.lines().join("\n") + "\n";
    let last = text.trim_end().rfind('\n').unwrap() + 1;
    for bit in last * 8..text.len() * 8 {
        let mut bent = text.clone().into_bytes();
        bent[bit / 8] ^= 1 << (bit % 8);
        let whole = verify_bytes(&bent).is_ok_and(|report| report.is_complete());
        assert!(!whole, "bit {bit}: {:?}", String::from_utf8_lossy(&bent[last..]));
    }
    assert!(!verify_bytes(text.trim_end().as_bytes()).unwrap().is_complete(), "its last line has no end");
}

#[test]
fn what_closes_a_tape_says_how_much_it_covers() {
    let text = rechain_records(&corpus_records("lifecycle-hooks.jsonl"));
    let closed: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let found = |record: Value| {
        let lines: Vec<&str> = text.lines().collect();
        let text = lines[..lines.len() - 1].join("\n") + "\n" + &record.to_string() + "\n";
        let report = verify_bytes(text.as_bytes()).unwrap();
        let replayed = replay(text.as_bytes(), &ReplayOptions::default()).unwrap();
        (report.findings.first().map(ToString::to_string).unwrap_or_default(), replayed.difference.is_none())
    };
    assert_eq!(found(closed.clone()), (String::new(), true));
    let mut other = closed.clone();
    other["records"] = json!(3);
    let (finding, same) = found(other);
    assert_eq!(finding, "line 82: `closed`: `records` is 3; expected 81");
    assert!(!same);
    let mut other = closed;
    other["at_ms"] = json!(other["at_ms"].as_u64().unwrap() + 1);
    let (finding, same) = found(other);
    assert_eq!(finding, "line 82: `closed`: `digest` is not that of this line; expected the digest of this line");
    assert!(!same);
}

#[test]
fn a_tape_is_closed_once_and_goes_on() {
    let tape = Tape::in_memory(HeaderRecord::new("s1", 0), Arc::new(FakeClock::new()));
    tape.record_note("remark", json!(1));
    let digest = tape.close().unwrap();
    assert_eq!((tape.close().as_ref(), tape.lines().len()), (Some(&digest), 3));
    let report = |tape: &Tape| verify_bytes((tape.lines().join("\n") + "\n").as_bytes()).unwrap();
    assert!(report(&tape).is_complete());
    assert_eq!(report(&tape).digest, digest);
    tape.record_note("remark", json!(2));
    assert!(report(&tape).is_valid() && !report(&tape).is_complete());
    assert_ne!(tape.close().unwrap(), digest);
    assert!(report(&tape).is_complete());
}

#[test]
fn what_has_no_outcome_is_found_where_the_agent_goes_on() {
    let records = records_of(&record_session());
    for index in (0..records.len()).filter(|index| records[*index]["kind"] == "outcome") {
        let mut without = records.clone();
        let removed = without.remove(index);
        let report = verify_bytes(rechain_records(&without).as_bytes()).unwrap();
        assert!(!report.is_valid(), "{removed}");
    }
}

#[test]
fn time_that_goes_back_and_kinds_that_are_none_are_found() {
    let records = corpus_records("lifecycle-hooks.jsonl");
    for index in 1..records.len() {
        let mut changed = records.clone();
        changed[index]["at_ms"] = json!(0);
        let report = verify_bytes(rechain_records(&changed).as_bytes()).unwrap();
        assert!(report.findings[0].found.contains("time goes back"), "{report:?}");
        let mut changed = records.clone();
        let kind = changed[index]["kind"].as_str().unwrap().to_owned() + "x";
        changed[index]["kind"] = json!(kind);
        let report = verify_bytes(rechain_records(&changed).as_bytes());
        assert!(report.is_ok_and(|report| !report.is_valid()), "{kind}");
    }
}

#[test]
fn another_agent_is_not_told_allow_where_a_hook_denied() {
    let told = |decision: &str| {
        let mut records = corpus_records("fire.jsonl");
        let note = json!({"seq": 0, "at_ms": records[1]["at_ms"].as_u64().unwrap() + 60_000, "prev": null,
            "kind": "bridge", "data": {"host": "claude", "event": "PreToolUse", "decision": decision, "reason": "no"}});
        let mut closed = records.pop().unwrap();
        closed["at_ms"] = note["at_ms"].clone();
        records.extend([note, closed]);
        let report = verify_bytes(rechain_records(&records).as_bytes()).unwrap();
        report.findings.first().map(ToString::to_string).unwrap_or_default()
    };
    assert_eq!(told("deny"), "");
    assert_eq!(
        told("allow"),
        "line 9: `bridge`: the host agent was sent `allow`; expected `deny`: `tool.pre` (dispatch 1) denied it"
    );
}
