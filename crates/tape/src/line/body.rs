//! Encodes and decodes the fields of each record kind.

use std::borrow::Cow;
use std::cell::RefCell;

use pintle_contract::{estimate_json_bytes, write_json};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::record::{ARGUMENTS, HostRecord, NoteRecord, RecordBody, has_origin};

/// The origin of a record as JSON text, if its kind has one.
pub(crate) fn encode_origin(body: &RecordBody<'_>) -> Result<Option<String>, serde_json::Error> {
    body.origin().map(serde_json::to_string).transpose()
}

/// What is written for a field of a payload that is left out.
pub(crate) const PLACEHOLDER: &[u8] = b"null";

/// The fields of a body as JSON text without its origin, before anything is packed or moved to blobs.
pub(crate) fn encode_fields(body: &RecordBody<'_>) -> Result<Vec<u8>, serde_json::Error> {
    if body.computes(ARGUMENTS)
        && let Some(payload) = payload_of(body)
    {
        return encode_fields_without(body, payload, |_, _, _| false);
    }
    let mut text = Vec::with_capacity(128);
    body.push_fields(&mut text)?;
    Ok(text)
}

/// The fields of a body with a payload, without what a reader computes and without the fields of the payload for which
/// `leaves_out` returns true. It receives the text so far, the name and the value.
pub(crate) fn encode_fields_without<'p>(
    body: &RecordBody<'_>,
    (name, payload): (&str, &'p Map<String, Value>),
    mut leaves_out: impl FnMut(&[u8], &'p str, &'p Value) -> bool,
) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = Vec::with_capacity(128);
    without_payload(body).push_fields(&mut text)?;
    // The payload is the last field, and the closing brace follows it.
    let absent = format!(",\"{name}\":null}}");
    let end = text.strip_suffix(absent.as_bytes()).or_else(|| text.strip_suffix(b"}")).map_or(text.len(), <[u8]>::len);
    text.truncate(end);
    text.extend_from_slice(format!(",\"{name}\":{{").as_bytes());
    let counted = payload.iter().filter(|(name, value)| !value.is_array() && !body.computes(name));
    text.reserve(counted.map(|(name, value)| name.len() + estimate_json_bytes(value)).sum());
    for (index, (name, value)) in payload.iter().enumerate() {
        text.extend_from_slice(if index > 0 { b"," } else { b"" });
        serde_json::to_writer(&mut text, name)?;
        text.push(b':');
        if body.computes(name) || leaves_out(&text, name, value) {
            text.extend_from_slice(PLACEHOLDER);
        } else {
            write_json(&mut text, value).map_err(serde_json::Error::io)?;
        }
    }
    text.extend_from_slice(b"}}");
    Ok(text)
}

/// The payload of a record if it is an object, and the name of its field.
pub(crate) fn payload_of<'b>(body: &'b RecordBody<'_>) -> Option<(&'static str, &'b Map<String, Value>)> {
    let (name, payload) = match body {
        RecordBody::Event(fired) => ("payload", &*fired.payload),
        RecordBody::HookCall(call) => ("value", call.value.as_deref()?),
        RecordBody::Outcome(outcome) => ("value", outcome.value.as_deref()?),
        RecordBody::Host(HostRecord::ModelRequest(request)) => ("payload", request.payload.as_deref()?),
        _ => return None,
    };
    Some((name, payload.as_object()?))
}

/// The record without its payload.
fn without_payload<'b>(body: &'b RecordBody<'_>) -> RecordBody<'b> {
    if let RecordBody::Event(fired) = body {
        return RecordBody::Event(fired.with_payload(Cow::Owned(Value::Null)));
    }
    let mut body = body.clone();
    match &mut body {
        RecordBody::HookCall(call) => call.value = None,
        RecordBody::Outcome(outcome) => outcome.value = None,
        RecordBody::Host(HostRecord::ModelRequest(request)) => request.payload = None,
        _ => {}
    }
    body
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
