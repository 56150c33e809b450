//! What hosts are answered, byte for byte.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

use pintle_bridge::Answer;
use serde_json::Value;

use crate::stage::{SAYINGS, answered, data, hosts, main_event, row_of, saying};

#[test]
fn every_host_is_answered_in_its_own_terms() {
    for (host, files) in hosts() {
        let mut text = String::new();
        for file in files {
            let row = row_of(host, &file);
            let payload = fs::read(&file).unwrap();
            writeln!(text, "== {}", file.file_name().unwrap().display()).unwrap();
            for said in SAYINGS {
                let hooks = main_event(row).into_iter().map(|event| saying(said, event)).collect();
                let answer = answered(host, row, &payload, hooks);
                write!(text, "{said}: {}", shown(&answer)).unwrap();
                is_well_formed(&answer, host.name, row.name, said);
            }
            let late = host.fallback(row, "too late");
            write!(text, "no answer in time: {}", shown(&late)).unwrap();
        }
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(data(host));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("answers", text));
    }
}

/// The rules that hold for every host: a status that decides, one JSON document or none, and no reason without a word.
fn is_well_formed(answer: &Answer, host: &str, event: &str, said: &str) {
    let place = format!("{host} {event}, {said}: {answer:?}");
    assert!(matches!(answer.exit_code, 0 | 2), "{place}");
    if answer.stdout.starts_with('{') {
        let value: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|fault| panic!("{fault}: {place}"));
        let mut empty = BTreeSet::new();
        empty_texts(&value, "", &mut empty);
        empty.retain(|name| name.to_lowercase().contains("reason") || name.contains("essage"));
        assert!(empty.is_empty(), "{place}: {empty:?}");
    }
    assert!(answer.exit_code == 0 || !answer.stderr.trim().is_empty(), "{place}");
}

fn empty_texts(value: &Value, name: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if text.trim().is_empty() => {
            found.insert(name.to_owned());
        }
        Value::Object(fields) => fields.iter().for_each(|(name, value)| empty_texts(value, name, found)),
        Value::Array(items) => items.iter().for_each(|value| empty_texts(value, name, found)),
        _ => {}
    }
}

fn shown(answer: &Answer) -> String {
    let mut text = format!("exit {}\n", answer.exit_code);
    for (stream, written) in [("out", &answer.stdout), ("err", &answer.stderr)] {
        if !written.is_empty() {
            text.push_str(&format!("  {stream} {written:?}\n"));
        }
    }
    text
}

#[test]
fn what_is_guarded_is_denied_when_a_hook_denies_and_nothing_is_allowed_by_failing() {
    for (host, files) in hosts() {
        for file in files {
            let row = row_of(host, &file);
            if !row.guards {
                continue;
            }
            let payload = fs::read(&file).unwrap();
            let answers = |said: &'static str| {
                let hooks = main_event(row).into_iter().map(|event| saying(said, event)).collect();
                answered(host, row, &payload, hooks)
            };
            let allowed = answers("allow");
            assert_eq!(allowed.exit_code, 0, "{}", file.display());
            for said in ["deny", "deny with an empty reason", "failed closed", "timeout", "stop"] {
                assert_ne!(answers(said), allowed, "{} {}: {said}", host.name, file.display());
            }
            assert_ne!(host.fallback(row, "gone"), allowed, "{}", file.display());
        }
    }
}
