//! One change to one record, with the digests made anew, is found by `verify` or by a replay, except where nothing else on
//! the tape tells of it.

use std::collections::{BTreeMap, BTreeSet};

use pintle_tape::replay::{Options, replay};
use pintle_tape::verify::verify_bytes;
use serde_json::{Value, json};

use super::chained;
use super::ends::of_today;

/// What a tape says once, so that another value is another session: only a digest kept elsewhere tells. Each with why.
const SAID_ONCE: &[(&str, &str)] = &[];

/// Tapes in which every place is changed once.
const TAPES: [&str; 2] = ["lifecycle-hooks.jsonl", "custom-events.jsonl"];

/// One place in a record, such as `tool_call.args.path`, with the event's name where it has one.
fn places(record: &Value) -> Vec<(String, Vec<Step>)> {
    let kind = record["kind"].as_str().unwrap();
    let name = match record["event"].as_str().or(record["source"].as_str()).or(record["stage"].as_str()) {
        Some(event) => format!("{kind}({event})"),
        None => kind.to_owned(),
    };
    let mut places = Vec::new();
    for (field, value) in record.as_object().unwrap() {
        if !["seq", "prev", "kind"].contains(&field.as_str()) {
            leaves(value, &format!("{name}.{field}"), vec![Step::Field(field.clone())], &mut places);
        }
    }
    places
}

#[derive(Clone)]
enum Step {
    Field(String),
    Item(usize),
}

fn leaves(value: &Value, name: &str, path: Vec<Step>, places: &mut Vec<(String, Vec<Step>)>) {
    let below = |step: Step| [path.as_slice(), &[step]].concat();
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (field, value) in fields {
                leaves(value, &format!("{name}.{field}"), below(Step::Field(field.clone())), places);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (at, value) in items.iter().enumerate() {
                leaves(value, &format!("{name}[]"), below(Step::Item(at)), places);
            }
        }
        _ => places.push((name.to_owned(), path)),
    }
}

fn at<'v>(record: &'v mut Value, path: &[Step]) -> &'v mut Value {
    path.iter().fold(record, |value, step| match step {
        Step::Field(name) => &mut value[name.as_str()],
        Step::Item(at) => &mut value[*at],
    })
}

fn other(value: &Value) -> Value {
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

fn is_found(records: &[Value]) -> bool {
    let text = chained(records);
    match verify_bytes(text.as_bytes()) {
        Ok(report) if report.is_whole() => {}
        _ => return true,
    }
    !replay(text.as_bytes(), &Options::default()).is_ok_and(|replayed| replayed.difference.is_none())
}

/// Changes each kind of place once, and gives the names of those that nobody found.
fn unfound(tape: &str) -> BTreeSet<String> {
    let records = of_today(tape);
    assert!(!is_found(&records), "{tape}");
    let mut found: BTreeMap<String, Vec<(usize, Vec<Step>)>> = BTreeMap::new();
    for (index, record) in records.iter().enumerate().take(records.len() - 1) {
        for (name, path) in places(record) {
            found.entry(name).or_default().push((index, path));
        }
    }
    let mut unfound = BTreeSet::new();
    for (name, places) in found {
        // Where it comes last, which is behind a session that was taken up again, where there is one.
        if let Some((index, path)) = places.last() {
            let mut changed = records.clone();
            let place = at(&mut changed[*index], path);
            *place = other(place);
            if !is_found(&changed) {
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
        all.extend(unfound(tape));
    }
    let known: BTreeSet<String> = SAID_ONCE.iter().map(|(name, _)| (*name).to_owned()).collect();
    let more: Vec<&String> = all.difference(&known).collect();
    assert!(more.is_empty(), "not found: {more:#?}");
    let unused: Vec<&String> = known.difference(&all).collect();
    assert!(unused.is_empty(), "found after all: {unused:#?}");
}

#[test]
fn a_record_that_is_taken_away_is_found_unless_it_is_said_once() {
    let mut unfound = BTreeSet::new();
    for tape in TAPES {
        let records = of_today(tape);
        for at in 0..records.len() - 1 {
            let mut without = records.clone();
            let removed = without.remove(at);
            if !is_found(&without) {
                unfound.insert(format!("{}", removed["kind"].as_str().unwrap()));
            }
        }
    }
    assert_eq!(unfound.into_iter().collect::<Vec<_>>(), Vec::<String>::new());
}
