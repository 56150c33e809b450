//! The fields that every record has, and the line that closes a tape.

use std::borrow::Cow;
use std::io::Write;

use serde_json::{Map, Value};

use super::text::{digest_hex, json_error_text};
use crate::record::{ClosedRecord, Record, RecordBody};

/// The fields that every record has. `Text` is the type of its kind and `prev`.
#[derive(Debug)]
pub(crate) struct RecordHead<Text> {
    pub(crate) seq: u64,
    pub(crate) at_ms: u64,
    pub(crate) prev: Option<Text>,
    pub(crate) kind: Text,
}

/// Appends a line: the fields of every record, then those of its body, which are a separate object.
pub(crate) fn push_line(line: &mut Vec<u8>, seq: u64, at_ms: u64, prev: Option<&str>, kind: &str, body: &[u8]) {
    push_position(line, seq, at_ms, prev);
    push_tail(line, kind, body);
}

/// Appends what a line has before its kind.
pub(crate) fn push_position(line: &mut Vec<u8>, seq: u64, at_ms: u64, prev: Option<&str>) {
    // Writing to memory does not fail, nor does writing a string as JSON.
    let _ = write!(line, "{{\"seq\":{seq},\"at_ms\":{at_ms},\"prev\":");
    let _ = serde_json::to_writer(&mut *line, &prev);
    line.push(b',');
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
        let (kind, rest) = parse_word(rest.strip_prefix(b",\"kind\":")?)?;
        Some((Self { seq, at_ms, prev, kind }, rest))
    }

    /// The record with this head.
    pub(crate) fn to_record<'a>(&self, body: RecordBody<'a>) -> Record<'a> {
        Record { seq: self.seq, at_ms: self.at_ms, prev: self.prev.map(str::to_owned), body }
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
        Ok((Self { seq, at_ms, prev, kind }, fields))
    }
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
    push_line(&mut line, seq, at_ms, prev, "closed", format!("{{\"records\":{seq}}}").as_bytes());
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
