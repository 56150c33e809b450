//! Resolves blob references.

use std::borrow::Cow;
use std::collections::HashMap;

use pintle_contract::EventKind;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::extract::{OBJECT_BYTES, STRING_BYTES};
use super::list_store::{ListStore, NewListPart, StoredElement};
use super::recent_lists::{MOST_LISTS, RecentLists};
use super::source::{TapeText, TextSpan};
use super::text_lines::{between_quotes, find_line_ends};
use super::{NAME, blob_fields, is_reference_name, may_contain_reference};
use crate::line::{DigestBytes, digest_bytes, digest_value, is_canonical, parse_hex, to_hex, value_depth};
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
    size: ResolvedSize,
    /// Whether the writer writes this blob.
    is_written: bool,
    is_string: bool,
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
    #[serde(default)]
    of: Option<String>,
    #[serde(borrow, default)]
    lines: Option<Vec<&'l RawValue>>,
}

fn deserialize_raw<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

impl<'b> BlobStore<'b> {
    /// An empty store for a tape with this text.
    pub(crate) fn new(text: TapeText<'b>) -> Self {
        Self { text, ..Self::default() }
    }

    /// Adds the blob of a line that starts at this offset. Returns its fields as the writer encodes them.
    ///
    /// # Errors
    /// When it is not a blob, the digest is not that of the value, or a blob that it refers to is missing.
    pub(crate) fn insert_line(&mut self, line: &[u8], offset: u64) -> Result<Vec<u8>, String> {
        let blob: BlobLine<'_> =
            serde_json::from_slice(line).map_err(|error| format!("invalid `blob` record: {error}"))?;
        let invalid = || format!("the blob's `digest` is `{}`, which is no digest", blob.digest);
        let digest = parse_hex(&blob.digest).ok_or_else(invalid);
        let spans = LineSpans { line, offset };
        let check = |text: &[u8]| match digest_value(text) {
            actual if actual == blob.digest => Ok(()),
            actual => {
                let name = &blob.digest;
                Err(format!("the blob's `digest` is `{name}`, but the digest of its value is `{actual}`"))
            }
        };
        match (blob.value, &blob.parts, blob.of.as_deref().zip(blob.lines.as_ref())) {
            (Some(value), None, None) => {
                let (text, span, size) = self.read_value(value, &spans)?;
                check(&text)?;
                let is_written = match text.first() {
                    Some(b'"') => text.len() >= STRING_BYTES,
                    Some(b'{') => text.len() >= OBJECT_BYTES && self.is_written(b"", &text),
                    _ => false,
                };
                let is_string = text.first() == Some(&b'"');
                self.values.insert(digest?, StoredValue { text: span, size, is_written, is_string });
                Ok(blob_fields(&blob.digest, "value", &text))
            }
            (None, None, Some((of, lines))) => {
                let JoinedText { text, span, content } = self.join_lines(of, lines, &spans)?;
                check(&text)?;
                let size = ResolvedSize { size_bytes: text.len(), depth: 0 };
                let is_written = text.len() >= STRING_BYTES;
                self.values.insert(digest?, StoredValue { text: span, size, is_written, is_string: true });
                Ok(blob_fields(&blob.digest, "of", &content))
            }
            (None, Some(parts), None) => {
                let (mut text, mut list) = (Vec::with_capacity(line.len()), Vec::with_capacity(parts.len()));
                for part in parts {
                    text.push(if text.is_empty() { b'[' } else { b',' });
                    list.push(self.read_part(part, &spans, &mut text)?);
                }
                text.extend_from_slice(if text.is_empty() { b"[]" } else { b"]" });
                self.lists.insert(digest?, list)?;
                Ok(blob_fields(&blob.digest, "parts", &text))
            }
            _ => Err(String::from("invalid `blob` record: it must have `value`, `parts`, or `of` and `lines`")),
        }
    }

    /// Reads a part of a list and appends its canonical text.
    fn read_part(
        &self,
        list_part: &RawValue,
        spans: &LineSpans<'_>,
        parts: &mut Vec<u8>,
    ) -> Result<NewListPart, String> {
        let error_text = |error: serde_json::Error| error.to_string();
        if list_part.get().starts_with('{') {
            let slice: ListSlice<'_> = serde_json::from_str(list_part.get()).map_err(error_text)?;
            let of = parse_hex(&slice.of).ok_or_else(|| missing_text(&slice.of))?;
            serde_json::to_writer(parts, &slice).map_err(error_text)?;
            return Ok(NewListPart::Slice { of, range: slice.from..slice.to });
        }
        let elements: Vec<&RawValue> = serde_json::from_str(list_part.get()).map_err(error_text)?;
        let mut stored = Vec::with_capacity(elements.len());
        parts.push(b'[');
        for element in elements {
            let (text, span, size) = self.read_value(element, spans)?;
            parts.extend_from_slice(if stored.is_empty() { b"" } else { b"," });
            parts.extend_from_slice(&text);
            let (digest, text_bytes, is_written) = (digest_bytes(&text), text.len(), self.is_written(b"[", &text));
            stored.push(StoredElement { digest, text: span, text_bytes, size, is_written });
        }
        parts.push(b']');
        Ok(NewListPart::Elements(stored))
    }

    /// Reads a text that has lines of an earlier one.
    fn join_lines(&self, base_digest: &str, lines: &[&RawValue], spans: &LineSpans<'_>) -> Result<JoinedText, String> {
        let error_text = |error: serde_json::Error| error.to_string();
        let base = parse_hex(base_digest).and_then(|digest| self.values.get(&digest));
        let base = base.ok_or_else(|| missing_text(base_digest))?;
        if !base.is_string || matches!(base.text, TextSpan::Joined(_)) {
            return Err(format!("it refers to lines of blob `{base_digest}`, which is not written as a text"));
        }
        let base_text = self.text.read_span(&base.text)?;
        let line_ends = find_line_ends(&base_text);
        // The first line begins behind the quote.
        let start_of = |line: usize| if line == 0 { Some(1) } else { line_ends.get(line - 1).copied() };
        let (mut text, mut parts) = (vec![b'"'], Vec::with_capacity(lines.len()));
        let mut content = format!("\"{base_digest}\",\"lines\":[").into_bytes();
        for part in lines {
            content.extend_from_slice(if parts.is_empty() { b"" } else { b"," });
            if part.get().starts_with('[') {
                let (from, to): (usize, usize) = serde_json::from_str(part.get()).map_err(error_text)?;
                let range = start_of(from).zip(start_of(to)).map(|(start, end)| start..end);
                let taken = range
                    .filter(|range| !range.is_empty())
                    .and_then(|range| Some((base_text.get(range.clone())?, range)));
                let (taken, range) =
                    taken.ok_or_else(|| format!("it refers to lines that the text `{base_digest}` does not have"))?;
                text.extend_from_slice(taken);
                serde_json::to_writer(&mut content, &(from, to)).map_err(error_text)?;
                parts.push(base.text.slice(range, &base_text));
            } else {
                let value: String = serde_json::from_str(part.get()).map_err(error_text)?;
                let json = serde_json::to_vec(&value).map_err(error_text)?;
                text.extend_from_slice(between_quotes(&json));
                content.extend_from_slice(&json);
                let at = spans.find(part.get()).filter(|_| json == part.get().as_bytes());
                let span = at.unwrap_or_else(|| TextSpan::Owned(json.clone().into_boxed_slice()));
                parts.push(span.slice(1..json.len() - 1, &json));
            }
            if text.len() > MOST_BYTES {
                return Err(format!("its text is larger than {} MiB", MOST_BYTES >> 20));
            }
        }
        text.push(b'"');
        content.push(b']');
        Ok(JoinedText { text, span: TextSpan::Joined(parts.into_boxed_slice()), content })
    }

    /// Reads a value of a blob's line: its canonical text, where that is, and its size.
    fn read_value<'r>(
        &self,
        raw: &'r RawValue,
        spans: &LineSpans<'_>,
    ) -> Result<(Cow<'r, [u8]>, TextSpan, ResolvedSize), String> {
        let text = raw.get().as_bytes();
        if !may_contain_reference(text)
            && text.len() <= MOST_BYTES
            && is_canonical(text)
            && let Some(span) = spans.find(raw.get())
        {
            let size = ResolvedSize { size_bytes: text.len(), depth: value_depth(text) };
            return Ok((Cow::Borrowed(text), span, size));
        }
        let value: Value = serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
        let text = serde_json::to_vec(&value).map_err(|error| error.to_string())?;
        let mut size = ResolvedSize { size_bytes: text.len(), depth: 0 };
        self.measure(&value, 0, &mut size)?;
        let at = spans.find(raw.get()).filter(|_| text == raw.get().as_bytes());
        let span = at.unwrap_or_else(|| TextSpan::Owned(text.clone().into_boxed_slice()));
        Ok((Cow::Owned(text), span, size))
    }

    /// The digests of all blobs.
    pub(crate) fn digests(&self) -> impl Iterator<Item = String> + '_ {
        self.values.keys().chain(self.lists.digests()).map(to_hex)
    }

    /// The lists that a writer that continues the tape remembers.
    pub(crate) fn recent_lists(&self) -> RecentLists {
        let mut newest: Vec<_> = self.lists.digests().rev().take(MOST_LISTS).collect();
        newest.reverse();
        RecentLists::resume_after(newest.into_iter().map(|list| {
            let elements = self.lists.elements(list).unwrap_or_default();
            elements.into_iter().map(|element| (element.digest, element.text_bytes)).collect()
        }))
    }

    /// The size of a blob that the writer writes.
    pub(super) fn written_size(&self, digest: &str) -> Option<ResolvedSize> {
        self.describe(digest).filter(|(_, is_written)| *is_written).map(|(size, _)| size)
    }

    /// Canonical text in which each reference to a string is replaced by its digest, which is a string too. `None` if
    /// nothing refers to a string.
    pub(crate) fn with_string_digests(&self, text: &[u8]) -> Option<Vec<u8>> {
        const START: &str = "{\"$blob\":";
        let text = std::str::from_utf8(text).ok()?;
        let mut replaced = String::with_capacity(text.len());
        let mut parts = text.split(START);
        replaced.push_str(parts.next()?);
        for part in parts {
            let reference = part.split_once('}').filter(|(string, _)| {
                let digest = string.strip_prefix('"').and_then(|digest| digest.strip_suffix('"'));
                let value = digest.and_then(parse_hex).and_then(|digest| self.values.get(&digest));
                value.is_some_and(|value| value.is_string)
            });
            match reference {
                Some((string, after)) => replaced.extend([string, after]),
                None => replaced.extend([START, part]),
            }
        }
        (replaced.len() < text.len()).then(|| replaced.into_bytes())
    }

    /// The size of a blob after resolving, and whether the writer writes it.
    fn describe(&self, digest: &str) -> Option<(ResolvedSize, bool)> {
        let digest = parse_hex(digest)?;
        let value = self.values.get(&digest).map(|value| (value.size, value.is_written));
        value.or_else(|| self.lists.describe(&digest))
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
                    let (known, _) = self.describe(name).ok_or_else(|| missing_text(name))?;
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

/// A text that has lines of an earlier one.
struct JoinedText {
    /// Its JSON text.
    text: Vec<u8>,
    span: TextSpan,
    /// The canonical text of its blob from `of` on.
    content: Vec<u8>,
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
    use crate::line::digest_hex;

    fn insert_value(blobs: &mut BlobStore<'_>, value: &Value) -> Result<String, String> {
        let name = digest_hex(&serde_json::to_vec(value).unwrap());
        insert(blobs, &json!({"digest": name, "value": value})).map(|_| name)
    }

    fn insert(blobs: &mut BlobStore<'_>, fields: &Value) -> Result<Vec<u8>, String> {
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
