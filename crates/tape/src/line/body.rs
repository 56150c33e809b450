//! Encodes and decodes the fields of each record kind.

use std::borrow::Cow;
use std::cell::RefCell;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::record::{NoteRecord, RecordBody, has_origin};

/// The origin of a record as JSON text, if its kind has one.
pub(crate) fn encode_origin(body: &RecordBody<'_>) -> Result<Option<String>, serde_json::Error> {
    body.origin().map(serde_json::to_string).transpose()
}

/// The fields of a body as JSON text without its origin, before anything is packed or moved to blobs.
pub(crate) fn encode_fields(body: &RecordBody<'_>) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = Vec::with_capacity(128);
    body.push_fields(&mut text)?;
    Ok(text)
}

/// The fields of a record in some form.
pub(crate) trait FieldSource {
    /// Deserializes the fields of one kind.
    fn deserialize_fields<T: DeserializeOwned>(self) -> Result<T, serde_json::Error>;
}

impl FieldSource for &str {
    fn deserialize_fields<T: DeserializeOwned>(self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self)
    }
}

impl FieldSource for Map<String, Value> {
    fn deserialize_fields<T: DeserializeOwned>(self) -> Result<T, serde_json::Error> {
        serde_json::from_value(Value::Object(self))
    }
}

/// Parses the text after the kind in a line straight into a body. Returns `None` if that needs the general path, as for
/// notes, packed fields and errors.
pub(crate) fn parse_typed(kind: &str, rest: &[u8], origin: Option<&str>) -> Option<RecordBody<'static>> {
    thread_local! {
        static OBJECT: RefCell<String> = const { RefCell::new(String::new()) };
    }
    let rest = std::str::from_utf8(rest).ok()?;
    OBJECT.with_borrow_mut(|object| {
        object.clear();
        object.push('{');
        if has_origin(kind) {
            object.extend(["\"origin\":", origin?, ","]);
        }
        object.push_str(rest.strip_prefix(',').unwrap_or(rest));
        RecordBody::from_fields(kind, object.as_str()).ok()?.ok()
    })
}

/// Parses the fields of a record, packed or not.
pub(crate) fn from_fields(
    kind: &str,
    mut fields: Map<String, Value>,
    origin: Option<&str>,
) -> Result<RecordBody<'static>, String> {
    if let Some(Value::String(text)) = fields.get("packed") {
        match serde_json::from_str(text) {
            Ok(Value::Object(unpacked)) => fields = unpacked,
            // Too deep to be parsed here too: the text is kept, so nothing is lost.
            Err(error) if error.is_syntax() => return Ok(RecordBody::Unknown { kind: kind.to_owned(), fields }),
            _ => return Err(String::from("`packed` must be the text of a JSON object")),
        }
    }
    if has_origin(kind) {
        let origin = origin.ok_or_else(|| format!("a `{kind}` record without `origin`, and none before it has one"))?;
        let origin = serde_json::from_str(origin).map_err(|error| format!("invalid `origin`: {error}"))?;
        fields.insert(String::from("origin"), origin);
    }
    match RecordBody::from_fields(kind, fields) {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(error)) => Err(format!("invalid `{kind}` record: {error}")),
        Err(fields) => Ok(match take_note_data(fields) {
            Ok(data) => RecordBody::Note(NoteRecord { kind: Cow::Owned(kind.to_owned()), data: Cow::Owned(data) }),
            Err(fields) => RecordBody::Unknown { kind: kind.to_owned(), fields },
        }),
    }
}

/// The `data` of a note: a record of an unknown kind with only this field.
fn take_note_data(mut fields: Map<String, Value>) -> Result<Value, Map<String, Value>> {
    match fields.len() {
        1 => fields.shift_remove("data").ok_or(fields),
        _ => Err(fields),
    }
}
