//! Reading JSON in which no object repeats a key.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::io::{self, Write};

use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// The maximum number of characters of a key in a message.
const SHOWN_CHARACTERS: usize = 64;

/// The error for a text that is not JSON, or in which an object repeats a key.
#[derive(Debug)]
pub enum JsonError {
    /// The text is not JSON, or does not have the expected shape.
    Syntax(serde_json::Error),
    /// An object repeats a key; programs disagree on which value applies.
    RepeatedKey(String),
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::RepeatedKey(key) => write!(f, "the key `{}` is repeated; write it once", format_key(key)),
        }
    }
}

impl std::error::Error for JsonError {}

impl JsonError {
    /// Whether the text is valid JSON apart from a repeated key.
    #[must_use]
    pub fn is_repeated_key(&self) -> bool {
        matches!(self, Self::RepeatedKey(_))
    }
}

/// Formats a key for a message: on one line, without control characters, and cut if it is long.
#[must_use]
pub fn format_key(key: &str) -> String {
    let mut letters = key.chars().filter(|letter| !letter.is_control());
    let shown: String = letters.by_ref().take(SHOWN_CHARACTERS).collect();
    if letters.next().is_some() { format!("{shown}…") } else { shown }
}

/// Parses one JSON value in which no object, at any depth, repeats a key. Keys are compared after unescaping. Half a
/// surrogate pair is U+FFFD, as JavaScript and Python read it.
///
/// # Errors
/// When the text is not JSON, does not have the expected shape, or repeats a key.
pub fn read_json<T: DeserializeOwned>(text: &str) -> Result<T, JsonError> {
    read_json_bytes(text.as_bytes())
}

/// Parses bytes like [`read_json`].
///
/// # Errors
/// When the bytes are not JSON, do not have the expected shape, or repeat a key.
pub fn read_json_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, JsonError> {
    let read = |bytes: &[u8]| {
        let value = serde_json::from_slice(bytes).map_err(JsonError::Syntax)?;
        check_keys(&mut serde_json::Deserializer::from_slice(bytes))?;
        Ok(value)
    };
    match read(bytes) {
        Err(JsonError::Syntax(error)) => match replace_half_pairs(bytes) {
            Cow::Borrowed(_) => Err(JsonError::Syntax(error)),
            Cow::Owned(mended) => read(&mended),
        },
        read => read,
    }
}

/// Parses the JSON value at the start of a text, and returns it with its length in bytes. `None` if the text is empty.
///
/// # Errors
/// When the text does not start with a value, or an object in it repeats a key.
pub fn read_leading_json<T: DeserializeOwned>(text: &str) -> Option<Result<(T, usize), JsonError>> {
    let read = |bytes: &[u8]| {
        let mut stream = serde_json::Deserializer::from_slice(bytes).into_iter::<T>();
        let value = stream.next()?.map_err(JsonError::Syntax);
        let length = stream.byte_offset();
        Some(value.and_then(|value| {
            check_keys(&mut serde_json::Deserializer::from_slice(bytes))?;
            Ok((value, length))
        }))
    };
    match read(text.as_bytes())? {
        Err(JsonError::Syntax(error)) => match replace_half_pairs(text.as_bytes()) {
            Cow::Borrowed(_) => Some(Err(JsonError::Syntax(error))),
            Cow::Owned(mended) => read(&mended),
        },
        read => Some(read),
    }
}

/// Replaces each escape of half a surrogate pair, which no text can have, by that of U+FFFD, which is as long.
fn replace_half_pairs(bytes: &[u8]) -> Cow<'_, [u8]> {
    let half_at = |at: usize| {
        let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok().filter(|unit| (0xd800..0xe000).contains(unit))
    };
    let mut mended = Cow::Borrowed(bytes);
    let mut at = 0;
    while let Some(step) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\\')) {
        at += step;
        at += match (half_at(at), half_at(at + 6)) {
            (Some(..0xdc00), Some(0xdc00..)) => 12,
            (Some(_), _) => {
                mended.to_mut().splice(at..at + 6, *b"\\ufffd");
                6
            }
            // `\\` and the like.
            (None, _) => 2,
        };
    }
    mended
}

/// The compact JSON text of a value, as its `to_string`.
#[must_use]
pub fn json_text(value: &Value) -> String {
    let mut text = Vec::with_capacity(estimate_json_bytes(value));
    // Writing to memory cannot fail, and the text is UTF-8.
    let _ = write_json(&mut text, value);
    String::from_utf8(text).unwrap_or_default()
}

/// Writes the compact JSON text of a value, as `serde_json` does, but long strings several times as fast.
///
/// # Errors
/// When `out` fails.
pub fn write_json(out: &mut impl Write, value: &Value) -> io::Result<()> {
    match value {
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            let mut separator: &[u8] = b"[";
            for item in items {
                out.write_all(separator)?;
                write_json(out, item)?;
                separator = b",";
            }
            out.write_all(if items.is_empty() { b"[]" } else { b"]" })
        }
        Value::Object(fields) => {
            let mut separator: &[u8] = b"{";
            for (name, field) in fields {
                out.write_all(separator)?;
                write_string(out, name)?;
                out.write_all(b":")?;
                write_json(out, field)?;
                separator = b",";
            }
            out.write_all(if fields.is_empty() { b"{}" } else { b"}" })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(serde_json::to_writer(out, value)?),
    }
}

fn write_string(out: &mut impl Write, text: &str) -> io::Result<()> {
    out.write_all(b"\"")?;
    let mut rest = text.as_bytes();
    loop {
        let (plain, after) = rest.split_at_checked(plain_bytes(rest)).unwrap_or((rest, b""));
        out.write_all(plain)?;
        let Some((escaped, after)) = after.split_first() else { return out.write_all(b"\"") };
        match escaped {
            b'"' => out.write_all(b"\\\"")?,
            b'\\' => out.write_all(b"\\\\")?,
            8 => out.write_all(b"\\b")?,
            b'\t' => out.write_all(b"\\t")?,
            b'\n' => out.write_all(b"\\n")?,
            12 => out.write_all(b"\\f")?,
            b'\r' => out.write_all(b"\\r")?,
            control => write!(out, "\\u{control:04x}")?,
        }
        rest = after;
    }
}

/// The number of bytes before the first one that a JSON string escapes. Eight bytes are looked at at a time.
fn plain_bytes(text: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 0xff;
    let mut rest = text;
    while let Some((eight, after)) = rest.split_first_chunk() {
        let word = u64::from_ne_bytes(*eight);
        // The highest bit of a byte is set if it is the one that is looked for. A borrow may set others too, but only
        // if one is.
        let zeros = |bytes: u64| bytes.wrapping_sub(ONES) & !bytes;
        let controls = word.wrapping_sub(ONES * 0x20) & !word;
        let found = controls | zeros(word ^ (ONES * u64::from(b'"'))) | zeros(word ^ (ONES * u64::from(b'\\')));
        if found & (ONES << 7) != 0 {
            break;
        }
        rest = after;
    }
    let is_escaped = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
    let last = rest.iter().position(is_escaped).unwrap_or(rest.len());
    text.len() - rest.len() + last
}

/// About the size of the compact JSON text of a value.
#[must_use]
pub fn estimate_json_bytes(value: &Value) -> usize {
    match value {
        // Some characters are escaped.
        Value::String(text) => text.len() + text.len() / 16 + 2,
        Value::Array(items) => items.iter().map(|item| estimate_json_bytes(item) + 1).sum::<usize>() + 2,
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| name.len() + estimate_json_bytes(field) + 4).sum::<usize>() + 2
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}

fn check_keys<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), JsonError> {
    let mut repeated = None;
    let read = DistinctKeys(&mut repeated).deserialize(deserializer);
    match (repeated, read) {
        (Some(key), _) => Err(JsonError::RepeatedKey(key)),
        // The text was parsed before, so it cannot have another error.
        (None, _) => Ok(()),
    }
}

/// Visits a value and stops at an object that repeats a key.
struct DistinctKeys<'a>(&'a mut Option<String>);

impl<'de> DeserializeSeed<'de> for DistinctKeys<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for DistinctKeys<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _value: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _value: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _value: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _value: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _value: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(DistinctKeys(&mut *self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            if seen.contains(&key) {
                *self.0 = Some(key);
                return Err(serde::de::Error::custom("a key is repeated"));
            }
            seen.insert(key);
            entries.next_value_seed(DistinctKeys(&mut *self.0))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn repeated_keys_at_any_depth_or_escaped_differently_are_found() {
        for (text, key) in [
            (r#"{"a":1,"a":1}"#, "a"),
            (r#"{"decision":"block","\u0064ecision":""}"#, "decision"),
            (r#"{"x":{"y":[1,{"b":null,"c":2,"b":3}]}}"#, "b"),
            (r#"[[{"":1.5,"":1e9}]]"#, ""),
            (r#"{"a":{"k":1},"b":{"k":1},"a":2}"#, "a"),
        ] {
            for found in [
                read_json::<Value>(text).map(drop),
                read_json_bytes::<Value>(text.as_bytes()).map(drop),
                read_leading_json::<Value>(&format!("{text} {{}}")).unwrap().map(drop),
            ] {
                assert!(matches!(&found, Err(JsonError::RepeatedKey(found)) if found == key), "{text}: {found:?}");
            }
        }
    }

    #[test]
    fn what_is_unambiguous_reads_as_it_always_did() {
        for text in ["1", "-0.5e3", "null", "\"a\"", "[1,[],{}]", r#"{"a":{"a":{"a":1}},"A":2,"a ":3}"#] {
            let read: Value = read_json(text).unwrap();
            assert_eq!(read, serde_json::from_str::<Value>(text).unwrap(), "{text}");
        }
        let (value, length) = read_leading_json::<Value>("{\"a\":1} {\"a\":2,\"a\":3}").unwrap().unwrap();
        assert_eq!((value, length), (json!({"a": 1}), 7));
        assert!(read_leading_json::<Value>(" ").is_none());
        assert!(matches!(read_json::<Value>("{\"a\":1,\"a\""), Err(JsonError::Syntax(_))));
        assert!(matches!(read_json::<Value>(&"[".repeat(100_000)), Err(JsonError::Syntax(_))));
    }

    #[test]
    fn half_a_pair_is_read_as_other_programs_read_it() {
        for (text, wanted) in [
            (r#"["\ud83d"]"#, "\u{fffd}"),
            (r#"["a\ud83d b"]"#, "a\u{fffd} b"),
            (r#"["\udc00\ud83d"]"#, "\u{fffd}\u{fffd}"),
            (r#"["\ud83d\ud83d\ude00"]"#, "\u{fffd}\u{1f600}"),
            (r#"["\\ud83d \ud83d"]"#, "\\ud83d \u{fffd}"),
            (r#"["\ud83d\n\u0041"]"#, "\u{fffd}\nA"),
        ] {
            assert_eq!(read_json::<[String; 1]>(text).unwrap(), [wanted], "{text}");
            let (read, length) = read_leading_json::<[String; 1]>(&format!("{text} x")).unwrap().unwrap();
            assert_eq!((read, length), ([String::from(wanted)], text.len()));
        }
        assert!(matches!(read_json::<Value>(r#"{"a":"\ud83d","a":1}"#), Err(JsonError::RepeatedKey(_))));
        for text in [r#"["\ud83"]"#, r#"["\ud83d]"#, r#"["\"#, r#"["\u"]"#] {
            assert!(read_json::<Value>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_long_key_is_cut_where_it_is_shown() {
        assert_eq!(format_key("a\u{1b}b\n"), "ab");
        assert_eq!(format_key(&"é".repeat(64)), "é".repeat(64));
        assert_eq!(format_key(&"é".repeat(1000)), format!("{}…", "é".repeat(64)));
    }

    #[test]
    fn a_value_is_written_as_serde_json_writes_it() {
        let awkward: Vec<char> = (0..0x100).chain([0x2028, 0xfffd, 0x1f600]).filter_map(char::from_u32).collect();
        for position in 0..18 {
            let start = "a".repeat(position) + if position % 2 == 0 { "" } else { "\u{fc}" };
            for one in &awkward {
                for other in ['x', '\u{1}', '"', '\u{20}', '\u{21}', '\u{7f}', '\u{80}'] {
                    let text = format!("{start}{one}{other}{}", "y".repeat(9));
                    let value = json!(text);
                    assert_eq!(json_text(&value), value.to_string(), "{text:?}");
                }
            }
        }
        for value in [
            json!({}),
            json!([]),
            json!([null, true, -1, 1.5, 1e300, 18_446_744_073_709_551_615_u64, [[]], [{}, ""]]),
            json!({"": {"a\n\"": {}}, "b": [1, {"c": [2, 3]}], "\u{1f600}": "\u{1f600}"}),
        ] {
            assert_eq!(json_text(&value), value.to_string());
        }
    }
}
