//! Reads fields of payloads.

use pintle::read_json;
use serde_json::{Map, Value};

use crate::HostPayloadError;

/// The fields of a payload.
///
/// # Errors
/// When the payload is not an object.
pub fn object(payload: &Value) -> Result<&Map<String, Value>, HostPayloadError> {
    payload.as_object().ok_or_else(|| HostPayloadError(String::from("it is not a JSON object")))
}

/// Whether a payload has a field that is not null.
#[must_use]
pub fn has(payload: &Value, name: &str) -> bool {
    payload.get(name).is_some_and(|value| !value.is_null())
}

/// A string field; empty if it is missing.
#[must_use]
pub fn text(fields: &Map<String, Value>, name: &str) -> String {
    fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A string field that is not empty.
#[must_use]
pub fn non_empty_text(fields: &Map<String, Value>, name: &str) -> Option<String> {
    Some(text(fields, name)).filter(|text| !text.is_empty())
}

/// A required string field that is not empty.
///
/// # Errors
/// When it is missing or empty.
pub fn required_text(fields: &Map<String, Value>, name: &str) -> Result<String, HostPayloadError> {
    non_empty_text(fields, name).ok_or_else(|| HostPayloadError(format!("`{name}` is missing or is not a string")))
}

/// Whether a boolean field is true.
#[must_use]
pub fn flag(fields: &Map<String, Value>, name: &str) -> bool {
    fields.get(name).and_then(Value::as_bool).unwrap_or_default()
}

/// A field; null if it is missing.
#[must_use]
pub fn value(fields: &Map<String, Value>, name: &str) -> Value {
    fields.get(name).cloned().unwrap_or(Value::Null)
}

/// A required field, as a JSON value or as a string with JSON.
///
/// # Errors
/// When it is missing, or contains a duplicate key.
pub fn required_json(fields: &Map<String, Value>, name: &str) -> Result<Value, HostPayloadError> {
    match fields.get(name) {
        Some(Value::String(text)) => match read_json(text) {
            Ok(value) => Ok(value),
            Err(error) if error.is_repeated_key() => Err(HostPayloadError(format!("in `{name}`, {error}"))),
            Err(_) => Ok(Value::String(text.clone())),
        },
        Some(value) => Ok(value.clone()),
        None => Err(HostPayloadError(format!("`{name}` is missing"))),
    }
}
