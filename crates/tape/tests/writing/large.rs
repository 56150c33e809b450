//! Large values are written once, and are restored.

use std::sync::Arc;

use pintle_contract::{EventCause, Journal, JournalEntry, Outcome, Payload, Redactor};
use pintle_tape::replay::{DifferenceKind, ReplayOptions, replay};
use pintle_tape::verify::verify_bytes;
use pintle_tape::{HeaderRecord, RecordBody, Tape, read_bytes};
use serde_json::{Value, json};

use crate::writing::fixture::{WritingTickingClock, make_event, new_tape, read_memory_tape};

fn fire(tape: &Tape, payload: Value) {
    let event = make_event("completion.pre", payload);
    let dispatch = tape.begin_dispatch(&JournalEntry::Event { event: &event, cause: EventCause::default() });
    tape.record(
        dispatch,
        &JournalEntry::Outcome { event: &event, outcome: &Outcome::unchanged(event.payload.clone()) },
    );
}

fn fired_payloads(tape: &Tape) -> Vec<Value> {
    let records = read_memory_tape(tape).records.into_iter();
    let payload = |body| match body {
        RecordBody::Event(fired) => Some(fired.payload.into_owned()),
        _ => None,
    };
    records.filter_map(|record| payload(record.body)).collect()
}

#[test]
fn a_growing_conversation_is_written_once() {
    let tape = new_tape();
    let mut messages: Vec<Value> = Vec::new();
    let mut payloads = Vec::new();
    for turn in 0..40 {
        messages.push(json!({"role": "user", "content": format!("{turn} {}", "long ".repeat(2_000))}));
        let payload = json!({"model": "m", "messages": messages});
        fire(&tape, payload.clone());
        payloads.push(payload);
    }
    assert_eq!(fired_payloads(&tape), payloads);
    let blobs = tape.lines().iter().filter(|line| line.contains("\"blobs\":[")).count();
    let size_bytes: usize = tape.lines().iter().map(String::len).sum();
    assert!(blobs >= 40 && size_bytes < 2 * 40 * 10_000, "{blobs} blobs, {size_bytes} bytes");
    // The records before a blob do not refer to it.
    for end in 2..tape.lines().len() {
        assert!(read_bytes((tape.lines()[..end].join("\n") + "\n").as_bytes()).is_ok(), "{end} lines");
    }
}

#[test]
fn a_text_that_repeats_an_earlier_one_is_written_in_its_lines() {
    let tape = new_tape();
    let text = |number: usize| {
        let lines = (number..number + 100).map(|line| format!("\\n \u{fc} \"thought\" {line}"));
        format!("Thoughts:\n{}", lines.collect::<Vec<_>>().join("\n"))
    };
    let payloads: Vec<Value> = (0..40).map(|number| json!({"text": text(number)})).collect();
    payloads.iter().for_each(|payload| fire(&tape, payload.clone()));
    assert_eq!(fired_payloads(&tape), payloads);
    let lines = tape.lines();
    let is_part = |line: &&String| line.contains("\"lines\":[[0,1],[");
    let part_bytes: usize = lines.iter().filter(is_part).map(String::len).sum();
    assert!(lines.iter().filter(is_part).count() > 30 && part_bytes < 40 * 600, "{part_bytes} bytes");
    let whole = lines.join("\n") + "\n";
    let replayed = replay(whole.as_bytes(), &ReplayOptions::default()).unwrap();
    assert_eq!(replayed.difference, None);
    let report = verify_bytes(whole.as_bytes()).unwrap();
    assert!(report.is_valid(), "{:?}", report.findings);
    let faults = [
        ("\"lines\":[[0,1],", "\"lines\":[[0,2],", "is not needed: the value or the reference to it was changed"),
        ("\"lines\":[[0,1],", "\"lines\":[[0,0],", "lines that the text"),
        ("\"lines\":[[0,1],", "\"lines\":[[90,200],", "lines that the text"),
        ("\"of\":\"", "\"of\":\"x", "which no line up to it contains"),
    ];
    for (before, after, expected) in faults {
        let error = read_bytes(whole.replacen(before, after, 1).as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let spelled = whole.replacen("\"lines\":[[0,1],", "\"lines\":[[0, 1],", 1);
    let replayed = replay(spelled.as_bytes(), &ReplayOptions::default()).unwrap();
    assert_eq!(replayed.difference.map(|difference| difference.difference_kind), Some(DifferenceKind::Encoding));
}

#[test]
fn data_that_looks_like_a_reference_is_data() {
    let payloads = [
        json!({"$blob": "ab"}),
        json!([{"$blob": "x".repeat(3_000)}, {"$$blob": {"$blob": 1}}]),
        json!({"a": {"$blob": null}, "$blob": 1}),
    ];
    let tape = new_tape();
    payloads.iter().for_each(|payload| fire(&tape, payload.clone()));
    assert_eq!(fired_payloads(&tape), payloads);
}

#[test]
fn a_blob_that_is_missing_or_wrong_is_told_with_its_line() {
    let tape = new_tape();
    fire(&tape, json!({"text": "x".repeat(2_000)}));
    let lines = tape.lines();
    let blob = lines.iter().position(|line| line.contains("\"blobs\":[")).unwrap();
    let error_of = |change: &dyn Fn(&str) -> String| {
        let mut changed = lines.clone();
        changed[blob] = change(&lines[blob]);
        assert_ne!(changed, lines);
        let error = read_bytes((changed.join("\n") + "\n").as_bytes()).unwrap_err().to_string();
        error.strip_prefix(&format!("line {}: ", blob + 1)).unwrap().to_owned()
    };
    let blobs = format!("\"blobs\":[{{\"value\":\"{}\"}}],", "x".repeat(2_000));
    let missing = error_of(&|line| line.replace(&blobs, ""));
    assert!(missing.starts_with("it refers to blob `"), "{missing}");
    assert!(missing.ends_with("`, which no line up to it contains"), "{missing}");
    let wrong = error_of(&|line| line.replacen("xxx", "xyx", 1));
    assert!(wrong.starts_with("its blob `") && wrong.contains("is not needed: the value or the reference"), "{wrong}");
    let repeated = error_of(&|line| line.replace(&blobs, &format!("{blobs}{blobs}")));
    assert!(repeated.contains("duplicate field `blobs`"), "{repeated}");
}

/// Redacts one word.
#[derive(Debug)]
struct LargeTextRedactor;

impl Redactor for LargeTextRedactor {
    fn redact(&self, text: &str) -> Option<String> {
        self.may_contain_secret(text).then(|| text.replace("hunter2", "[REDACTED]"))
    }

    fn may_contain_secret(&self, text: &str) -> bool {
        text.contains("hunter2")
    }
}

#[test]
fn secrets_are_taken_out_before_a_digest_is_made() {
    let tape = new_tape();
    tape.set_redactor(Arc::new(LargeTextRedactor));
    let long = |word: &str| format!("{word} {}", "x".repeat(2_000));
    fire(&tape, json!({"text": long("hunter2")}));
    fire(&tape, json!({"text": long("[REDACTED]")}));
    let text = tape.lines().join("\n");
    assert!(!text.contains("hunter2"));
    assert_eq!(text.matches("\"blobs\":[").count(), 1, "they are the same without the secret");
    assert_eq!(fired_payloads(&tape), [json!({"text": long("[REDACTED]")}), json!({"text": long("[REDACTED]")})]);
}

#[test]
fn what_is_packed_stays_whole() {
    let tape = Tape::in_memory(HeaderRecord::new("s1", 1), Arc::new(WritingTickingClock::default()));
    let deep = (0..110).fold(json!(["x".repeat(5_000), {"$blob": 1}]), |inner, _| json!([inner]));
    fire(&tape, deep.clone());
    let text = tape.lines().join("\n");
    assert!(text.contains("\"packed\":") && !text.contains("\"blobs\":["));
    assert_eq!(fired_payloads(&tape), [deep]);
}

#[test]
fn arguments_that_are_the_text_of_args_are_not_written_again() {
    let long = "\u{fc}\"\n".repeat(600);
    let args = json!({"command": long, "timeout": 1.50, "list": [1, 2, 3, {"deep": ["x"]}]});
    let text = args.to_string();
    let plain = json!({"id": "1", "name": "run", "arguments": text, "args": args});
    let order = json!({"args": args, "name": "run", "arguments": text});
    let lists = json!({"arguments": text, "args": args, "paths": vec!["p"; 6], "messages": vec!["m".repeat(300); 6]});
    let packed = (0..120).fold(json!(long), |inner, _| json!([inner]));
    let packed = json!({"arguments": packed.to_string(), "args": packed});
    let others = [
        json!({"arguments": serde_json::to_string_pretty(&args).unwrap(), "args": args}),
        json!({"arguments": "{}", "args": {}}),
        json!({"arguments": null, "args": args}),
        json!({"arguments": text.replacen("1.5", "1.50", 1), "args": args}),
        json!({"arguments": format!("{text} "), "args": args}),
        json!({"arguments": text.strip_suffix('}').unwrap(), "args": args}),
        json!({"arguments": text}),
        json!({"arguments": args, "args": args}),
    ];
    let computed = [plain, order, lists, packed].map(|payload| (payload, true));
    for (payload, is_computed) in computed.into_iter().chain(others.map(|payload| (payload, false))) {
        let tape = new_tape();
        fire(&tape, payload.clone());
        // Both are equal, and so is the order of their fields.
        assert_eq!(fired_payloads(&tape)[0].to_string(), payload.to_string());
        let whole = tape.lines().join("\n") + "\n";
        let has_flag = whole.contains("\"args_text\":true") || whole.contains("\\\"args_text\\\":true");
        assert_eq!(has_flag, is_computed, "{whole}");
        assert_eq!(replay(whole.as_bytes(), &ReplayOptions::default()).unwrap().difference, None, "{whole}");
        let report = verify_bytes(whole.as_bytes()).unwrap();
        assert!(report.is_valid(), "{:?}", report.findings);
        // The payload that hooks made of another one, too.
        let event = make_event("tool.pre", json!({"name": "run"}));
        let dispatch = tape.begin_dispatch(&JournalEntry::Event { event: &event, cause: EventCause::default() });
        let outcome = Outcome { rewritten: true, ..Outcome::unchanged(Payload::new(payload.clone())) };
        tape.record(dispatch, &JournalEntry::Outcome { event: &event, outcome: &outcome });
        let last = read_memory_tape(&tape).records.pop().unwrap().body;
        let RecordBody::Outcome(last) = last else { unreachable!("the outcome was recorded last") };
        assert_eq!((last.value.unwrap().to_string(), last.args_text), (payload.to_string(), is_computed));
    }
}
