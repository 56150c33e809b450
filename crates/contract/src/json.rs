//! Reading JSON in which no object repeats a key.

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

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

/// Parses one JSON value in which no object, at any depth, repeats a key. Keys are compared after unescaping.
///
/// # Errors
/// When the text is not JSON, does not have the expected shape, or repeats a key.
pub fn read_json<T: DeserializeOwned>(text: &str) -> Result<T, JsonError> {
    let value = serde_json::from_str(text).map_err(JsonError::Syntax)?;
    check_keys(&mut serde_json::Deserializer::from_str(text))?;
    Ok(value)
}

/// Parses bytes like [`read_json`].
///
/// # Errors
/// When the bytes are not JSON, do not have the expected shape, or repeat a key.
pub fn read_json_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, JsonError> {
    let value = serde_json::from_slice(bytes).map_err(JsonError::Syntax)?;
    check_keys(&mut serde_json::Deserializer::from_slice(bytes))?;
    Ok(value)
}

/// Parses the JSON value at the start of a text, and returns it with its length in bytes. `None` if the text is empty.
///
/// # Errors
/// When the text does not start with a value, or an object in it repeats a key.
pub fn read_leading_json<T: DeserializeOwned>(text: &str) -> Option<Result<(T, usize), JsonError>> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<T>();
    let value = match stream.next()? {
        Ok(value) => value,
        Err(error) => return Some(Err(JsonError::Syntax(error))),
    };
    let length = stream.byte_offset();
    let checked = check_keys(&mut serde_json::Deserializer::from_str(text));
    Some(checked.map(|()| (value, length)))
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
    fn a_long_key_is_cut_where_it_is_shown() {
        assert_eq!(format_key("a\u{1b}b\n"), "ab");
        assert_eq!(format_key(&"é".repeat(64)), "é".repeat(64));
        assert_eq!(format_key(&"é".repeat(1000)), format!("{}…", "é".repeat(64)));
    }
}
