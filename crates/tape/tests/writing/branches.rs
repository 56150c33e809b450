//! Branches of a tape, which several processes write at the same time.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pintle_contract::{
    Clock, Decision, EffectCaller, EffectReply, EffectRequest, EventCause, Journal, JournalEntry, Outcome, Payload,
    Verdict,
};
use pintle_tape::verify::{VerifyReport, verify_bytes};
use pintle_tape::{HeaderRecord, RecordBody, Tape, TapeCursor, TapeError, read};
use serde_json::{Value, json};

use crate::writing::fixture::{WritingTickingClock, fixture_chain, make_event, record_dispatch};

fn clock() -> Arc<WritingTickingClock> {
    Arc::new(WritingTickingClock::default())
}

fn header() -> HeaderRecord {
    HeaderRecord::new("s1", 1_000)
}

/// A new tape, and its end.
fn create_tape(dir: &Path) -> TapeCursor {
    Tape::create(dir.join("tape.jsonl"), header(), clock()).unwrap().cursor().unwrap()
}

/// A branch of the tape, with every feature of a dispatch.
fn write_branch(dir: &Path, name: &str, base: &TapeCursor) -> Tape {
    let branch = Tape::create_branch(dir.join(name), base, header(), clock()).unwrap();
    branch.record_hooks([fixture_chain()]);
    record_dispatch(&branch);
    branch.record_note("remark", json!({"branch": name, "text": "x".repeat(3_000)}));
    branch
}

fn merge(dir: &Path, base: &TapeCursor, branches: &[(&str, bool)]) -> TapeCursor {
    let tape = Tape::resume_at(dir.join("tape.jsonl"), base, clock()).unwrap();
    for (name, is_interrupted) in branches {
        tape.merge_branch(dir.join(name), *is_interrupted).unwrap();
    }
    tape.cursor().unwrap()
}

/// Verifies and replays the tape.
fn check_tape(dir: &Path) -> VerifyReport {
    let bytes = fs::read(dir.join("tape.jsonl")).unwrap();
    let report = verify_bytes(&bytes).unwrap();
    assert!(report.is_valid(), "{:#?}", report.findings);
    report
}

#[test]
fn branches_of_one_base_are_merged_in_any_order() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let base = create_tape(dir);
    let branches = ["a", "b", "c"].map(|name| write_branch(dir, name, &base));
    let end = merge(dir, &base, &[("c", false), ("a", false), ("b", false)]);
    drop(branches);
    let report = check_tape(dir);
    assert_eq!((report.dispatches, report.calls), (6, 6));
    let records = read(dir.join("tape.jsonl")).unwrap().records;
    let of_kind = |kind: &str| records.iter().filter(|record| record.body.kind() == kind).count();
    assert_eq!(of_kind("hooks"), 1, "they have the same hooks");
    let order: Vec<&str> = records
        .iter()
        .filter_map(|record| match &record.body {
            RecordBody::Note(note) => note.data.get("branch")?.as_str(),
            _ => None,
        })
        .collect();
    assert_eq!(order, ["c", "a", "b"]);
    // The next process knows the hooks, and continues behind all of them.
    let next = Tape::create_branch(dir.join("d"), &end, header(), clock()).unwrap();
    next.record_hooks([fixture_chain()]);
    record_dispatch(&next);
    assert!(!fs::read_to_string(dir.join("d")).unwrap().contains("\"kind\":\"hooks\""));
    merge(dir, &end, &[("d", false)]);
    assert_eq!(check_tape(dir).calls, 8);
}

#[test]
fn a_branch_without_others_is_what_the_tape_would_have_been() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let base = create_tape(dir);
    drop(write_branch(dir, "a", &base));
    merge(dir, &base, &[("a", false)]);
    let branch = fs::read(dir.join("a")).unwrap();
    let tape = fs::read(dir.join("tape.jsonl")).unwrap();
    assert_eq!(String::from_utf8(tape).unwrap(), String::from_utf8(branch).unwrap());
    check_tape(dir);
}

/// A clock whose time does not change, so that a record is the same whoever writes it.
#[derive(Debug)]
struct StillClock;

impl Clock for StillClock {
    fn unix_ms(&self) -> u64 {
        1_000
    }

    fn monotonic_us(&self) -> u64 {
        0
    }
}

/// Arguments of calls, most of them large, and some that look like what a tape writes for large values.
fn large_arguments() -> Vec<Value> {
    let text = |letter: &str| letter.repeat(2_000);
    let lines = |last: &str| (0..80).map(|line| format!("line {line} of a file\n")).collect::<String>() + last;
    let nested = (0..120).fold(json!(null), |inner, _| json!({"inner": inner}));
    // The name of the first text.
    let name = &Payload::new(json!(text("a"))).digest()["sha256:".len()..][..32].to_owned();
    vec![
        json!({"command": text("a")}),
        json!({"command": text("a"), "again": text("a"), "other": text("\u{fc}\"\n")}),
        json!({"reference": {"$blob": "ab"}, "escaped": {"$$blob": {"$blob": 1}}, "text": text("b")}),
        json!({"reference": {"$blob": name}}),
        json!({"options": {"first": text("c"), "second": text("d"), "words": vec!["word"; 3], "rest": "r".repeat(900)}}),
        json!({"options": (0..400).map(|number| (format!("o{number}"), json!(number))).collect::<serde_json::Map<_, _>>()}),
        json!({"file": lines("one")}),
        json!({"file": lines("two")}),
        nested,
        json!({"number": 1.5e300, "text": text("e")}),
        json!({"messages": vec![json!({"role": "user", "content": text("f")}); 6]}),
        json!({"command": text("a"), "messages": vec![json!({"role": "user", "content": text("f")}); 6]}),
        json!({"command": text("g")}),
    ]
}

/// A call that a hook shapes, and another one that it passes.
fn record_calls(tape: &Tape, args: &Value) {
    let payload = |args: &Value| json!({"id": "1", "name": "run", "arguments": args.to_string(), "args": args});
    let call = make_event("tool.pre", payload(args));
    let dispatch = tape.begin_dispatch(&JournalEntry::Event { event: &call, cause: EventCause::default() });
    let id = tape.next_call();
    let hook = &*fixture_chain().hooks[0];
    tape.record(dispatch, &JournalEntry::Call { id, hook, round: 0, event: &call });
    let caller = EffectCaller::new(id, "shape").with_dispatch(dispatch);
    let emit = EffectRequest::Emit { event: String::from("custom.seen"), payload: args.clone() };
    tape.record_effect(caller, &emit, &Ok(EffectReply::Value(json!("t".repeat(2_000)))));
    let shaped = json!({"shaped": args, "note": "n".repeat(1_500)});
    let verdict = Verdict::rewrite([(String::from("args"), shaped.clone())].into_iter().collect());
    tape.record(dispatch, &JournalEntry::Return { id, hook, verdict: &verdict, duration_us: 12 });
    let rewritten = call.with_payload(Payload::new(payload(&shaped)));
    let outcome = Outcome { rewritten: true, hooks_called: 1, ..Outcome::unchanged(rewritten.payload.clone()) };
    tape.record(dispatch, &JournalEntry::Outcome { event: &call, outcome: &outcome });
    tape.record_without_hooks(&rewritten, EventCause::default());
}

#[test]
fn large_values_are_merged_as_the_tape_would_have_them() {
    let counts = [1, 2, 3, large_arguments().len()];
    for (count, is_own) in counts.iter().flat_map(|count| [(*count, true), (*count, false)]) {
        let dir = tempfile::tempdir().unwrap();
        let (tape, direct) = (dir.path().join("tape.jsonl"), dir.path().join("direct.jsonl"));
        let whole = Tape::create(&direct, header(), Arc::new(StillClock)).unwrap();
        whole.record_hooks([fixture_chain()]);
        let mut base = Tape::create(&tape, header(), Arc::new(StillClock)).unwrap().cursor().unwrap();
        for calls in large_arguments().chunks(count) {
            let branch = Tape::create_branch(dir.path().join("branch"), &base, header(), Arc::new(StillClock)).unwrap();
            branch.record_hooks([fixture_chain()]);
            for args in calls {
                record_calls(&whole, args);
                record_calls(&branch, args);
            }
            let resumed = Tape::resume_at(&tape, &base, Arc::new(StillClock)).unwrap();
            if is_own {
                resumed.merge_own_branch(&branch).unwrap();
            } else {
                drop(branch);
                resumed.merge_branch(dir.path().join("branch"), false).unwrap();
            }
            base = resumed.cursor().unwrap();
            drop(resumed);
            fs::remove_file(dir.path().join("branch")).unwrap();
        }
        check_tape(dir.path());
        let [records, expected] = [&tape, &direct].map(|path| read(path).unwrap().records);
        for (record, expected) in records.iter().zip(&expected) {
            let case = format!("{count} calls to a branch, own: {is_own}, record {}", expected.seq);
            assert!(record.body == expected.body, "{case}");
        }
        assert_eq!(records.len(), expected.len());
        // A process that continues a tape does not have the texts at hand of which it could take lines.
        let [bytes, expected] = [&tape, &direct].map(|path| fs::read(path).unwrap());
        assert!(bytes == expected || count < large_arguments().len());
    }
}

/// A process merges what it recorded: from memory, or from the file if that is too much.
#[test]
fn an_own_branch_is_merged_without_its_file() {
    for (size_bytes, is_kept) in [(1 << 20, true), (5 << 20, false)] {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let base = create_tape(dir);
        let branch = Tape::create_branch(dir.join("a"), &base, header(), clock()).unwrap();
        for letter in ["a", "b"] {
            branch.record_note("remark", json!({"text": letter.repeat(size_bytes / 2)}));
        }
        branch.record_without_hooks(&make_event("custom.seen", json!({"mark": 1})), EventCause::default());
        let text = fs::read_to_string(dir.join("a")).unwrap().replacen("\"mark\":1", "\"mark\":2", 1);
        fs::write(dir.join("a"), text).unwrap();
        let tape = Tape::resume_at(dir.join("tape.jsonl"), &base, clock()).unwrap();
        tape.merge_own_branch(&branch).unwrap();
        check_tape(dir);
        let merged = fs::read_to_string(dir.join("tape.jsonl")).unwrap();
        assert_eq!(merged.contains("\"mark\":1"), is_kept);
        assert_eq!(read(dir.join("tape.jsonl")).unwrap().records.len(), 4);
    }
}

/// References of a branch must be those that a tape writes: another one would make the tape unreadable.
#[test]
fn a_branch_with_a_reference_to_nothing_is_not_merged() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let base = create_tape(dir);
    let branch = Tape::create_branch(dir.join("a"), &base, header(), clock()).unwrap();
    branch.record_without_hooks(&make_event("custom.seen", json!({"mark": 1})), EventCause::default());
    drop(branch);
    let before = fs::read(dir.join("tape.jsonl")).unwrap();
    let text = fs::read_to_string(dir.join("a")).unwrap();
    for reference in [r#"{"$blob":"0123456789abcdef0123456789abcdef"}"#, r#"{"$blob":"ab"}"#] {
        // The last line has a digest only if there is one after it.
        fs::write(dir.join("a"), text.replacen(r#"{"mark":1}"#, reference, 1)).unwrap();
        let tape = Tape::resume_at(dir.join("tape.jsonl"), &base, clock()).unwrap();
        let merged = tape.merge_branch(dir.join("a"), false);
        assert!(matches!(merged, Err(TapeError::Line { .. })), "{reference}: {merged:?}");
        drop(tape);
        assert_eq!(fs::read(dir.join("tape.jsonl")).unwrap(), before);
    }
}

#[test]
fn the_end_of_a_tape_that_was_read_is_a_base() {
    let dir = tempfile::tempdir().unwrap();
    let (dir, tape) = (dir.path(), dir.path().join("tape.jsonl"));
    create_tape(dir);
    let base = Tape::append_to(&tape, clock()).unwrap().cursor().unwrap();
    assert!(base.is_within(&tape));
    drop(write_branch(dir, "a", &base));
    let end = merge(dir, &base, &[("a", false)]);
    let read = Tape::append_to(&tape, clock()).unwrap().cursor().unwrap();
    assert!(read.is_within(&tape) && read.record_count() == end.record_count());
    drop(write_branch(dir, "b", &read));
    merge(dir, &read, &[("b", false)]);
    check_tape(dir);
}

#[test]
fn a_branch_with_other_hooks_records_them() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let base = create_tape(dir);
    drop(write_branch(dir, "a", &base));
    let other = Tape::create_branch(dir.join("b"), &base, header(), clock()).unwrap();
    other.record_hooks([fixture_chain(), fixture_chain()]);
    record_dispatch(&other);
    drop(other);
    drop(write_branch(dir, "c", &base));
    merge(dir, &base, &[("a", false), ("b", false), ("c", false)]);
    assert_eq!(check_tape(dir).calls, 6);
}

#[test]
fn a_branch_whose_process_died_is_merged_as_far_as_it_goes() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let base = create_tape(dir);
    drop(write_branch(dir, "whole", &base));
    let whole = fs::read(dir.join("whole")).unwrap();
    let line_ends = (1..=whole.len()).filter(|end| whole[end - 1] == b'\n');
    for end in line_ends.flat_map(|end| [end - 1, end]).chain((0..whole.len()).step_by(101)) {
        let case = tempfile::tempdir().unwrap();
        let base = create_tape(case.path());
        fs::write(case.path().join("cut"), &whole[..end]).unwrap();
        drop(write_branch(case.path(), "next", &base));
        let end_of_cut = merge(case.path(), &base, &[("cut", true)]);
        merge(case.path(), &end_of_cut, &[("next", false)]);
        let report = check_tape(case.path());
        assert!(report.unfinished.iter().all(|open| open.description.contains("closed")), "cut at {end}: {report:?}");
    }
}

#[test]
fn a_denial_without_a_reply_is_over_with_its_process() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let base = create_tape(dir);
    let denied = Tape::create_branch(dir.join("denied"), &base, header(), clock()).unwrap();
    denied.record_hooks([fixture_chain()]);
    record_dispatch(&denied);
    drop(denied);
    let allowed = Tape::create_branch(dir.join("allowed"), &base, header(), clock()).unwrap();
    let event = make_event("tool.pre", json!({"id": "2", "name": "run", "arguments": "{}", "args": {}}));
    let _ = allowed.record_without_hooks(&event, EventCause::default());
    allowed.record_note("bridge", json!({"decision": Decision::Allow}));
    drop(allowed);
    merge(dir, &base, &[("denied", true), ("allowed", false)]);
    check_tape(dir);
}

#[test]
fn a_merge_that_was_interrupted_is_done_again() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let tape = dir.join("tape.jsonl");
    let base = create_tape(dir);
    let before = fs::read(&tape).unwrap();
    drop(write_branch(dir, "a", &base));
    merge(dir, &base, &[("a", false)]);
    let whole = fs::read(&tape).unwrap();
    for end in (before.len()..=whole.len()).step_by(13) {
        fs::write(&tape, &whole[..end]).unwrap();
        let again = Tape::rewind_to(&tape, &base, clock()).unwrap();
        again.merge_branch(dir.join("a"), false).unwrap();
        drop(again);
        assert_eq!(fs::read(&tape).unwrap(), whole, "after {end} bytes");
    }
    // What another program wrote stays.
    let foreign = [&whole[..], b"{\"seq\":-1}\n"].concat();
    fs::write(&tape, &foreign).unwrap();
    assert!(matches!(Tape::rewind_to(&tape, &base, clock()), Err(TapeError::Line { .. })));
    assert_eq!(fs::read(&tape).unwrap(), foreign);
}

#[test]
fn a_branch_that_was_changed_is_not_merged() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let base = create_tape(dir);
    drop(write_branch(dir, "a", &base));
    let text = fs::read_to_string(dir.join("a")).unwrap().replacen("be careful", "be careless", 1);
    fs::write(dir.join("a"), text).unwrap();
    let tape = Tape::resume_at(dir.join("tape.jsonl"), &base, clock()).unwrap();
    for is_interrupted in [true, false] {
        let refused = tape.merge_branch(dir.join("a"), is_interrupted);
        assert!(matches!(refused, Err(TapeError::Line { .. })), "{refused:?}");
    }
}
