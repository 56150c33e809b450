//! Fields of payloads, in whatever spelling.

use pintle::read_json;
use serde_json::{Map, Value};

use crate::HostPayloadError;

/// The fields of a payload.
///
/// # Errors
/// When it is no object.
pub fn object(payload: &Value) -> Result<&Map<String, Value>, HostPayloadError> {
    payload.as_object().ok_or_else(|| HostPayloadError(String::from("it is not a JSON object")))
}

/// A text; empty when it is not there.
#[must_use]
pub fn text(fields: &Map<String, Value>, name: &str) -> String {
    fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A text that says something.
#[must_use]
pub fn non_empty_text(fields: &Map<String, Value>, name: &str) -> Option<String> {
    Some(text(fields, name)).filter(|text| !text.is_empty())
}

/// A text that must be there and say something.
///
/// # Errors
/// When it does not.
pub fn required_text(fields: &Map<String, Value>, name: &str) -> Result<String, HostPayloadError> {
    non_empty_text(fields, name).ok_or_else(|| HostPayloadError(format!("`{name}` is missing or is not a string")))
}

/// Whether a field says yes.
#[must_use]
pub fn flag(fields: &Map<String, Value>, name: &str) -> bool {
    fields.get(name).and_then(Value::as_bool).unwrap_or_default()
}

/// A value; null when it is not there.
#[must_use]
pub fn value(fields: &Map<String, Value>, name: &str) -> Value {
    fields.get(name).cloned().unwrap_or(Value::Null)
}

/// A value that stands there as such or as JSON text.
///
/// # Errors
/// When it is missing, or holds a key twice.
pub fn required_json(fields: &Map<String, Value>, name: &str) -> Result<Value, HostPayloadError> {
    match fields.get(name) {
        Some(Value::String(text)) => match read_json(text) {
            Ok(value) => Ok(value),
            Err(fault) if fault.is_repeated_key() => Err(HostPayloadError(format!("in `{name}`, {fault}"))),
            Err(_) => Ok(Value::String(text.clone())),
        },
        Some(value) => Ok(value.clone()),
        None => Err(HostPayloadError(format!("`{name}` is missing"))),
    }
}
