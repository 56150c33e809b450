//! The writer's encoding of records, without the fields that depend on their position on the tape.

use std::cell::RefCell;

use pintle_contract::Redactor;

use crate::blobs::{BlobContent, ExtractedBlob, RecentLists, STRING_BYTES, may_contain_reference};
use crate::line::is_deep;
use crate::record::RecordBody;
use crate::write::EncodedFields;
use crate::write::line_encoder::blob_fields;

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
        // The first brace becomes the comma.
        let fields = fields.strip_prefix(b"{").unwrap_or(b"}");
        let text = if fields == b"}" {
            Self::encode_text(body.kind(), fields)
        } else {
            Self::encode_text(body.kind(), &[b",", fields].concat())
        };
        Self { text, blobs }
    }

    pub(super) fn encode_blob(blob: &ExtractedBlob) -> Self {
        let fields = match &blob.content {
            BlobContent::Value(value) => blob_fields(&blob.digest, "value", value),
            BlobContent::Parts(parts) => blob_fields(&blob.digest, "parts", parts),
            BlobContent::List(elements) => {
                blob_fields(&blob.digest, "parts", &RecentLists::default().write_parts(elements))
            }
        };
        let fields = fields.strip_prefix(b"{").unwrap_or_default();
        Self { text: Self::encode_text("blob", &[b",", fields].concat()), blobs: Vec::new() }
    }

    /// Joins the kind and the text after it.
    pub(super) fn encode_text(kind: &str, rest: &[u8]) -> Vec<u8> {
        let mut text = Vec::with_capacity(rest.len() + kind.len() + 12);
        push_kind(&mut text, kind);
        text.extend_from_slice(rest);
        text
    }

    /// The encoding of a record; `None` if `text` is that encoding.
    pub(super) fn reencode_if_different(body: &RecordBody<'_>, text: &[u8]) -> Option<Self> {
        if is_encoded_as(body, text) {
            return None;
        }
        let tail = Self::encode(body, None);
        (tail.text != text).then_some(tail)
    }
}

fn push_kind(text: &mut Vec<u8>, kind: &str) {
    text.extend_from_slice(b"\"kind\":");
    // Writing to memory cannot fail, and neither can writing a string as JSON.
    let _ = serde_json::to_writer(text, kind);
}

/// Whether `tail` is the encoding of a record that is too short to have large values. It is then equal to the result of
/// [`RecordTail::encode`], and nothing is allocated.
fn is_encoded_as(body: &RecordBody<'_>, tail: &[u8]) -> bool {
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
        let fields = text.get(start..).unwrap_or_default();
        text == tail && fields.len() < STRING_BYTES && !may_contain_reference(fields) && !is_deep(fields)
    })
}
