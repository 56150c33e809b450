//! `verify` or a replay finds a change to one record with repaired digests, unless nothing else on the tape depends on the
//! changed value.

use std::collections::{BTreeMap, BTreeSet};

use pintle_tape::replay::{ReplayOptions, replay};
use pintle_tape::verify::verify_bytes;
use serde_json::{Value, json};

use super::ends::corpus_records;
use super::rechain_records;

/// Values that a tape has only once, each with the reason. Another value is another session: only a digest kept
/// elsewhere shows the change, or `--live-hooks` if the reason names it. `*` matches anything.
const SAID_ONCE: &[(&str, &str)] = &[
    ("*.at_ms", "a later time that is not later than that of the next record"),
    ("*.duration_us", "how long something took is measured once"),
    ("*.origin.agent", "who spoke; the session and the run, which tell conversations apart, are checked"),
    ("*.origin.turn", "the turn of a record before the first turn, or behind a `resumed`"),
    ("header.*", "who wrote the tape, and when"),
    ("closed.*", "an earlier end: its count and digest are computed again with the chain"),
    ("hooks.*", "which hooks were loaded: `--live-hooks` compares them with those of today"),
    ("effect.*", "what a script asked of the world and got: `--live-hooks` asks the hook again"),
    ("session.reopen_data.*", "what the host needs to open the session again"),
    ("resumed.reopen_data.*", "the same"),
    ("reminder.reminder.*", "what a hook reminds of; the outcome that injects it has it in the host's form"),
    ("model_request.conversation", "a name that the host gives"),
    ("message.conversation", "the same"),
    ("model_request.model", "the model's name as the host has it; events have the one that hooks are shown"),
    ("message.message.role", "of a message that the model is sent again in the next request, which events show"),
    ("message.message.name", "the tool of a result, beside the call that it answers"),
    ("model_reply.error.*", "why a model did not answer"),
    ("model_reply.reply.usage.*", "what the provider counted"),
    ("model_reply.reply.finish_reason", "what the provider said of the end"),
    ("turn(end).usage.*", "what the host counted"),
    ("turn(end).end_reason", "how the host says that a turn ended"),
    (
        "event(completion.pre).payload.*",
        "the window of the conversation that is sent; what is sent is compared with it",
    ),
    ("event(completion.post).payload.*", "what goes with the answer, which is compared: counts, times, names"),
    ("event(tool.post).payload.*", "of a call that did not run: nobody but the hooks was told"),
    ("event(agent.stop).payload.*", "the turn summed up for hooks; its parts are compared where they happen"),
    ("event(turn.end).payload.*", "the same"),
    ("event(session.*", "the session summed up for hooks"),
    ("event(custom.deploy).payload.*", "what a script emitted"),
    ("event(error).payload.*", "what went wrong, in the host's words"),
    ("event(file.edited).payload.*", "a file that changed, as the host saw it"),
];

/// Records that may be missing, because nothing else on the tape depends on them.
const MAY_BE_MISSING: &[(&str, &str)] = &[
    ("closed", "an earlier end, before a `resumed`"),
    ("effect", "as above"),
    ("hooks", "hooks of which none was asked"),
    ("message", "the last answer of a turn, and messages before a `resumed`"),
    ("reminder", "a reminder that was not shown"),
    ("resumed", "the resumption after an earlier end, at which nothing was open"),
    ("user_message", "what was said before an event that shows it"),
    ("session", "what is needed to open the session again, before a `resumed`"),
    ("turn", "the end of a turn before a `resumed`"),
];

fn is_like(name: &str, pattern: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (None, Some(begin)) => name.starts_with(begin),
        (None, None) => name == pattern,
    }
}

/// Tapes in which every kind of value is changed once.
const TAPES: [&str; 2] = ["lifecycle-hooks.jsonl", "custom-events.jsonl"];

/// The paths of all values in a record, such as `tool_call.args.path`, with the name of the event if it has one.
fn places_of(record: &Value) -> Vec<(String, Vec<EditPathStep>)> {
    let kind = record["kind"].as_str().unwrap();
    let name = match record["event"].as_str().or(record["source"].as_str()).or(record["phase"].as_str()) {
        Some(event) => format!("{kind}({event})"),
        None => kind.to_owned(),
    };
    let mut places = Vec::new();
    for (field, value) in record.as_object().unwrap() {
        if !["seq", "prev", "kind"].contains(&field.as_str()) {
            collect_leaves(value, &format!("{name}.{field}"), vec![EditPathStep::Field(field.clone())], &mut places);
        }
    }
    places
}

#[derive(Clone)]
enum EditPathStep {
    Field(String),
    Item(usize),
}

fn collect_leaves(value: &Value, name: &str, path: Vec<EditPathStep>, places: &mut Vec<(String, Vec<EditPathStep>)>) {
    let below = |step: EditPathStep| [path.as_slice(), &[step]].concat();
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (field, value) in fields {
                collect_leaves(value, &format!("{name}.{field}"), below(EditPathStep::Field(field.clone())), places);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, value) in items.iter().enumerate() {
                collect_leaves(value, &format!("{name}[]"), below(EditPathStep::Item(index)), places);
            }
        }
        _ => places.push((name.to_owned(), path)),
    }
}

fn value_at<'v>(record: &'v mut Value, path: &[EditPathStep]) -> &'v mut Value {
    path.iter().fold(record, |value, step| match step {
        EditPathStep::Field(name) => &mut value[name.as_str()],
        EditPathStep::Item(index) => &mut value[*index],
    })
}

fn different_value(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(format!("{text}x")),
        Value::Number(number) if number.is_u64() => json!(number.as_u64().unwrap() + 1),
        Value::Number(number) => json!(number.as_f64().unwrap() + 1.0),
        Value::Bool(is) => json!(!is),
        Value::Null => json!("x"),
        Value::Array(_) => json!(["x"]),
        Value::Object(_) => json!({"x": 1}),
    }
}

fn has_finding(records: &[Value]) -> bool {
    let text = rechain_records(records);
    match verify_bytes(text.as_bytes()) {
        Ok(report) if report.is_complete() => {}
        _ => return true,
    }
    !replay(text.as_bytes(), &ReplayOptions::default()).is_ok_and(|replayed| replayed.difference.is_none())
}

/// Changes each kind of value once, and returns the names of the changes that were not found.
fn undetected_edits(tape: &str) -> BTreeSet<String> {
    let records = corpus_records(tape);
    assert!(!has_finding(&records), "{tape}");
    let mut found: BTreeMap<String, Vec<(usize, Vec<EditPathStep>)>> = BTreeMap::new();
    for (index, record) in records.iter().enumerate().take(records.len() - 1) {
        for (name, path) in places_of(record) {
            found.entry(name).or_default().push((index, path));
        }
    }
    let mut unfound = BTreeSet::new();
    for (name, places) in found {
        // The last value of the kind is changed. It is in a resumed session, if the tape has one.
        if let Some((index, path)) = places.last() {
            let mut changed = records.clone();
            let place = value_at(&mut changed[*index], path);
            *place = different_value(place);
            if !has_finding(&changed) {
                unfound.insert(name.clone());
            }
        }
    }
    unfound
}

#[test]
fn a_change_of_one_record_is_found_unless_it_is_said_once() {
    let mut all = BTreeSet::new();
    for tape in TAPES {
        all.extend(undetected_edits(tape));
    }
    let more: Vec<&String> =
        all.iter().filter(|name| !SAID_ONCE.iter().any(|(pattern, _)| is_like(name, pattern))).collect();
    assert!(more.is_empty(), "not found: {more:#?}");
    let unused: Vec<&str> = SAID_ONCE
        .iter()
        .map(|(pattern, _)| *pattern)
        .filter(|pattern| !all.iter().any(|name| is_like(name, pattern)))
        .collect();
    assert!(unused.is_empty(), "found after all: {unused:#?}");
}

#[test]
fn a_record_that_is_taken_away_is_found_unless_it_is_said_once() {
    let mut unfound = BTreeSet::new();
    for tape in TAPES {
        let records = corpus_records(tape);
        for index in 0..records.len() - 1 {
            let mut without = records.clone();
            let removed = without.remove(index);
            if !has_finding(&without) {
                unfound.insert(removed["kind"].as_str().unwrap().to_owned());
            }
        }
    }
    let known: BTreeSet<String> = MAY_BE_MISSING.iter().map(|(kind, _)| (*kind).to_owned()).collect();
    assert_eq!(unfound, known);
}
