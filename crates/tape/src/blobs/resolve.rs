//! Resolves blob references.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use pintle_contract::{EventKind, to_hex};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::extract::{BlobContent, ExtractedBlob, OBJECT_BYTES, STRING_BYTES};
use super::list_store::{ListStore, NewListPart, StoredElement};
use super::recent_lists::{MOST_LISTS, RecentLists};
use super::shared_text::SharedText;
use super::source::{TapeText, TextSpan};
use super::text_lines::{between_quotes, find_line_ends};
use super::{
    BlobName, NAME, encode_blob, is_reference_name, may_contain_reference, missing_text, name_of, names_in,
    references_in, repeated_text,
};
use crate::line::{DigestBytes, LineText, deserialize_raw, digest_bytes, is_canonical, parse_hex, value_depth};
use crate::record::restore_args_text;

/// The maximum size of a resolved record, far more than any session needs. It stops tapes made to exhaust memory.
pub(super) const MOST_BYTES: usize = 256 << 20;
/// The maximum nesting depth of a record, as for JSON readers.
const DEEPEST: usize = 128;

/// The blobs of a tape up to a line. It knows where their text is, and reads it when it is needed.
#[derive(Debug, Default)]
pub(crate) struct BlobStore<'b> {
    text: TapeText<'b>,
    values: HashMap<BlobName, StoredValue>,
    lists: ListStore,
}

#[derive(Debug)]
struct StoredValue {
    digest: DigestBytes,
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

/// A large value that a line has before its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineBlob {
    pub(crate) name: BlobName,
    /// Its text as the writer encodes it.
    pub(crate) text: Vec<u8>,
}

/// The fields of a blob, as they are written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BlobFields<'l> {
    #[serde(borrow, default, deserialize_with = "deserialize_raw")]
    value: Option<&'l RawValue>,
    #[serde(borrow, default)]
    parts: Option<Vec<&'l RawValue>>,
    #[serde(default)]
    of: Option<String>,
    #[serde(borrow, default)]
    lines: Option<Vec<&'l RawValue>>,
}

/// Some consecutive elements of an earlier list.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ListSlice<'a> {
    /// The name of the list.
    of: Cow<'a, str>,
    /// The index of the first element.
    from: usize,
    /// The index after the last element.
    to: usize,
}

impl<'b> BlobStore<'b> {
    /// An empty store for a tape with this text.
    pub(crate) fn new(text: TapeText<'b>) -> Self {
        Self { text, ..Self::default() }
    }

    /// Adds the blobs of a line that starts at this offset.
    ///
    /// # Errors
    /// When they are not blobs, one that they refer to is missing, one is on the tape already, or nothing in the line needs
    /// one.
    pub(crate) fn insert_line(
        &mut self,
        line: &LineText<'_>,
        blobs: &str,
        offset: u64,
    ) -> Result<Vec<LineBlob>, String> {
        let invalid = |error: serde_json::Error| format!("invalid `blobs`: {error}");
        let blobs_of_line: Vec<&RawValue> = serde_json::from_str(blobs).map_err(invalid)?;
        let spans = LineSpans { line: line.text, offset };
        let mut inserted = Vec::with_capacity(blobs_of_line.len());
        for blob in blobs_of_line {
            inserted.push(self.insert(serde_json::from_str(blob.get()).map_err(invalid)?, &spans)?);
        }
        let mut needed: HashSet<BlobName> = references_in(line.record_text()).collect();
        for LineBlob { name, text } in inserted.iter().rev() {
            if !needed.contains(name) {
                let name = to_hex(name);
                return Err(format!("its blob `{name}` is not needed: the value or the reference to it was changed"));
            }
            needed.extend(names_in(text));
        }
        Ok(inserted)
    }

    /// Checks that the values are known to which a record in the writer's form refers.
    pub(crate) fn check_references(&self, record: &[u8]) -> Result<(), String> {
        let is_missing = |name: &BlobName| !self.values.contains_key(name) && self.lists.describe(name).is_none();
        references_in(record).find(is_missing).map_or(Ok(()), |name| Err(missing_text(&to_hex(&name))))
    }

    fn insert(&mut self, blob: BlobFields<'_>, spans: &LineSpans<'_>) -> Result<LineBlob, String> {
        let (digest, text) = match (blob.value, &blob.parts, blob.of.as_deref().zip(blob.lines.as_ref())) {
            (Some(value), None, None) => {
                let (text, span, size) = self.read_value(value, spans)?;
                let is_written = match text.first() {
                    Some(b'"') => text.len() >= STRING_BYTES,
                    Some(b'{') => text.len() >= OBJECT_BYTES && self.is_written(b"", &text),
                    _ => false,
                };
                let (digest, is_string) = (digest_bytes(&text), text.first() == Some(&b'"'));
                self.insert_value(StoredValue { digest, text: span, size, is_written, is_string })?;
                (digest, encode_blob("value", &text))
            }
            (None, None, Some((of, lines))) => {
                let JoinedText { text, span, content } = self.join_lines(of, lines, spans)?;
                let size = ResolvedSize { size_bytes: text.len(), depth: 0 };
                let (digest, is_written) = (digest_bytes(&text), text.len() >= STRING_BYTES);
                self.insert_value(StoredValue { digest, text: span, size, is_written, is_string: true })?;
                (digest, encode_blob("of", &content))
            }
            (None, Some(parts), None) => {
                let (mut text, mut list) = (Vec::new(), Vec::with_capacity(parts.len()));
                for part in parts {
                    text.push(if text.is_empty() { b'[' } else { b',' });
                    list.push(self.read_part(part, spans, &mut text)?);
                }
                text.extend_from_slice(if text.is_empty() { b"[]" } else { b"]" });
                let digest = self.lists.insert(list)?;
                if self.values.contains_key(&name_of(&digest)) {
                    return Err(repeated_text(&digest));
                }
                (digest, encode_blob("parts", &text))
            }
            _ => return Err(String::from("invalid `blobs`: each must have `value`, `parts`, or `of` and `lines`")),
        };
        Ok(LineBlob { name: name_of(&digest), text })
    }

    fn insert_value(&mut self, value: StoredValue) -> Result<(), String> {
        let (name, digest) = (name_of(&value.digest), value.digest);
        let is_known = self.lists.describe(&name).is_some() || self.values.insert(name, value).is_some();
        if is_known { Err(repeated_text(&digest)) } else { Ok(()) }
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
    fn join_lines(&self, base_name: &str, lines: &[&RawValue], spans: &LineSpans<'_>) -> Result<JoinedText, String> {
        let error_text = |error: serde_json::Error| error.to_string();
        let base = parse_hex(base_name).and_then(|name: BlobName| self.values.get(&name));
        let base = base.ok_or_else(|| missing_text(base_name))?;
        if !base.is_string || matches!(base.text, TextSpan::Joined(_)) {
            return Err(format!("it refers to lines of blob `{base_name}`, which is not written as a text"));
        }
        let base_text = self.text.read_span(&base.text)?;
        let line_ends = find_line_ends(&base_text);
        // The first line begins behind the quote.
        let start_of = |line: usize| if line == 0 { Some(1) } else { line_ends.get(line - 1).copied() };
        let (mut text, mut parts) = (vec![b'"'], Vec::with_capacity(lines.len()));
        let mut content = format!("\"{base_name}\",\"lines\":[").into_bytes();
        for part in lines {
            content.extend_from_slice(if parts.is_empty() { b"" } else { b"," });
            if part.get().starts_with('[') {
                let (from, to): (usize, usize) = serde_json::from_str(part.get()).map_err(error_text)?;
                let range = start_of(from).zip(start_of(to)).map(|(start, end)| start..end);
                let taken = range
                    .filter(|range| !range.is_empty())
                    .and_then(|range| Some((base_text.get(range.clone())?, range)));
                let (taken, range) =
                    taken.ok_or_else(|| format!("it refers to lines that the text `{base_name}` does not have"))?;
                text.extend_from_slice(taken);
                serde_json::to_writer(&mut content, &(from, to)).map_err(error_text)?;
                parts.push(base.text.slice(range, &base_text));
            } else {
                let value: String = serde_json::from_str(part.get()).map_err(error_text)?;
                let json = serde_json::to_vec(&value).map_err(error_text)?;
                text.extend_from_slice(between_quotes(&json));
                content.extend_from_slice(&json);
                let at = spans.find(part.get()).filter(|_| json == part.get().as_bytes());
                let span = at.unwrap_or_else(|| TextSpan::Owned(json.clone().into()));
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
        let span = at.unwrap_or_else(|| TextSpan::Owned(text.clone().into()));
        Ok((Cow::Owned(text), span, size))
    }

    /// Whether there are lists, whose parts a writer chooses for each tape.
    pub(crate) fn has_lists(&self) -> bool {
        self.lists.digests().next().is_some()
    }

    /// A large value of a line with its digest, if it is written as a value.
    pub(crate) fn extract_value(&self, blob: &LineBlob) -> Option<ExtractedBlob> {
        let value = blob.text.strip_prefix(b"{\"value\":")?.strip_suffix(b"}")?.to_vec();
        let digest = self.values.get(&blob.name)?.digest;
        Some(ExtractedBlob { digest, content: BlobContent::Value(value.into()) })
    }

    /// Adds a value that a writer extracted, and that is written once on its tape.
    ///
    /// # Errors
    /// When what it refers to is missing.
    pub(crate) fn insert_extracted(&mut self, digest: DigestBytes, text: &SharedText) -> Result<(), String> {
        let mut size = ResolvedSize { size_bytes: text.len(), depth: 0 };
        let is_string = text.first() == Some(&b'"');
        if !is_string && !may_contain_reference(text) {
            size.depth = value_depth(text);
        } else if !is_string {
            let value: Value = serde_json::from_slice(text).map_err(|error| error.to_string())?;
            self.measure(&value, 0, &mut size)?;
        }
        let text = TextSpan::Owned(text.clone());
        self.insert_value(StoredValue { digest, text, size, is_written: true, is_string })
    }

    /// The digests of all blobs.
    pub(crate) fn digests(&self) -> impl Iterator<Item = DigestBytes> + '_ {
        self.values.values().map(|value| &value.digest).chain(self.lists.digests()).copied()
    }

    /// The lists that a writer that continues the tape remembers.
    pub(crate) fn recent_lists(&self) -> RecentLists {
        let mut newest: Vec<_> = self.lists.digests().rev().take(MOST_LISTS).collect();
        newest.reverse();
        RecentLists::resume_after(newest.into_iter().map(|list| {
            let elements = self.lists.elements(&name_of(list)).unwrap_or_default();
            elements.into_iter().map(|element| (element.digest, element.text_bytes)).collect()
        }))
    }

    /// The size of a blob that the writer writes.
    pub(super) fn written_size(&self, name: &str) -> Option<ResolvedSize> {
        self.describe(name).filter(|(_, is_written)| *is_written).map(|(size, _)| size)
    }

    /// Canonical text in which each reference to a string is replaced by its name, which is a string too. `None` if
    /// nothing refers to a string.
    pub(crate) fn with_string_names(&self, text: &[u8]) -> Option<Vec<u8>> {
        const START: &str = "{\"$blob\":";
        let text = std::str::from_utf8(text).ok()?;
        let mut replaced = String::with_capacity(text.len());
        let mut parts = text.split(START);
        replaced.push_str(parts.next()?);
        for part in parts {
            let reference = part.split_once('}').filter(|(string, _)| {
                let name = string.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
                let value = name.and_then(parse_hex).and_then(|name: BlobName| self.values.get(&name));
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
    fn describe(&self, name: &str) -> Option<(ResolvedSize, bool)> {
        let name = parse_hex(name)?;
        let value = self.values.get(&name).map(|value| (value.size, value.is_written));
        value.or_else(|| self.lists.describe(&name))
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
        let name = payload_field(kind)?;
        if fields.get("event").is_some_and(|event| event != EventKind::CompletionPre.name()) {
            return None;
        }
        let messages = fields.get_mut(name)?.get_mut("messages")?;
        let name = reference_name(messages.as_object()?)?;
        self.lists.describe(&parse_hex(name)?)?;
        Some(messages.take())
    }

    /// The whole payload in a line that is not packed.
    pub(crate) fn read_payload(&self, line: &LineText<'_>) -> Option<Value> {
        let (head, fields) = line.parse_fields().ok()?;
        let mut fields = self.resolve_fields(fields).ok()?;
        let mut payload = fields.shift_remove(payload_field(&head.kind)?)?;
        if fields.contains_key("args_text") {
            restore_args_text(&mut payload);
        }
        Some(payload)
    }

    /// Adds the resolved size of a value. A reference is at `depth`.
    fn measure(&self, value: &Value, depth: usize, extent: &mut ResolvedSize) -> Result<(), String> {
        extent.depth = extent.depth.max(depth);
        match value {
            Value::Array(items) => items.iter().try_for_each(|item| self.measure(item, depth + 1, extent))?,
            Value::Object(fields) => match reference_name(fields) {
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
                if let Some(name) = reference_name(&fields).and_then(parse_hex) {
                    return self.resolve_blob(&name);
                }
                let escaped = fields.len() == 1 && fields.keys().all(|name| is_reference_name(name));
                let plain = |name: String| if escaped { name.chars().skip(1).collect() } else { name };
                let fields = fields.into_iter().map(|(name, value)| Ok((plain(name), self.resolve(value)?)));
                fields.collect::<Result<_, String>>().map(Value::Object)
            }
            other => Ok(other),
        }
    }

    fn resolve_blob(&self, name: &BlobName) -> Result<Value, String> {
        let read = |span: &TextSpan| {
            let text = self.text.read_span(span)?;
            self.resolve(serde_json::from_slice(&text).map_err(|error| error.to_string())?)
        };
        match (self.values.get(name), self.lists.elements(name)) {
            (Some(value), _) => read(&value.text),
            (None, Some(elements)) => elements.into_iter().map(|element| read(&element.text)).collect(),
            (None, None) => Err(missing_text(&to_hex(name))),
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

/// The field of a kind that has a version of a payload.
fn payload_field(kind: &str) -> Option<&'static str> {
    match kind {
        "event" => Some("payload"),
        "hook_call" | "outcome" => Some("value"),
        _ => None,
    }
}

/// The name of the value that an object refers to.
fn reference_name(fields: &Map<String, Value>) -> Option<&str> {
    match fields.get(NAME) {
        Some(Value::String(name)) if fields.len() == 1 => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::blobs::tests::line_of;

    /// Inserts blobs from a line whose record refers to their values. Returns the names of those values.
    fn insert(blobs: &mut BlobStore<'_>, new: &[Value], values: &[&Value]) -> Result<Vec<String>, String> {
        let names: Vec<String> = values.iter().map(|value| name_of_value(value)).collect();
        let needed: Vec<Value> = names.iter().map(|name| json!({"$blob": name})).collect();
        // A value that is spelled in another way is kept, because the tape does not have the canonical text.
        let spelled: Vec<String> = new.iter().map(|blob| serde_json::to_string_pretty(blob).unwrap()).collect();
        let line = line_of(&spelled, &Value::from(needed).to_string());
        let line = LineText::new(line.as_bytes());
        blobs.insert_line(&line, line.shared_fields()?.blobs.unwrap(), 0).map(|_| names)
    }

    fn name_of_value(value: &Value) -> String {
        to_hex(&name_of(&digest_bytes(&serde_json::to_vec(value).unwrap())))
    }

    fn insert_value(blobs: &mut BlobStore<'_>, value: &Value) -> Result<String, String> {
        insert(blobs, &[json!({"value": value})], &[value]).map(|mut names| names.remove(0))
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
        let (value, other) = (json!("a"), json!(["b", {"$blob": name_of_value(&json!("a"))}]));
        let (blob, last) = (json!({ "value": value }), json!({ "value": other }));
        let repeated = format!("blob `{}` a second time; a tape has each value once", name_of_value(&value));
        let unneeded = format!("its blob `{}` is not needed", name_of_value(&value));
        let missing = format!("it refers to blob `{}`, which no line up to it contains", name_of_value(&value));
        let zero = "0".repeat(32);
        let cases = [
            (vec![blob.clone(), blob.clone()], vec![&value], repeated),
            (vec![blob.clone()], vec![], unneeded.clone()),
            (vec![blob.clone()], vec![&other], unneeded),
            // A blob does not refer to one behind it, or to itself.
            (vec![last.clone(), blob.clone()], vec![&other], missing),
            (vec![json!({"parts": [{"of": zero, "from": 0, "to": 1}]})], vec![], format!("it refers to blob `{zero}`")),
            (vec![json!({"of": zero, "lines": [[0, 1]]})], vec![], format!("it refers to blob `{zero}`")),
            (vec![json!({"of": 1, "lines": []})], vec![], String::from("invalid `blobs`: ")),
            (vec![json!({"of": zero})], vec![], String::from("invalid `blobs`: ")),
            (vec![json!({"value": 1, "parts": []})], vec![], String::from("invalid `blobs`: ")),
            (vec![json!({"value": 1, "digest": ""})], vec![], String::from("invalid `blobs`: ")),
            (vec![json!({"parts": [1]})], vec![], String::from("invalid type")),
            (vec![json!("text")], vec![], String::from("invalid `blobs`: ")),
            (vec![json!(null)], vec![], String::from("invalid `blobs`: ")),
        ];
        for (new, values, expected) in cases {
            let error = insert(&mut BlobStore::default(), &new, &values).unwrap_err();
            assert!(error.starts_with(&expected), "{error}");
        }
        let mut blobs = BlobStore::default();
        assert!(insert(&mut blobs, &[blob.clone(), last], &[&other]).is_ok());
        assert!(insert(&mut blobs, &[blob], &[&value]).unwrap_err().contains("a second time"));
        let missing = "it refers to blob `ab`, which no line up to it contains";
        assert_eq!(resolve_value(&blobs, json!([{"$blob": "ab"}])).unwrap_err(), missing);
        for wrong in ["{}", "1", "null", "\"text\"", "[[]]"] {
            let line = format!("{{\"seq\":1,\"at_ms\":2,\"prev\":null,\"blobs\":{wrong},\"kind\":\"k\",\"data\":1}}");
            let error = blobs.insert_line(&LineText::new(line.as_bytes()), wrong, 0).unwrap_err();
            assert!(error.starts_with("invalid `blobs`: "), "{error}");
        }
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
