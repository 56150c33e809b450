//! Large values are written once, and are restored.

use std::sync::Arc;

use pintle_contract::{EventCause, Journal, JournalEntry, Outcome, Redactor};
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
    let blobs = tape.lines().iter().filter(|line| line.contains("\"kind\":\"blob\"")).count();
    let size_bytes: usize = tape.lines().iter().map(String::len).sum();
    assert!(blobs >= 40 && size_bytes < 2 * 40 * 10_000, "{blobs} blobs, {size_bytes} bytes");
    // The records before a blob do not refer to it.
    for end in 2..tape.lines().len() {
        assert!(read_bytes((tape.lines()[..end].join("\n") + "\n").as_bytes()).is_ok(), "{end} lines");
    }
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
    let blob = lines.iter().position(|line| line.contains("\"kind\":\"blob\"")).unwrap();
    let error = |lines: &[String]| read_bytes((lines.join("\n") + "\n").as_bytes()).unwrap_err().to_string();
    let without: Vec<String> =
        lines.iter().enumerate().filter(|(index, _)| *index != blob).map(|(_, l)| l.clone()).collect();
    let missing = error(&without);
    assert!(missing.starts_with(&format!("line {}: it refers to blob `", blob + 1)), "{missing}");
    assert!(missing.ends_with("`, which no line before it contains"), "{missing}");
    let mut changed = lines;
    changed[blob] = changed[blob].replace("xxx", "xyx");
    let wrong = error(&changed);
    assert!(wrong.starts_with(&format!("line {}: the blob's `digest` is `", blob + 1)), "{wrong}");
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
    assert_eq!(text.matches("\"kind\":\"blob\"").count(), 1, "they are the same without the secret");
    assert_eq!(fired_payloads(&tape), [json!({"text": long("[REDACTED]")}), json!({"text": long("[REDACTED]")})]);
}

#[test]
fn what_is_packed_stays_whole() {
    let tape = Tape::in_memory(HeaderRecord::new("s1", 1), Arc::new(WritingTickingClock::default()));
    let deep = (0..110).fold(json!(["x".repeat(5_000), {"$blob": 1}]), |inner, _| json!([inner]));
    fire(&tape, deep.clone());
    let text = tape.lines().join("\n");
    assert!(text.contains("\"packed\":") && !text.contains("\"kind\":\"blob\""));
    assert_eq!(fired_payloads(&tape), [deep]);
}
