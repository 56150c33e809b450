//! The writer's encoding of records, without the fields that depend on their position on the tape.

use std::cell::RefCell;

use pintle_contract::Redactor;

use crate::blobs::{BlobContent, ExtractedBlob, RecentLists, STRING_BYTES, blob_fields, may_contain_reference};
use crate::line::is_deep;
use crate::record::RecordBody;
use crate::write::EncodedFields;

/// A line from its kind on, and the blobs that the tape must have before it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RecordTail {
    pub(super) text: Vec<u8>,
    /// Its large values.
    pub(super) blobs: Vec<ExtractedBlob>,
}

impl RecordTail {
    /// Encodes a record and redacts secrets in it.
    pub(super) fn encode(body: &RecordBody<'_>, secrets: Option<&dyn Redactor>) -> Self {
        // Records consist of JSON values, which can always be written as JSON.
        let Ok(prepared) = EncodedFields::new(body, secrets) else { return Self::default() };
        let (fields, blobs) = prepared.into_stored_fields();
        Self { text: encode_tail(body.kind(), &fields), blobs }
    }

    pub(super) fn encode_blob(blob: &ExtractedBlob) -> Self {
        let fields = match &blob.content {
            BlobContent::Value(value) => blob_fields(&blob.digest, "value", value),
            BlobContent::List(list) => blob_fields(&blob.digest, "parts", &RecentLists::default().add(list.clone())),
        };
        Self { text: encode_tail("blob", &fields), blobs: Vec::new() }
    }

    /// The encoding of a record; `None` if `tail` is that encoding.
    pub(super) fn reencode_if_different(body: &RecordBody<'_>, tail: &[u8]) -> Option<Self> {
        // A short record has no large values.
        let is_plain = tail.len() < STRING_BYTES && !may_contain_reference(tail) && !is_deep(tail, 1);
        if is_plain && is_encoded_as(body, tail) {
            return None;
        }
        let encoded = Self::encode(body, None);
        (encoded.text != tail).then_some(encoded)
    }
}

/// Joins a kind and the object of its fields.
fn encode_tail(kind: &str, fields: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(fields.len() + kind.len() + 12);
    push_kind(&mut text, kind);
    // The first brace becomes the comma.
    let fields = fields.strip_prefix(b"{").unwrap_or(b"}");
    text.extend_from_slice(if fields == b"}" { b"" } else { b"," });
    text.extend_from_slice(fields);
    text
}

fn push_kind(text: &mut Vec<u8>, kind: &str) {
    text.extend_from_slice(b"\"kind\":");
    // Writing to memory cannot fail, and neither can writing a string as JSON.
    let _ = serde_json::to_writer(text, kind);
}

/// Whether a record without large values has this encoding. Nothing is allocated.
pub(super) fn is_encoded_as(body: &RecordBody<'_>, tail: &[u8]) -> bool {
    thread_local! {
        static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    TEXT.with_borrow_mut(|text| {
        text.clear();
        push_kind(text, body.kind());
        let start = text.len();
        if body.push_fields(text).is_err() {
            return false;
        }
        // The first brace becomes the comma.
        if let Some(brace) = text.get_mut(start) {
            *brace = b',';
        }
        text == tail
    })
}
