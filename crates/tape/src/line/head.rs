//! The fields that every record has, and the line that closes a tape.

use std::borrow::Cow;
use std::io::Write;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::text::{digest_hex, json_error_text};
use crate::record::{ClosedRecord, Record, RecordBody, has_origin};

/// The fields that records have before those of their kind. `Text` is the type of the texts in them.
#[derive(Debug)]
pub(crate) struct RecordHead<Text> {
    pub(crate) seq: u64,
    pub(crate) at_ms: u64,
    pub(crate) prev: Option<Text>,
    /// The JSON text of the origin, if the line has it.
    pub(crate) origin: Option<Text>,
    /// The JSON text of the large values that the record is the first one to need.
    pub(crate) blobs: Option<Text>,
    pub(crate) kind: Text,
}

/// A line of a tape.
#[derive(Debug)]
pub(crate) struct LineText<'l> {
    pub(crate) text: &'l [u8],
    /// If the line has the writer's form: its head, and the text after its kind.
    pub(crate) canonical: Option<(RecordHead<&'l str>, &'l [u8])>,
}

/// The fields of a line that later lines depend on, as JSON text.
#[derive(Debug, Default)]
pub(crate) struct SharedFields<'l> {
    pub(crate) origin: Option<Cow<'l, str>>,
    pub(crate) blobs: Option<&'l str>,
}

/// The large values of a line in any form.
#[derive(Deserialize)]
struct BlobsField<'l> {
    #[serde(borrow, deserialize_with = "deserialize_raw")]
    blobs: Option<&'l RawValue>,
}

/// Deserializes the text of a present field, so that an explicit `null` differs from an absent field.
pub(crate) fn deserialize_raw<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Appends what a line has before its kind.
pub(crate) fn push_position(line: &mut Vec<u8>, seq: u64, at_ms: u64, prev: Option<&str>) {
    // Writing to memory does not fail, nor does writing a string as JSON.
    let _ = write!(line, "{{\"seq\":{seq},\"at_ms\":{at_ms},\"prev\":");
    let _ = serde_json::to_writer(&mut *line, &prev);
    line.push(b',');
}

/// Appends what a line has between its position and its kind: the origin, if it is not that of the record before, and
/// the values that no line before has.
pub(crate) fn push_shared<L: AsMut<Vec<u8>>, B>(
    line: &mut L,
    origin: Option<&str>,
    blobs: impl IntoIterator<Item = B>,
    push_blob: impl Fn(&mut L, B),
) {
    if let Some(origin) = origin {
        let line = line.as_mut();
        line.extend_from_slice(b"\"origin\":");
        line.extend_from_slice(origin.as_bytes());
        line.push(b',');
    }
    let mut has_blobs = false;
    for blob in blobs {
        line.as_mut().extend_from_slice(if has_blobs { b"," } else { b"\"blobs\":[" });
        push_blob(line, blob);
        has_blobs = true;
    }
    if has_blobs {
        line.as_mut().extend_from_slice(b"],");
    }
}

/// Appends a line from its kind on.
pub(crate) fn push_tail(line: &mut Vec<u8>, kind: &str, body: &[u8]) {
    line.extend_from_slice(b"\"kind\":");
    let _ = serde_json::to_writer(&mut *line, kind);
    // The opening brace of the body becomes a comma.
    let fields = body.strip_prefix(b"{").unwrap_or(b"}");
    if fields != b"}" {
        line.push(b',');
    }
    line.extend_from_slice(fields);
}

impl<'l> LineText<'l> {
    pub(crate) fn new(text: &'l [u8]) -> Self {
        Self { text, canonical: RecordHead::parse_canonical(text) }
    }

    /// The text from the kind on, or all of it if the line has another form.
    pub(crate) fn record_text(&self) -> &'l [u8] {
        self.canonical.as_ref().map_or(self.text, |(_, rest)| rest)
    }

    /// The fields that later lines depend on.
    pub(crate) fn shared_fields(&self) -> Result<SharedFields<'l>, String> {
        if let Some((head, _)) = &self.canonical {
            return Ok(SharedFields { origin: head.origin.map(Cow::Borrowed), blobs: head.blobs });
        }
        let (head, _) = RecordHead::parse_any(self.text)?;
        let blobs = match head.blobs {
            Some(_) => {
                serde_json::from_slice::<BlobsField<'l>>(self.text).map_err(|error| json_error_text(&error))?.blobs
            }
            None => None,
        };
        Ok(SharedFields { origin: head.origin.map(Cow::Owned), blobs: blobs.map(RawValue::get) })
    }

    /// The head, and the fields of the kind.
    pub(crate) fn parse_fields(&self) -> Result<(RecordHead<String>, Map<String, Value>), String> {
        if let Some((head, rest)) = &self.canonical
            && let Ok(fields) = serde_json::from_slice(&[b"{", rest.strip_prefix(b",").unwrap_or(rest)].concat())
        {
            return Ok((head.to_owned_head(), fields));
        }
        RecordHead::parse_any(self.text)
    }
}

impl<'l> RecordHead<&'l str> {
    /// Parses the head of a line in the writer's canonical form, without a general JSON parser; `None` for any other
    /// form. The rest is what follows the kind: `}`, or a comma and the fields of the body.
    pub(crate) fn parse_canonical(line: &'l [u8]) -> Option<(Self, &'l [u8])> {
        let (seq, rest) = parse_number(line.strip_prefix(b"{\"seq\":")?)?;
        let (at_ms, rest) = parse_number(rest.strip_prefix(b",\"at_ms\":")?)?;
        let rest = rest.strip_prefix(b",\"prev\":")?;
        let (prev, rest) = match rest.strip_prefix(b"null") {
            Some(rest) => (None, rest),
            None => parse_digest(rest).map(|(prev, rest)| (Some(prev), rest))?,
        };
        let (origin, rest) = match rest.strip_prefix(b",\"origin\":") {
            Some(rest) => parse_value(rest).map(|(origin, rest)| (Some(origin), rest))?,
            None => (None, rest),
        };
        let (blobs, rest) = match rest.strip_prefix(b",\"blobs\":") {
            Some(rest) => parse_value(rest).map(|(blobs, rest)| (Some(blobs), rest))?,
            None => (None, rest),
        };
        let (kind, rest) = parse_word(rest.strip_prefix(b",\"kind\":")?)?;
        let is_known = origin.is_none() || has_origin(kind);
        is_known.then_some((Self { seq, at_ms, prev, origin, blobs, kind }, rest))
    }

    /// The record with this head.
    pub(crate) fn to_record<'a>(&self, body: RecordBody<'a>) -> Record<'a> {
        Record { seq: self.seq, at_ms: self.at_ms, prev: self.prev.map(str::to_owned), body }
    }

    fn to_owned_head(&self) -> RecordHead<String> {
        let [prev, origin, blobs] = [self.prev, self.origin, self.blobs].map(|text| text.map(str::to_owned));
        RecordHead { seq: self.seq, at_ms: self.at_ms, prev, origin, blobs, kind: self.kind.to_owned() }
    }
}

impl RecordHead<String> {
    /// Parses the head of a line in any form, and returns it with the other fields.
    pub(crate) fn parse_any(line: &[u8]) -> Result<(Self, Map<String, Value>), String> {
        let value: Value = serde_json::from_slice(line).map_err(|error| json_error_text(&error))?;
        let Value::Object(mut fields) = value else {
            return Err(String::from("a record must be a JSON object"));
        };
        let seq = take_whole_number(&mut fields, "seq")?;
        let at_ms = take_whole_number(&mut fields, "at_ms")?;
        let prev = match fields.shift_remove("prev") {
            Some(Value::String(text)) => Some(text),
            Some(Value::Null) => None,
            _ => return Err(String::from("`prev` must be a string or null")),
        };
        let Some(Value::String(kind)) = fields.shift_remove("kind") else {
            return Err(String::from("`kind` must be a string"));
        };
        // Of a kind without an origin, this is a field like any other.
        let origin = if has_origin(&kind) { fields.shift_remove("origin") } else { None };
        let blobs = fields.shift_remove("blobs");
        let [origin, blobs] = [origin, blobs].map(|value| value.map(|value| value.to_string()));
        Ok((Self { seq, at_ms, prev, origin, blobs, kind }, fields))
    }
}

/// Parses a value at the start. Returns its text with the rest.
fn parse_value(text: &[u8]) -> Option<(&str, &[u8])> {
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<&RawValue>();
    let value = values.next()?.ok()?.get();
    // Space before the value would be left out of it.
    let (_, rest) = text.split_at_checked(values.byte_offset()).filter(|(before, _)| before.len() == value.len())?;
    Some((value, rest))
}

/// Parses an integer at the start, in JSON's spelling. Returns it with the rest.
fn parse_number(text: &[u8]) -> Option<(u64, &[u8])> {
    let end = text.iter().position(|byte| !byte.is_ascii_digit())?;
    let (digits, rest) = text.split_at_checked(end)?;
    if digits.is_empty() || (digits.len() > 1 && digits.starts_with(b"0")) {
        return None;
    }
    let add = |sum: u64, digit: &u8| sum.checked_mul(10)?.checked_add(u64::from(digit - b'0'));
    digits.iter().try_fold(0, add).map(|number| (number, rest))
}

/// Parses letters, digits and `_` at the start. Returns them with the rest.
fn parse_word(text: &[u8]) -> Option<(&str, &[u8])> {
    let text = text.strip_prefix(b"\"")?;
    let end = text.iter().position(|byte| *byte == b'"')?;
    let (word, rest) = text.split_at_checked(end)?;
    let is_word = word.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    let word = std::str::from_utf8(word).ok().filter(|_| is_word)?;
    Some((word, rest.strip_prefix(b"\"")?))
}

/// Parses a digest at the start. Other text of the same length breaks the chain, which is checked there.
fn parse_digest(text: &[u8]) -> Option<(&str, &[u8])> {
    let (digest, rest) = text.strip_prefix(b"\"")?.split_first_chunk::<64>()?;
    let has_others = digest.iter().fold(false, |others, byte| others | !byte.is_ascii_alphanumeric());
    let digest = std::str::from_utf8(digest).ok().filter(|_| !has_others)?;
    Some((digest, rest.strip_prefix(b"\"")?))
}

fn take_whole_number(fields: &mut Map<String, Value>, name: &str) -> Result<u64, String> {
    let number = fields.shift_remove(name);
    number.as_ref().and_then(Value::as_u64).ok_or_else(|| format!("`{name}` must be a non-negative integer"))
}

/// The text before the digest of a closing line.
const BEFORE: &str = ",\"digest\":\"";
/// The text after it.
const BEHIND: &str = "\"}";

/// The record that closes a tape after `seq` records.
pub(crate) fn make_closing_record(seq: u64, at_ms: u64, prev: Option<&str>) -> ClosedRecord<'static> {
    let mut line = Vec::new();
    push_position(&mut line, seq, at_ms, prev);
    push_tail(&mut line, "closed", format!("{{\"records\":{seq}}}").as_bytes());
    ClosedRecord { records: seq, digest: Cow::Owned(digest_hex(&line)) }
}

/// Whether a closing line contains its own digest.
pub(crate) fn is_closing(line: &[u8]) -> bool {
    let Some((text, BEHIND)) =
        std::str::from_utf8(line).ok().and_then(|line| line.split_at_checked(line.len().checked_sub(2)?))
    else {
        return false;
    };
    let Some((rest, claimed)) = text.rsplit_once(BEFORE) else { return false };
    digest_hex(format!("{rest}}}").as_bytes()) == claimed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_of_a_closing_line_counts() {
        let prev = digest_hex(b"the line before");
        let body = RecordBody::Closed(make_closing_record(7, 1_750_000_000_000, Some(&prev)));
        let line = Record { seq: 7, at_ms: 1_750_000_000_000, prev: Some(prev), body }.to_line().unwrap().into_bytes();
        assert!(is_closing(&line));
        for index in 0..line.len() * 8 {
            let mut bent = line.clone();
            bent[index / 8] ^= 1 << (index % 8);
            assert!(!is_closing(&bent), "bit {index}");
        }
        assert!(!is_closing(b"") && !is_closing(b"{\"digest\":\"\"}"));
    }
}
