//! How large a payload may be: hooks decide within a time and a memory of their own, and a caller chooses its payload.

use std::{fmt, io};

use serde_json::Value;

use crate::{JsonError, read_json_bytes};

/// The most JSON text of a payload.
pub const MAX_PAYLOAD_BYTES: usize = 16 << 20;

/// The most values in a payload. A value takes far more memory than its text: `[0,0,..]` some 40 bytes for each zero.
pub const MAX_PAYLOAD_VALUES: usize = 250_000;

/// Why a text is no payload.
#[derive(Debug)]
pub enum PayloadError {
    /// It is longer than [`MAX_PAYLOAD_BYTES`].
    TooLong,
    /// It holds more than [`MAX_PAYLOAD_VALUES`] values.
    TooMany,
    /// It is not JSON.
    NotJson(JsonError),
}

impl fmt::Display for PayloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = "which is the most that hooks are asked about";
        match self {
            Self::TooLong => write!(f, "it is longer than {} MiB of JSON, {most}", MAX_PAYLOAD_BYTES >> 20),
            Self::TooMany => write!(f, "it holds more than {MAX_PAYLOAD_VALUES} JSON values, {most}"),
            Self::NotJson(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for PayloadError {}

/// Reads a payload. One that is too large is told before any memory is taken for it.
///
/// # Errors
/// When it is too large, or not JSON.
pub fn read_payload(text: &[u8]) -> Result<Value, PayloadError> {
    check_json_text(text)?;
    read_json_bytes(text).map_err(PayloadError::NotJson)
}

/// Checks that a text of JSON is no larger than that of a payload may be, before any memory is taken for it.
///
/// # Errors
/// When it is too large.
pub fn check_json_text(text: &[u8]) -> Result<(), PayloadError> {
    if text.len() > MAX_PAYLOAD_BYTES {
        return Err(PayloadError::TooLong);
    }
    // Each value but the first has one of these before it, or is a key.
    if text.len() > MAX_PAYLOAD_VALUES && count_values(text) > MAX_PAYLOAD_VALUES {
        return Err(PayloadError::TooMany);
    }
    Ok(())
}

/// Checks that a value that was made here is no larger than a payload may be. It is measured as its JSON text is by
/// [`read_payload`], and no such text is made.
///
/// # Errors
/// When it is too large.
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
    // Nothing but its length makes writing it fail.
    serde_json::to_writer(SizeLimitWriter(MAX_PAYLOAD_BYTES), value).map_err(|_| PayloadError::TooLong)
}

/// Takes so many bytes and keeps none.
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

/// The values and keys of a JSON text, at the least: what separates and opens them, outside of strings.
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

/// The text bytes and values of a payload, or `None` as soon as they are worth more than `most` bytes of memory.
#[must_use]
pub fn measure_payload(value: &Value, most: usize) -> Option<usize> {
    /// What a value takes beside its text.
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
        // What stands in texts counts for nothing.
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
