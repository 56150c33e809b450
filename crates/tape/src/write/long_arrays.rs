//! Encodes records with long arrays, such as the messages of a model request, at the cost of what is new in them.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use pintle_contract::{ListPrefix, Redactor, estimate_json_bytes};
use serde_json::{Map, Value};

use super::line_encoder::{EncodedFields, redact_fields};
use crate::blobs::{BlobExtractor, FEW_ELEMENTS, RecentLists};
use crate::line::{encode_fields, encode_origin, is_deep};
use crate::record::{HostRecord, RecordBody};

/// The field whose list the host knows.
const MESSAGES: &str = "messages";
/// What is written for a long array until it is encoded.
const PLACEHOLDER: &[u8] = b"null";
/// The depth of the elements of an array in a field of a payload.
const ELEMENT_DEPTH: usize = 3;

/// Encodes a record whose payload has long arrays and contains no secret. `None` for any other record.
pub(super) fn encode(
    recent_lists: &mut RecentLists,
    body: &RecordBody<'_>,
    prefix: Option<ListPrefix>,
    secrets: Option<&dyn Redactor>,
) -> io::Result<Option<EncodedFields>> {
    recent_lists.begin_record();
    let mut continued = prefix.and_then(|prefix| recent_lists.take_continued(prefix.list, prefix.count));
    let Some((name, payload)) = payload_of(body).filter(|(_, payload)| payload.values().any(is_long)) else {
        return Ok(None);
    };
    let mut text = encode_fields(&without_payload(body))?;
    // The payload is the last field, and the closing brace follows it.
    let absent = format!(",\"{name}\":null}}");
    let end = text.strip_suffix(absent.as_bytes()).or_else(|| text.strip_suffix(b"}")).map_or(text.len(), <[u8]>::len);
    text.truncate(end);
    text.extend_from_slice(format!(",\"{name}\":{{").as_bytes());
    let others = payload.iter().filter(|(_, value)| !is_long(value));
    text.reserve(others.map(|(name, value)| name.len() + estimate_json_bytes(value)).sum());
    let mut arrays = Vec::new();
    for (index, (name, value)) in payload.iter().enumerate() {
        text.extend_from_slice(if index > 0 { b"," } else { b"" });
        serde_json::to_writer(&mut text, name)?;
        text.push(b':');
        match value {
            Value::Array(items) if is_long(value) => {
                arrays.push((text.len(), name, items));
                text.extend_from_slice(PLACEHOLDER);
            }
            _ => serde_json::to_writer(&mut text, value)?,
        }
    }
    text.extend_from_slice(b"}}");
    let origin = encode_origin(body)?;
    let has_secret = |text: &[u8]| secrets.is_some_and(|secrets| redact_fields(secrets, text).is_some());
    if is_deep(&text, 0) || has_secret(&text) || origin.as_ref().is_some_and(|origin| has_secret(origin.as_bytes())) {
        return Ok(None);
    }
    let mut extractor = BlobExtractor::default();
    let (text, mut start) = (Arc::new(text), 0);
    for (end, name, items) in arrays {
        extractor.push_shared(&text, start..end);
        start = end + PLACEHOLDER.len();
        let growing = prefix.filter(|_| name == MESSAGES).map(|prefix| (prefix.list, continued.take()));
        if recent_lists.push_array(&mut extractor, (items, ELEMENT_DEPTH), growing, secrets).is_none() {
            return Ok(None);
        }
    }
    extractor.push_shared(&text, start..text.len());
    Ok(extractor.finish().map(|stored| EncodedFields { stored, origin, redacted: None }))
}

/// The payload of a record if it is an object, and the name of its field.
fn payload_of<'b>(body: &'b RecordBody<'_>) -> Option<(&'static str, &'b Map<String, Value>)> {
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
    let mut body = body.clone();
    match &mut body {
        RecordBody::Event(fired) => fired.payload = Cow::Owned(Value::Null),
        RecordBody::HookCall(call) => call.value = None,
        RecordBody::Outcome(outcome) => outcome.value = None,
        RecordBody::Host(HostRecord::ModelRequest(request)) => request.payload = None,
        _ => {}
    }
    body
}

fn is_long(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.len() >= FEW_ELEMENTS)
}
