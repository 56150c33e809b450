//! Compares the scanner with parsing text and writing it again.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::blobs::tests::{blob_lines, load_lines};
use crate::blobs::{BlobExtraction, BlobStore, TapeText, extract_blobs};
use crate::line::digest_hex;

/// The lines of blobs that refer to one another, and the fields of a record.
fn store_fields(fields: &Map<String, Value>) -> (Vec<String>, String) {
    let text = serde_json::to_vec(fields).unwrap();
    let BlobExtraction { text, blobs } = extract_blobs(&text).unwrap_or(BlobExtraction { text, blobs: Vec::new() });
    (blob_lines(blobs), String::from_utf8(text).unwrap())
}

/// Whether the scanner recognises the fields.
fn is_recognised(blobs: &[String], fields: &str) -> bool {
    let tape = blobs.concat();
    let mut store = BlobStore::new(TapeText::Memory(tape.as_bytes()));
    load_lines(&mut store, blobs).is_ok_and(|are_written| are_written) && {
        let mut scan = FieldScanner::new(&store, fields);
        scan.consume(b'{') && scan_all(&mut scan).is_some() && scan.index() == fields.len()
    }
}

fn scan_all(scan: &mut FieldScanner<'_, '_>) -> Option<()> {
    loop {
        scan.scan_name()?;
        scan.consume(b':').then_some(())?;
        scan.scan_field()?;
        if scan.consume(b'}') {
            return Some(());
        }
        scan.consume(b',').then_some(())?;
    }
}

/// Whether parsing the fields and writing them again gives the same text.
fn is_round_trip(blobs: &[String], fields: &str) -> bool {
    let tape = blobs.concat();
    let mut kept = BlobStore::new(TapeText::Memory(tape.as_bytes()));
    if load_lines(&mut kept, blobs).is_err() {
        return false;
    }
    let Ok(read) = serde_json::from_str(fields) else { return false };
    kept.resolve_fields(read).is_ok_and(|fields_read| store_fields(&fields_read).1 == fields)
}

#[test]
fn what_is_spelled_in_another_way_is_not_recognised() {
    let same = [
        r#"{"a":{"b":[1,-2,3.50,0,0.0,true,false,null,"x\"\\\n\u0001\u001f/"],"c":{},"d":[]}}"#,
        "{\"a\":\"\u{fc}\u{7f}\u{10ffff}\"}",
        r#"{"a":{"$$blob":"x"},"b":{"$blob":1,"c":2}}"#,
    ];
    for fields in same {
        assert!(is_recognised(&[], fields) && is_round_trip(&[], fields), "{fields}");
    }
    let long = "x".repeat(1_022);
    let others = [
        String::from(r#"{"a": 1}"#),
        String::from(r#"{"a":"\/"}"#),
        String::from(r#"{"a":"\u0008"}"#),
        String::from(r#"{"a":"\u000A"}"#),
        String::from(r#"{"a":"\u0020"}"#),
        String::from("{\"a\":\"\t\"}"),
        String::from(r#"{"a":{"b":1,"b":2}}"#),
        String::from(r#"{"a":01}"#),
        String::from(r#"{"a":1.}"#),
        String::from(r#"{"a":{"$blob":"ab"}}"#),
        String::from(r#"{"a":{"$blob":1}}"#),
        String::from(r#"{"a":{"b":1,}}"#),
        String::from(r#"{"a":nul}"#),
        format!(r#"{{"a":"{long}"}}"#),
        format!(r#"{{"a":[{}]}}"#, vec!["1"; 2_048].join(",")),
        format!(r#"{{"a":{}1{}}}"#, "[".repeat(100), "]".repeat(100)),
    ];
    for fields in others {
        assert!(!is_recognised(&[], &fields), "{fields}");
    }
}

#[test]
fn what_refers_to_blobs_is_recognised_where_the_writer_refers_too() {
    let long = "x".repeat(1_100);
    let many = vec![Value::from("y".repeat(100)); 50];
    let fields = json!({"payload": {"a": long, "b": [long], "c": many, "d": {"many": many}}});
    let (blobs, text) = store_fields(fields.as_object().unwrap());
    assert!(blobs.len() == 2 && is_recognised(&blobs, &text) && is_round_trip(&blobs, &text), "{text}");
    // A blob that is too small may exist if nothing refers to it.
    let small = format!("{{\"digest\":\"{}\",\"value\":1}}", digest_hex(b"1"));
    let refers = format!(r#"{{"a":{{"$blob":"{}"}}}}"#, digest_hex(b"1"));
    assert!(is_recognised(std::slice::from_ref(&small), r#"{"a":1}"#));
    assert!(!is_recognised(std::slice::from_ref(&small), &refers) && !is_round_trip(&[small], &refers));
    // A blob whose digest does not match is not recognised either.
    let wrong = blobs[0].replace('x', "z");
    assert!(!is_recognised(&[wrong], "{}"));
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i32>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a\"\\\\\u{1}\u{8}/\\$\u{fc}]{0,20}".prop_map(Value::from),
        (1_000..1_100_usize).prop_map(|length| Value::from("l".repeat(length))),
    ];
    let name = prop_oneof![Just(String::from("$blob")), Just(String::from("$$blob")), "[a-c\"\\\\]{0,3}"];
    leaf.prop_recursive(4, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((name.clone(), inner), 0..3)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    /// Written text is recognised unless it contains a number with an exponent. Changed text is recognised only if it
    /// is still canonical.
    #[test]
    fn what_is_recognised_is_what_the_writer_writes(
        value in value(),
        place in any::<prop::sample::Index>(),
        other in prop::sample::select(vec!["\"", "{", "}", "[", "]", ",", ":", " ", "\\", "0", "-", ".", "$", "a", ""]),
    ) {
        let fields = json!({"dispatch": 1, "payload": value});
        let (blobs, text) = store_fields(fields.as_object().unwrap());
        prop_assert!(is_round_trip(&blobs, &text));
        let has_exponent = blobs.iter().chain([&text]).any(|text| text.contains(['e', '.']) || text.contains("-0"));
        prop_assert!(has_exponent || is_recognised(&blobs, &text), "{}", text);
        let at = place.index(text.len());
        if text.is_char_boundary(at) && text.is_char_boundary(at + 1) {
            let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
            prop_assert!(!is_recognised(&blobs, &changed) || is_round_trip(&blobs, &changed), "{}", changed);
        }
    }
}
