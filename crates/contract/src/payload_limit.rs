//! The maximum size of a payload. Hooks decide within a time and memory limit, but the caller chooses the payload.

use std::{fmt, io};

use serde_json::Value;

use crate::{JsonError, read_json_bytes, write_json};

/// The maximum size of a payload, in bytes of JSON text.
pub const MAX_PAYLOAD_BYTES: usize = 16 << 20;

/// The maximum number of values in a payload. A value takes far more memory than its text: in `[0,0,..]` about 40 bytes
/// for each zero.
pub const MAX_PAYLOAD_VALUES: usize = 250_000;

/// The error for a text that cannot be a payload.
#[derive(Debug)]
pub enum PayloadError {
    /// The text is longer than [`MAX_PAYLOAD_BYTES`].
    TooLong,
    /// The text contains more than [`MAX_PAYLOAD_VALUES`] values.
    TooMany,
    /// The text is not JSON.
    NotJson(JsonError),
}

impl fmt::Display for PayloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = "the limit for a payload that hooks see";
        match self {
            Self::TooLong => write!(f, "it is longer than {} MiB of JSON, {most}", MAX_PAYLOAD_BYTES >> 20),
            Self::TooMany => write!(f, "it contains more than {MAX_PAYLOAD_VALUES} JSON values, {most}"),
            Self::NotJson(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PayloadError {}

/// Parses a payload. A payload that is too large is rejected before memory is allocated for it.
///
/// # Errors
/// When the text is too large, or is not JSON.
pub fn read_payload(text: &[u8]) -> Result<Value, PayloadError> {
    check_json_text(text)?;
    read_json_bytes(text).map_err(PayloadError::NotJson)
}

/// Checks that a JSON text does not exceed the limits of a payload, before memory is allocated for it.
///
/// # Errors
/// When the text is too large.
pub fn check_json_text(text: &[u8]) -> Result<(), PayloadError> {
    if text.len() > MAX_PAYLOAD_BYTES {
        return Err(PayloadError::TooLong);
    }
    // Each value but the first follows one of these characters, or is a key.
    if text.len() > MAX_PAYLOAD_VALUES && count_values(text) > MAX_PAYLOAD_VALUES {
        return Err(PayloadError::TooMany);
    }
    Ok(())
}

/// Checks that a value in memory does not exceed the limits of a payload. It is measured like its JSON text in
/// [`read_payload`], without creating that text.
///
/// # Errors
/// When the value is too large.
pub fn check_payload(value: &Value) -> Result<(), PayloadError> {
    let mut count: usize = 0;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => {
                count = count.saturating_add(items.len().max(1));
                open.extend(items.iter().take(MAX_PAYLOAD_VALUES));
            }
            Value::Object(fields) => {
                count = count.saturating_add((fields.len() * 2).max(1));
                open.extend(fields.values().take(MAX_PAYLOAD_VALUES));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        if count > MAX_PAYLOAD_VALUES {
            return Err(PayloadError::TooMany);
        }
    }
    // Writing can only fail because of the length.
    write_json(&mut SizeLimitWriter(MAX_PAYLOAD_BYTES), value).map_err(|_| PayloadError::TooLong)
}

/// Counts down from a number of bytes, discards them, and fails below zero.
struct SizeLimitWriter(usize);

impl io::Write for SizeLimitWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The minimum number of values and keys in a JSON text: the separators and opening brackets outside strings.
fn count_values(text: &[u8]) -> usize {
    let (mut count, mut in_string, mut is_escaped) = (0, false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b',' | b':' | b'[' | b'{' if !in_string => count += 1,
            _ => {}
        }
    }
    count
}

/// The memory that a payload takes in bytes: its text and a fixed amount for each value. `None` as soon as it exceeds
/// `most`.
#[must_use]
pub fn measure_payload(value: &Value, most: usize) -> Option<usize> {
    /// The memory that a value takes in addition to its text.
    const VALUE_BYTES: usize = 32;
    let mut weight: usize = 0;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        weight = weight.saturating_add(VALUE_BYTES);
        match value {
            Value::String(text) => weight = weight.saturating_add(text.len()),
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => {
                for (name, value) in fields {
                    weight = weight.saturating_add(name.len());
                    open.push(value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        if weight > most || open.len() > most / VALUE_BYTES {
            return None;
        }
    }
    Some(weight)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_payload_has_a_cap_of_text_and_one_of_values() {
        let text = |bytes: usize| format!("\"{}\"", "x".repeat(bytes - 2)).into_bytes();
        assert!(read_payload(&text(MAX_PAYLOAD_BYTES)).is_ok());
        assert!(matches!(read_payload(&text(MAX_PAYLOAD_BYTES + 1)), Err(PayloadError::TooLong)));
        let list = |count: usize, item: &str| format!("[{}]", vec![item; count].join(",")).into_bytes();
        assert!(read_payload(&list(MAX_PAYLOAD_VALUES, "0")).is_ok());
        for many in
            [list(MAX_PAYLOAD_VALUES + 1, "0"), list(100_000, "{\"a\":1}"), list(130_000, "[[]]"), list(300_000, "[")]
        {
            assert!(matches!(read_payload(&many), Err(PayloadError::TooMany)));
        }
        // Separators inside strings are not counted.
        assert!(read_payload(format!("\"{}\"", ",[{:\\\\\\\"".repeat(200_000)).as_bytes()).is_ok());
        assert!(matches!(read_payload(b"{"), Err(PayloadError::NotJson(_))));
    }

    #[test]
    fn a_value_is_measured_as_its_text_is() {
        let text = |bytes: usize| Value::from("x".repeat(bytes - 2));
        assert!(check_payload(&text(MAX_PAYLOAD_BYTES)).is_ok());
        assert!(matches!(check_payload(&text(MAX_PAYLOAD_BYTES + 1)), Err(PayloadError::TooLong)));
        assert!(matches!(check_payload(&json!("\u{1}".repeat(MAX_PAYLOAD_BYTES / 6 + 1))), Err(PayloadError::TooLong)));
        let list = |count: usize, item: Value| Value::from(vec![item; count]);
        let values = [
            (list(MAX_PAYLOAD_VALUES, json!(0)), true),
            (list(MAX_PAYLOAD_VALUES + 1, json!(0)), false),
            (list(83_000, json!({"a": 1})), true),
            (list(84_000, json!({"a": 1})), false),
            (list(124_000, json!([[]])), false),
            (list(1_000, list(1_000, Value::Null)), false),
            (json!({"a": [[], {}], "b": {"c": "d"}}), true),
        ];
        for (value, fits) in values {
            let written = serde_json::to_vec(&value).unwrap();
            assert_eq!((check_payload(&value).is_ok(), read_payload(&written).is_ok()), (fits, fits));
        }
    }

    #[test]
    fn a_weight_counts_texts_names_and_values() {
        assert_eq!(measure_payload(&json!({"ab": "cde", "f": [1, null]}), 1_000), Some(5 * 32 + 2 + 3 + 1));
        assert_eq!(measure_payload(&json!({"ab": "cde"}), 20), None);
        assert_eq!(measure_payload(&json!(vec![0; 1_000]), 1_000), None);
    }
}
