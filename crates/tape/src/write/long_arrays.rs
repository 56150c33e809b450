//! Encodes records with long arrays, such as the messages of a model request, at the cost of what is new in them.

use std::borrow::Cow;
use std::io;
use std::ops::Range;

use pintle_contract::Redactor;
use serde_json::Value;

use super::ListPrefix;
use super::line_encoder::EncodedFields;
use crate::blobs::{
    BlobExtraction, ExtractedBlob, FEW_ELEMENTS, RecentLists, WrittenArray, extract_around, push_reference,
};
use crate::line::{encode_fields, is_deep};
use crate::record::{HostRecord, RecordBody};
use crate::redact::{is_clean, redact_fields};

/// The field whose list the host knows.
const MESSAGES: &str = "messages";

/// The depth of an array in a field of a payload.
const DEPTH: usize = 2;

/// A value as JSON text, with the places of references in it.
struct ValueText<'l> {
    text: Vec<u8>,
    references: Vec<Range<usize>>,
    blobs: Vec<ExtractedBlob>,
    recent_lists: &'l mut RecentLists,
    prefix: Option<ListPrefix>,
    secrets: Option<&'l dyn Redactor>,
}

/// Encodes a record whose payload has long arrays and contains no secret. `None` for any other record.
pub(super) fn encode(
    recent_lists: &mut RecentLists,
    body: &RecordBody<'_>,
    prefix: Option<ListPrefix>,
    secrets: Option<&dyn Redactor>,
) -> io::Result<Option<EncodedFields>> {
    let Some((name, payload)) = payload_of(body).filter(|(_, payload)| has_long_array(payload)) else {
        return Ok(None);
    };
    let mut text = encode_fields(&without_payload(body))?;
    let has_secret = |secrets| redact_fields(secrets, &text).is_some() || !is_rest_clean(secrets, payload);
    if secrets.is_some_and(has_secret) {
        return Ok(None);
    }
    // The payload is the last field, and the closing brace follows it.
    let absent = format!(",\"{name}\":null}}");
    let end = text.strip_suffix(absent.as_bytes()).or_else(|| text.strip_suffix(b"}")).map_or(text.len(), <[u8]>::len);
    text.truncate(end);
    text.extend_from_slice(format!(",\"{name}\":").as_bytes());
    recent_lists.begin_record();
    let mut written = ValueText { text, references: Vec::new(), blobs: Vec::new(), recent_lists, prefix, secrets };
    let is_whole = written.push_payload(payload)?;
    let ValueText { mut text, references, mut blobs, recent_lists, .. } = written;
    text.push(b'}');
    if !is_whole || references.is_empty() || is_deep(&text) {
        recent_lists.take_record_back();
        return Ok(None);
    }
    recent_lists.keep_record();
    if let Some(extraction) = extract_around(&text, &references) {
        blobs.extend(extraction.blobs);
        text = extraction.text;
    }
    Ok(Some(EncodedFields::from_extraction(BlobExtraction { text, blobs })))
}

/// Whether the fields of a payload without its long arrays contain no secret, nor their names.
fn is_rest_clean(secrets: &dyn Redactor, payload: &Value) -> bool {
    let rest = |value| if is_long(value) { &Value::Null } else { value };
    let fields = payload.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), rest(value)));
    is_clean(secrets, &fields.collect())
}

impl ValueText<'_> {
    /// Appends a payload. Returns whether it can be written like this.
    fn push_payload(&mut self, payload: &Value) -> io::Result<bool> {
        let Value::Object(fields) = payload else {
            serde_json::to_writer(&mut self.text, payload)?;
            return Ok(true);
        };
        for (index, (name, value)) in fields.iter().enumerate() {
            self.text.push(if index == 0 { b'{' } else { b',' });
            serde_json::to_writer(&mut self.text, name)?;
            self.text.push(b':');
            let prefix = self.prefix.filter(|_| name == MESSAGES);
            let written = match value {
                Value::Array(items) if is_long(value) => {
                    self.recent_lists.write_array(items, DEPTH + 1, prefix, self.secrets)
                }
                _ => WrittenArray::Inline,
            };
            match written {
                WrittenArray::Otherwise => return Ok(false),
                WrittenArray::Inline => {
                    if let Some(prefix) = prefix {
                        self.recent_lists.forget_continued(prefix);
                    }
                    serde_json::to_writer(&mut self.text, value)?;
                }
                WrittenArray::Blobs(blobs) => {
                    let start = self.text.len();
                    if let Some(list) = blobs.last() {
                        push_reference(&mut self.text, &list.digest);
                    }
                    self.references.push(start..self.text.len());
                    self.blobs.extend(blobs);
                }
            }
        }
        self.text.extend_from_slice(if fields.is_empty() { b"{}" } else { b"}" });
        Ok(true)
    }
}

/// The payload of a record, and the name of its field.
fn payload_of<'b>(body: &'b RecordBody<'_>) -> Option<(&'static str, &'b Value)> {
    match body {
        RecordBody::Event(fired) => Some(("payload", &*fired.payload)),
        RecordBody::HookCall(call) => Some(("value", call.value.as_deref()?)),
        RecordBody::Outcome(outcome) => Some(("value", outcome.value.as_deref()?)),
        RecordBody::Host(HostRecord::ModelRequest(request)) => Some(("payload", request.payload.as_deref()?)),
        _ => None,
    }
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

fn has_long_array(payload: &Value) -> bool {
    payload.as_object().is_some_and(|fields| fields.values().any(is_long))
}
