//! Compares responses to hosts, byte for byte.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

use pintle_bridge::HostResponse;
use serde_json::Value;

use crate::fixture::{SAYINGS, data_dir, event_of_file, hook_saying, main_event, recorded_hosts, respond};

#[test]
fn every_host_is_answered_in_its_own_terms() {
    for (host, files) in recorded_hosts() {
        let mut text = String::new();
        for file in files {
            let def = event_of_file(host, &file);
            let payload = fs::read(&file).unwrap();
            writeln!(text, "== {}", file.file_name().unwrap().display()).unwrap();
            for said in SAYINGS {
                let hooks = main_event(def).into_iter().map(|event| hook_saying(said, event)).collect();
                let answer = respond(host, def, &payload, hooks);
                write!(text, "{said}: {}", response_text(&answer)).unwrap();
                assert_well_formed(&answer, host.name, def.name, said);
            }
            let late = host.fallback_response(def, "too late");
            write!(text, "no answer in time: {}", response_text(&late)).unwrap();
        }
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(data_dir(host));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("answers", text));
    }
}

/// The rules for every host: a status with a decision, one JSON document or none, and no empty reason.
fn assert_well_formed(answer: &HostResponse, host: &str, event: &str, text: &str) {
    let place = format!("{host} {event}, {text}: {answer:?}");
    assert!(matches!(answer.exit_code, 0 | 2), "{place}");
    if answer.stdout.starts_with('{') {
        let value: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {place}"));
        let mut empty = BTreeSet::new();
        collect_empty_texts(&value, "", &mut empty);
        empty.retain(|name| name.to_lowercase().contains("reason") || name.contains("essage"));
        assert!(empty.is_empty(), "{place}: {empty:?}");
    }
    assert!(answer.exit_code == 0 || !answer.stderr.trim().is_empty(), "{place}");
}

fn collect_empty_texts(value: &Value, name: &str, texts: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if text.trim().is_empty() => {
            texts.insert(name.to_owned());
        }
        Value::Object(fields) => fields.iter().for_each(|(name, value)| collect_empty_texts(value, name, texts)),
        Value::Array(items) => items.iter().for_each(|value| collect_empty_texts(value, name, texts)),
        _ => {}
    }
}

fn response_text(answer: &HostResponse) -> String {
    let mut text = format!("exit {}\n", answer.exit_code);
    for (stream, written) in [("out", &answer.stdout), ("err", &answer.stderr)] {
        if !written.is_empty() {
            text.push_str(&format!("  {stream} {written:?}\n"));
        }
    }
    text
}

#[test]
fn guarded_event_is_denied_by_a_deny_and_never_allowed_by_a_failure() {
    for (host, files) in recorded_hosts() {
        for file in files {
            let def = event_of_file(host, &file);
            if !def.is_guard {
                continue;
            }
            let payload = fs::read(&file).unwrap();
            let answers = |said: &'static str| {
                let hooks = main_event(def).into_iter().map(|event| hook_saying(said, event)).collect();
                respond(host, def, &payload, hooks)
            };
            let allowed = answers("allow");
            assert_eq!(allowed.exit_code, 0, "{}", file.display());
            for said in ["deny", "deny with an empty reason", "failed closed", "timeout", "stop"] {
                assert_ne!(answers(said), allowed, "{} {}: {said}", host.name, file.display());
            }
            assert_ne!(host.fallback_response(def, "gone"), allowed, "{}", file.display());
        }
    }
}
