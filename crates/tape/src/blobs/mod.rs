//! Blobs: large values that are written once and then referred to.
//!
//! The rule is part of the format (see "Large values" in [`crate::record`]). It depends only on the text of a record,
//! so that the same records produce the same lines.

use memchr::memmem;
use pintle_contract::to_hex;

use crate::line::{DigestBytes, parse_hex};

mod extract;
mod list;
mod list_store;
mod recent_lists;
mod resolve;
mod shared_text;
mod source;
mod text_lines;

pub(crate) use extract::{BlobContent, BlobExtraction, BlobExtractor, ExtractedBlob, STRING_BYTES, extract_blobs};
pub(crate) use list::FEW_ELEMENTS;
pub(crate) use recent_lists::RecentLists;
pub(crate) use resolve::{BlobStore, LineBlob};
pub(crate) use shared_text::SharedText;
pub(crate) use source::{TapeText, TapeTextReader};
pub(crate) use text_lines::RecentTexts;

/// The field name in a reference.
const NAME: &str = "$blob";
/// The number of hex digits by which a reference names a value.
const NAME_DIGITS: usize = 2 * size_of::<BlobName>();

/// The first half of a value's digest, which names it on its tape. The writer makes sure that no other value of the tape
/// has it.
pub(crate) type BlobName = [u8; 16];

/// The digest of an array, from those of its elements.
pub(crate) fn list_digest(elements: impl Iterator<Item = DigestBytes>) -> DigestBytes {
    elements.fold(list::empty_digest(), |digest, element| list::extend_digest(&digest, &element))
}

/// The name of the value with a digest.
pub(crate) fn name_of(digest: &DigestBytes) -> BlobName {
    let mut name = BlobName::default();
    name.iter_mut().zip(digest).for_each(|(to, from)| *to = *from);
    name
}

/// Whether text may contain a reference, or an object that looks like one.
pub(crate) fn may_contain_reference(text: &[u8]) -> bool {
    memmem::find(text, b"$blob\"").is_some()
}

/// Whether a name is that of a reference, or one that must be escaped to differ from it.
fn is_reference_name(name: &str) -> bool {
    name.strip_suffix(NAME).is_some_and(|before| before.bytes().all(|byte| byte == b'$'))
}

/// A blob in its line, with the JSON text of its `value`, its `parts`, or what it has from `of` on.
pub(crate) fn encode_blob(field: &str, content: &[u8]) -> Vec<u8> {
    [b"{\"", field.as_bytes(), b"\":", content, b"}"].concat()
}

/// The names in the references of JSON text.
pub(crate) fn references_in(text: &[u8]) -> impl Iterator<Item = BlobName> + '_ {
    // A quotation mark in a string is escaped, so this is the name of a field.
    names_after(text, "\"$blob\"")
}

/// The names of the values that a blob needs, and possibly others.
pub(crate) fn names_in(blob: &[u8]) -> impl Iterator<Item = BlobName> + '_ {
    references_in(blob).chain(names_after(blob, "\"of\""))
}

fn names_after<'t>(text: &'t [u8], field: &'static str) -> impl Iterator<Item = BlobName> + 't {
    memmem::find_iter(text, field).filter_map(move |start| {
        let value = text.get(start + field.len()..)?.trim_ascii_start().strip_prefix(b":")?;
        let name = value.trim_ascii_start().strip_prefix(b"\"")?.split_at_checked(NAME_DIGITS)?;
        name.1.starts_with(b"\"").then(|| parse_hex(std::str::from_utf8(name.0).ok()?)).flatten()
    })
}

/// The error for a reference to something that is not before it.
fn missing_text(name: &str) -> String {
    format!("it refers to blob `{name}`, which no line up to it contains")
}

/// The error for a value that the tape has already.
fn repeated_text(digest: &DigestBytes) -> String {
    format!("blob `{}` a second time; a tape has each value once", to_hex(&name_of(digest)))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::line::LineText;

    /// New blobs as they are written, each once.
    pub(crate) fn encode_blobs(blobs: Vec<ExtractedBlob>) -> Vec<String> {
        let mut lists = RecentLists::default();
        let mut known = Vec::new();
        let mut encoded = Vec::new();
        for ExtractedBlob { digest, content } in blobs {
            if known.contains(&digest) {
                continue;
            }
            let blob = match content {
                BlobContent::Value(value) => encode_blob("value", &value),
                BlobContent::List(list) => encode_blob("parts", &lists.add(list)),
            };
            encoded.push(String::from_utf8(blob).unwrap());
            known.push(digest);
        }
        encoded
    }

    /// A store that has the blobs of a tape which consists of one line with them.
    pub(crate) fn load_blobs<'t>(line: &'t str, blobs: &[String]) -> BlobStore<'t> {
        let mut store = BlobStore::new(TapeText::Memory(line.as_bytes()));
        let text = LineText::new(line.as_bytes());
        let inserted = store.insert_line(&text, text.shared_fields().unwrap().blobs.unwrap(), 0).unwrap();
        let inserted: Vec<Vec<u8>> = inserted.into_iter().map(|blob| blob.text).collect();
        assert_eq!(inserted, blobs.iter().map(|blob| blob.as_bytes().to_vec()).collect::<Vec<_>>());
        store
    }

    /// A line with blobs, which its record needs because `text` refers to them.
    pub(crate) fn line_of(blobs: &[String], text: &str) -> String {
        format!(
            "{{\"seq\":1,\"at_ms\":2,\"prev\":null,\"blobs\":[{}],\"kind\":\"k\",\"data\":{text}}}",
            blobs.join(",")
        )
    }

    /// Extracts the blobs of a record's fields and resolves them again. Returns the number of blobs.
    fn round_trip(fields: &Map<String, Value>) -> (Map<String, Value>, usize) {
        let text = serde_json::to_vec(fields).unwrap();
        let Some(BlobExtraction { text, blobs }) = extract_blobs(&Arc::new(text)) else { return (fields.clone(), 0) };
        let blobs = encode_blobs(blobs);
        let line = line_of(&blobs, std::str::from_utf8(&text).unwrap());
        let known = if blobs.is_empty() { BlobStore::default() } else { load_blobs(&line, &blobs) };
        assert!(known.is_written(b"", &text));
        (known.resolve_fields(serde_json::from_slice(&text).unwrap()).unwrap(), blobs.len())
    }

    fn as_fields(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn what_is_large_is_kept_elsewhere_and_comes_back() {
        let long = "x".repeat(1_022);
        let many = vec![Value::from("y".repeat(100)); 50];
        let cases = [
            (json!({"payload": {"a": "x".repeat(1_021)}}), 0),
            (json!({"payload": {"a": long}}), 1),
            (json!({"payload": {"a": long, "b": [long, long.clone() + "!"]}}), 2),
            (json!({"reason": long}), 1),
            (json!({"payload": many}), 1),
            (json!({"payload": {"m": many, "n": many, "o": "z".repeat(4_000)}}), 2),
            // An object that is large only because of its large values stays in its place.
            (json!({"payload": {"m": {"a": "z".repeat(9_000)}}}), 1),
            (json!({"verdict": {"fields": many, "z": "y".repeat(900)}}), 1),
            (json!({"payload": {&long: 1}}), 0),
        ];
        for (value, count) in cases {
            let fields = as_fields(value);
            assert_eq!(round_trip(&fields), (fields, count));
        }
    }

    #[test]
    fn what_only_looks_like_a_reference_comes_back_too() {
        let long = "\"\\$blob\"".repeat(300);
        for value in [
            json!({"payload": {"$blob": "ab"}}),
            json!({"payload": {"$blob": {"$blob": {"$$blob": 1}}}}),
            json!({"payload": [{"$$$blob": long}, {"$blob": 1, "b": 2}, {"blob": 1}, {"x$blob": 1}]}),
            json!({"$blob": {"$blob": long}}),
        ] {
            let fields = as_fields(value);
            assert_eq!(round_trip(&fields).0, fields);
        }
    }

    #[test]
    fn an_answer_is_read_without_looking_elsewhere() {
        let text = serde_json::to_vec(&json!({"verdict": {"kind": "deny", "fields": vec!["y".repeat(90); 60]}}));
        let cut = String::from_utf8(extract_blobs(&Arc::new(text.unwrap())).unwrap().text).unwrap();
        assert!(cut.starts_with(r#"{"verdict":{"kind":"deny","fields":{"$blob":""#), "{cut}");
    }

    pub(crate) fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<i32>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[a\"\\\u{1}\u{8}/\\$\u{fc}]{0,40}".prop_map(Value::from),
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
        #[test]
        fn any_value_comes_back(value in any_value()) {
            let fields = as_fields(json!({"dispatch": 1, "payload": value}));
            prop_assert_eq!(round_trip(&fields).0, fields);
        }
    }
}
