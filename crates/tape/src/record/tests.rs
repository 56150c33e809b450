//! Each record kind has its example, its entry in the document of the format, and a row that agrees with its struct.

use serde_json::{Map, Value};

use super::kinds::KINDS;
use super::*;

/// One record of each kind with all its fields, also those that exclude each other.
const EXAMPLES: &str = include_str!("examples.jsonl");
const DOCUMENT: &str = include_str!("mod.rs");

/// A kind and the text of its fields in its example.
fn examples() -> impl Iterator<Item = (&'static str, String)> {
    EXAMPLES.lines().map(|line| {
        let (kind, rest) = line.strip_prefix("{\"kind\":\"").unwrap().split_once("\",").unwrap();
        (kind, format!("{{{rest}"))
    })
}

fn decode(kind: &str, fields: &str) -> Result<RecordBody<'static>, String> {
    RecordBody::from_fields(kind, fields).unwrap().map_err(|error| error.to_string())
}

/// The texts between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The fields of a kind's struct, in the order in which they are written.
fn fields_of(kind: &str) -> Vec<String> {
    let error = decode(kind, r#"{"no such field":0}"#).unwrap_err();
    quoted(error.strip_prefix("unknown field `no such field`").unwrap()).map(str::to_owned).collect()
}

/// What the document says about a kind: its paragraph with the list after it, or its row in the table.
fn entry_in_document(kind: &str) -> Option<String> {
    let text =
        DOCUMENT.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect::<Vec<_>>().join("\n");
    let text = text.split("# Kinds: the tape itself").nth(1)?;
    let row = |line: &&str| quoted(line.split('|').nth(1).unwrap_or_default()).any(|named| named == kind);
    if let Some(row) = text.lines().find(row) {
        return Some(row.replacen('|', "`origin`", 1));
    }
    let after = text.split_once(&format!("\n\n`{kind}` "))?.1;
    let end = after.match_indices("\n\n").find(|(at, _)| !after[at + 2..].starts_with("- ")).map(|(at, _)| at);
    Some(after[..end.unwrap_or(after.len())].to_owned())
}

#[test]
fn each_kind_keeps_the_bytes_of_its_example() {
    assert_eq!(
        examples().map(|(kind, _)| kind).collect::<std::collections::BTreeSet<_>>(),
        KINDS.iter().copied().collect()
    );
    for (kind, fields) in examples() {
        let body = decode(kind, &fields).unwrap_or_else(|error| panic!("{kind}: {error}"));
        let line = Record { seq: 1, at_ms: 2, prev: None, body: body.clone() }.to_line().unwrap();
        let mut head = String::from("{\"seq\":1,\"at_ms\":2,\"prev\":null,");
        let mut fields: Map<String, Value> = serde_json::from_str(&fields).unwrap();
        if has_origin(kind) {
            head += &format!("\"origin\":{},", fields.shift_remove("origin").unwrap());
        }
        let rest = Value::from(fields).to_string();
        assert_eq!(line, format!("{head}\"kind\":\"{kind}\",{}", rest.strip_prefix('{').unwrap()));
        assert_eq!(Record::from_line(line.as_bytes()).unwrap().body, body);
    }
}

#[test]
fn each_row_agrees_with_the_fields_of_its_struct() {
    for (kind, text) in examples() {
        let fields = fields_of(kind);
        let example: Map<String, Value> = serde_json::from_str(&text).unwrap();
        assert_eq!(example.keys().cloned().collect::<Vec<_>>(), fields, "the example of `{kind}` has every field");

        let body = decode(kind, &text).unwrap();
        let number = |name: &str| example.get(name).and_then(Value::as_u64);
        let expected = RecordNumbers {
            dispatch: number("dispatch"),
            parent: number("parent"),
            call: number("call"),
            cause: number("cause"),
            entry: number("entry"),
        };
        assert_eq!(body.numbers(), expected, "{kind}");
    }
}

#[test]
fn each_kind_is_documented_with_its_fields_in_order() {
    for kind in KINDS {
        let entry = |kind| entry_in_document(kind).unwrap_or_else(|| panic!("the document does not describe `{kind}`"));
        let mut text = entry(kind);
        if text.contains("the fields of `matcher_failed`") {
            text = entry("matcher_failed");
        }
        for field in fields_of(kind) {
            let at = text.find(&format!("`{field}`")).unwrap_or_else(|| panic!("`{kind}`: no `{field}` in {text}"));
            text.drain(..=at);
        }
    }
}

#[test]
fn a_kind_with_a_meaning_of_its_own_is_reserved() {
    assert!(KINDS.iter().chain(&[REDACTED]).all(|kind| is_reserved(kind)));
    for kind in ["remark", REDACTED] {
        assert!(RecordBody::from_fields(kind, "{}").is_err(), "{kind}");
    }
    assert!(!is_reserved("remark"));
}
