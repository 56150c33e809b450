//! Resolves blob references.

use std::collections::HashMap;

use pintle_contract::EventKind;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::extract::{OBJECT_BYTES, STRING_BYTES};
use super::list_store::{ListStore, NewListPart, StoredElement};
use super::source::{TapeText, TextSpan};
use super::{FieldScanner, JsonKind, NAME, is_reference_name};
use crate::line::{DigestBytes, digest_bytes, digest_hex, parse_hex, to_hex};
use crate::record::ListSlice;

/// The maximum size of a resolved record, far more than any session needs. It stops tapes made to exhaust memory.
pub(super) const MOST_BYTES: usize = 256 << 20;
/// The maximum nesting depth of a record, as for JSON readers.
const DEEPEST: usize = 128;

/// The blobs of a tape up to a line. It knows where their text is, and reads it when it is needed.
#[derive(Debug, Default)]
pub(crate) struct BlobStore<'b> {
    text: TapeText<'b>,
    values: HashMap<DigestBytes, StoredValue>,
    lists: ListStore,
}

#[derive(Debug)]
struct StoredValue {
    text: TextSpan,
    shape: BlobShape,
}

/// The properties of a blob that matter where it is referred to.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlobShape {
    pub(super) kind: JsonKind,
    /// Whether the writer stores it outside its record.
    pub(super) is_large: bool,
    pub(super) size: ResolvedSize,
}

/// The size of a value after resolving.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ResolvedSize {
    pub(super) size_bytes: usize,
    pub(super) depth: usize,
}

/// The fields of a blob's line, as they are written.
#[derive(Deserialize)]
struct BlobLine<'l> {
    digest: String,
    #[serde(borrow, default, deserialize_with = "deserialize_raw")]
    value: Option<&'l RawValue>,
    #[serde(borrow, default)]
    parts: Option<Vec<&'l RawValue>>,
}

fn deserialize_raw<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl<'b> BlobStore<'b> {
    /// An empty store for a tape with this text.
    pub(crate) fn new(text: TapeText<'b>) -> Self {
        Self { text, ..Self::default() }
    }

    pub(crate) fn text(&self) -> &TapeText<'b> {
        &self.text
    }

    /// Adds the blob of a line that starts at this offset. Returns whether its values are written as the writer writes
    /// them.
    ///
    /// # Errors
    /// When it is not a blob, the digest is not that of the value, or a blob that it refers to is missing.
    pub(crate) fn insert_line(&mut self, line: &[u8], offset: u64) -> Result<bool, String> {
        let blob: BlobLine<'_> =
            serde_json::from_slice(line).map_err(|error| format!("invalid `blob` record: {error}"))?;
        let invalid = || format!("the blob's `digest` is `{}`, which is no digest", blob.digest);
        let digest = parse_hex(&blob.digest).ok_or_else(invalid);
        let spans = LineSpans { line, offset };
        match (blob.value, &blob.parts) {
            (Some(value), None) => {
                let BlobValue { text, span, is_written, size } = self.read_value(value, &spans)?;
                let actual = digest_hex(&text);
                if actual != blob.digest {
                    let name = blob.digest;
                    return Err(format!("the blob's `digest` is `{name}`, but the digest of its value is `{actual}`"));
                }
                let written = FieldScanner::new(self, std::str::from_utf8(&text).unwrap_or_default()).scan_blob();
                let least = if text.first() == Some(&b'"') { STRING_BYTES } else { OBJECT_BYTES };
                let is_large = text.len() >= least && matches!(text.first(), Some(b'"' | b'{'));
                let shape = BlobShape { kind: written.unwrap_or(JsonKind::Other), is_large, size };
                let is_new = self.values.insert(digest?, StoredValue { text: span, shape }).is_none();
                Ok(written.is_some() && is_written && is_new)
            }
            (None, Some(parts)) => {
                let mut is_written = true;
                let mut list = Vec::with_capacity(parts.len());
                for part in parts {
                    list.push(self.read_part(part, &spans, &mut is_written)?);
                }
                let digest = digest?;
                is_written &= self.lists.describe(&digest).is_none();
                self.lists.insert(digest, list)?;
                Ok(is_written)
            }
            _ => Err(String::from("invalid `blob` record: it must have either `value` or `parts`")),
        }
    }

    fn read_part(
        &self,
        list_part: &RawValue,
        spans: &LineSpans<'_>,
        is_written: &mut bool,
    ) -> Result<NewListPart, String> {
        if list_part.get().starts_with('{') {
            let slice: ListSlice<'_> = serde_json::from_str(list_part.get()).map_err(|error| error.to_string())?;
            let of = parse_hex(&slice.of).ok_or_else(|| missing_text(&slice.of))?;
            return Ok(NewListPart::Slice { of, range: slice.from..slice.to });
        }
        let elements: Vec<&RawValue> = serde_json::from_str(list_part.get()).map_err(|error| error.to_string())?;
        let mut stored = Vec::with_capacity(elements.len());
        for element in elements {
            let BlobValue { text, span, is_written: is_same, size } = self.read_value(element, spans)?;
            let scanned = std::str::from_utf8(&text).unwrap_or_default();
            *is_written &= is_same && FieldScanner::new(self, scanned).scan_element();
            let digest = digest_bytes(&text);
            stored.push(StoredElement { digest, text: span, text_bytes: text.len(), size });
        }
        Ok(NewListPart::Elements(stored))
    }

    /// Reads a value of a blob's line.
    fn read_value(&self, raw: &RawValue, spans: &LineSpans<'_>) -> Result<BlobValue, String> {
        let value: Value = serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
        let text = serde_json::to_vec(&value).map_err(|error| error.to_string())?;
        let mut size = ResolvedSize { size_bytes: text.len(), depth: 0 };
        self.measure(&value, 0, &mut size)?;
        let is_written = text == raw.get().as_bytes();
        let at = spans.find(raw.get()).filter(|_| is_written);
        let span = at.unwrap_or_else(|| TextSpan::Owned(text.clone().into_boxed_slice()));
        Ok(BlobValue { text, span, is_written, size })
    }

    /// The digests of all blobs.
    pub(crate) fn digests(&self) -> impl Iterator<Item = String> + '_ {
        self.values.keys().chain(self.lists.digests()).map(to_hex)
    }

    /// The last lists, the newest last: the digest of each with those of its elements and their sizes.
    pub(crate) fn last_lists(&self, count: usize) -> Vec<(DigestBytes, Vec<(DigestBytes, usize)>)> {
        let newest = self.lists.digests().rev().take(count);
        let mut lists: Vec<_> = newest
            .map(|list| {
                let elements = self.lists.elements(list).unwrap_or_default();
                (*list, elements.into_iter().map(|element| (element.digest, element.text_bytes)).collect())
            })
            .collect();
        lists.reverse();
        lists
    }

    /// The properties of a blob.
    pub(super) fn shape(&self, digest: &str) -> Option<BlobShape> {
        let digest = parse_hex(digest)?;
        let list = || {
            let (_, size, is_large) = self.lists.describe(&digest)?;
            Some(BlobShape { kind: JsonKind::List, is_large, size })
        };
        self.values.get(&digest).map(|value| value.shape).or_else(list)
    }

    /// Resolves the references in the fields of a record.
    ///
    /// # Errors
    /// When a blob is missing, or the resolved record would be too large.
    pub(crate) fn resolve_fields(&self, fields: Map<String, Value>) -> Result<Map<String, Value>, String> {
        // Packed fields contain no references.
        if fields.len() == 1 && fields.contains_key("packed") {
            return Ok(fields);
        }
        let mut extent = ResolvedSize::default();
        fields.values().try_for_each(|value| self.measure(value, 1, &mut extent))?;
        fields.into_iter().map(|(name, value)| Ok((name, self.resolve(value)?))).collect()
    }

    /// Takes the messages of a request out of a record's fields, so that they can be resolved without them. Returns
    /// the reference to them, if they are one.
    pub(crate) fn take_messages(&self, kind: &str, fields: &mut Map<String, Value>) -> Option<Value> {
        let name = match kind {
            "event" => "payload",
            "hook_call" | "outcome" => "value",
            _ => return None,
        };
        if fields.get("event").is_some_and(|event| event != EventKind::CompletionPre.name()) {
            return None;
        }
        let messages = fields.get_mut(name)?.get_mut("messages")?;
        let digest = reference_digest(messages.as_object()?)?;
        self.lists.describe(&parse_hex(digest)?)?;
        Some(messages.take())
    }

    /// Adds the resolved size of a value. A reference is at `depth`.
    fn measure(&self, value: &Value, depth: usize, extent: &mut ResolvedSize) -> Result<(), String> {
        extent.depth = extent.depth.max(depth);
        match value {
            Value::Array(items) => items.iter().try_for_each(|item| self.measure(item, depth + 1, extent))?,
            Value::Object(fields) => match reference_digest(fields) {
                Some(name) => {
                    let known = self.shape(name).ok_or_else(|| missing_text(name))?.size;
                    extent.size_bytes = extent.size_bytes.saturating_add(known.size_bytes);
                    extent.depth = extent.depth.max(depth + known.depth);
                }
                None => fields.values().try_for_each(|inner| self.measure(inner, depth + 1, extent))?,
            },
            _ => {}
        }
        if extent.size_bytes > MOST_BYTES || extent.depth > DEEPEST {
            return Err(format!("with its blobs it is larger than {} MiB or nested too deep", MOST_BYTES >> 20));
        }
        Ok(())
    }

    /// The resolved value. It was measured before, so this terminates.
    fn resolve(&self, value: Value) -> Result<Value, String> {
        match value {
            Value::Array(items) => items.into_iter().map(|item| self.resolve(item)).collect(),
            Value::Object(fields) => {
                if let Some(digest) = reference_digest(&fields).and_then(parse_hex) {
                    return self.resolve_blob(&digest);
                }
                let escaped = fields.len() == 1 && fields.keys().all(|name| is_reference_name(name));
                let plain = |name: String| if escaped { name.chars().skip(1).collect() } else { name };
                let fields = fields.into_iter().map(|(name, value)| Ok((plain(name), self.resolve(value)?)));
                fields.collect::<Result<_, String>>().map(Value::Object)
            }
            other => Ok(other),
        }
    }

    fn resolve_blob(&self, digest: &DigestBytes) -> Result<Value, String> {
        let read = |span: &TextSpan| {
            let text = self.text.read_span(span)?;
            self.resolve(serde_json::from_slice(&text).map_err(|error| error.to_string())?)
        };
        match (self.values.get(digest), self.lists.elements(digest)) {
            (Some(value), _) => read(&value.text),
            (None, Some(elements)) => elements.into_iter().map(|element| read(&element.text)).collect(),
            (None, None) => Err(missing_text(&to_hex(digest))),
        }
    }
}

/// A value in a blob's line.
struct BlobValue {
    /// Its canonical text.
    text: Vec<u8>,
    span: TextSpan,
    /// Whether the line has the canonical text.
    is_written: bool,
    size: ResolvedSize,
}

/// The line in which values are, and where it is on the tape.
struct LineSpans<'l> {
    line: &'l [u8],
    offset: u64,
}

impl LineSpans<'_> {
    /// Where a part of the line is on the tape.
    fn find(&self, part: &str) -> Option<TextSpan> {
        let start = part.as_ptr().addr().checked_sub(self.line.as_ptr().addr())?;
        let is_within = start + part.len() <= self.line.len();
        let size_bytes = u32::try_from(part.len()).ok().filter(|_| is_within)?;
        Some(TextSpan::At { offset: self.offset + start as u64, size_bytes })
    }
}

fn missing_text(digest: &str) -> String {
    format!("it refers to blob `{digest}`, which no line before it contains")
}

/// The digest that an object refers to.
fn reference_digest(fields: &Map<String, Value>) -> Option<&str> {
    match fields.get(NAME) {
        Some(Value::String(digest)) if fields.len() == 1 => Some(digest),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn insert_value(blobs: &mut BlobStore<'_>, value: &Value) -> Result<String, String> {
        let name = digest_hex(&serde_json::to_vec(value).unwrap());
        insert(blobs, &json!({"digest": name, "value": value})).map(|_| name)
    }

    fn insert(blobs: &mut BlobStore<'_>, fields: &Value) -> Result<bool, String> {
        // A value that is spelled in another way is kept, because the tape does not have the canonical text.
        blobs.insert_line(serde_json::to_string_pretty(fields).unwrap().as_bytes(), 0)
    }

    fn resolve_value(blobs: &BlobStore<'_>, value: Value) -> Result<Value, String> {
        let fields = json!({"value": value}).as_object().cloned().unwrap();
        blobs.resolve_fields(fields).map(|mut fields| fields.shift_remove("value").unwrap())
    }

    #[test]
    fn blobs_may_refer_to_those_before_them() {
        let mut blobs = BlobStore::default();
        let inner = insert_value(&mut blobs, &json!(["a"])).unwrap();
        let outer = insert_value(&mut blobs, &json!({"x": {"$blob": inner}, "y": {"$$blob": 1}})).unwrap();
        let whole = resolve_value(&blobs, json!([{"$blob": outer}, {"$$$blob": 2}]));
        assert_eq!(whole, Ok(json!([{"x": ["a"], "y": {"$blob": 1}}, {"$$blob": 2}])));
    }

    #[test]
    fn what_is_missing_or_wrong_is_told() {
        let mut blobs = BlobStore::default();
        let missing = "it refers to blob `ab`, which no line before it contains";
        assert_eq!(resolve_value(&blobs, json!([{"$blob": "ab"}])).unwrap_err(), missing);
        assert_eq!(insert_value(&mut blobs, &json!({"$blob": "ab"})).unwrap_err(), missing);
        let wrong = insert(&mut blobs, &json!({"digest": "ab", "value": 1})).unwrap_err();
        assert!(wrong.starts_with("the blob's `digest` is `ab`, but the digest of its value is `6b86b2"), "{wrong}");
    }

    #[test]
    fn a_tape_that_was_made_to_fill_the_memory_is_refused() {
        let mut blobs = BlobStore::default();
        let mut name = insert_value(&mut blobs, &json!("x".repeat(1 << 20))).unwrap();
        let doubled = (0..10).find_map(|_| {
            let next = insert_value(&mut blobs, &json!([{"$blob": name}, {"$blob": name}]));
            next.map(|next| name = next).err()
        });
        assert_eq!(doubled.unwrap(), "with its blobs it is larger than 256 MiB or nested too deep");

        let mut name = insert_value(&mut blobs, &json!([])).unwrap();
        let deeper =
            (0..200).find_map(|_| insert_value(&mut blobs, &json!([{"$blob": name}])).map(|next| name = next).err());
        assert!(deeper.is_some());
    }
}
