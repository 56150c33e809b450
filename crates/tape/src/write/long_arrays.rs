//! Encodes records with long arrays, such as the messages of a model request, at the cost of what is new in them.

use std::io;
use std::sync::Arc;

use pintle_contract::{ListPrefix, Redactor};
use serde_json::Value;

use super::line_encoder::{EncodedFields, redact_fields};
use crate::blobs::{BlobExtractor, FEW_ELEMENTS, RecentLists};
use crate::line::{PLACEHOLDER, encode_fields_without, encode_origin, is_deep, payload_of};
use crate::record::RecordBody;

/// The field whose list the host knows.
const MESSAGES: &str = "messages";
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
    let mut arrays = Vec::new();
    let text = encode_fields_without(body, (name, payload), |text, name, value| {
        let array = value.as_array().filter(|_| is_long(value));
        arrays.extend(array.map(|items| (text.len(), name, items)));
        array.is_some()
    })?;
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

fn is_long(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.len() >= FEW_ELEMENTS)
}
