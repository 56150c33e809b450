//! Blobs: large values that are written once and then referred to.
//!
//! The rule is part of the format (see "Large values" in [`crate::record`]). It depends only on the text of a record,
//! so that the same records produce the same lines.

use memchr::memmem;

mod extract;
mod list;
mod list_store;
mod recent_lists;
mod resolve;
mod source;
mod text_lines;

pub(crate) use extract::{BlobContent, BlobExtraction, BlobExtractor, ExtractedBlob, STRING_BYTES, extract_blobs};
pub(crate) use list::FEW_ELEMENTS;
pub(crate) use recent_lists::RecentLists;
pub(crate) use resolve::BlobStore;
pub(crate) use source::{TapeText, TapeTextReader};
pub(crate) use text_lines::RecentTexts;

/// The name in a reference.
const NAME: &str = "$blob";

/// Whether text may contain a reference, or an object that looks like one.
pub(crate) fn may_contain_reference(text: &[u8]) -> bool {
    memmem::find(text, b"$blob\"").is_some()
}

/// Whether a name is that of a reference, or one that must be escaped to differ from it.
fn is_reference_name(name: &str) -> bool {
    name.strip_suffix(NAME).is_some_and(|before| before.bytes().all(|byte| byte == b'$'))
}

/// The fields of a blob, with the JSON text of its `value` or its `parts`.
pub(crate) fn blob_fields(digest: &str, name: &str, content: &[u8]) -> Vec<u8> {
    let mut fields = format!("{{\"digest\":\"{digest}\",\"{name}\":").into_bytes();
    fields.extend_from_slice(content);
    fields.push(b'}');
    fields
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;

    /// The fields of new blobs, each once.
    pub(crate) fn blob_lines(blobs: Vec<ExtractedBlob>) -> Vec<String> {
        let mut lists = RecentLists::default();
        let mut known = Vec::new();
        let mut lines = Vec::new();
        for ExtractedBlob { digest, content } in blobs {
            if known.contains(&digest) {
                continue;
            }
            let fields = match content {
                BlobContent::Value(value) => blob_fields(&digest, "value", &value),
                BlobContent::List(list) => blob_fields(&digest, "parts", &lists.add(list)),
            };
            lines.push(String::from_utf8(fields).unwrap());
            known.push(digest);
        }
        lines
    }

    /// Adds blobs to the store of a tape that consists of their lines.
    pub(crate) fn load_lines(blobs: &mut BlobStore<'_>, lines: &[String]) {
        let mut offset = 0;
        for line in lines {
            assert_eq!(blobs.insert_line(line.as_bytes(), offset).unwrap(), line.as_bytes());
            offset += line.len() as u64;
        }
    }

    /// Extracts the blobs of a record's fields and resolves them again. Returns the number of blobs.
    fn round_trip(fields: &Map<String, Value>) -> (Map<String, Value>, usize) {
        let text = serde_json::to_vec(fields).unwrap();
        let Some(BlobExtraction { text, blobs }) = extract_blobs(&text) else { return (fields.clone(), 0) };
        let lines = blob_lines(blobs);
        let tape = lines.concat();
        let mut known = BlobStore::new(TapeText::Memory(tape.as_bytes()));
        load_lines(&mut known, &lines);
        assert!(known.is_written(b"", &text));
        (known.resolve_fields(serde_json::from_slice(&text).unwrap()).unwrap(), lines.len())
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
        let cut = String::from_utf8(extract_blobs(&text.unwrap()).unwrap().text).unwrap();
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
