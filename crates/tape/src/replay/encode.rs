//! The writer's encoding of records, without the fields that depend on their position on the tape.

use std::cell::RefCell;

use pintle_contract::Redactor;

use crate::blobs::{
    BlobContent, BlobExtraction, ExtractedBlob, LineBlob, RecentLists, STRING_BYTES, encode_blob,
    may_contain_reference, name_of,
};
use crate::line::{is_deep, push_tail};
use crate::record::RecordBody;
use crate::write::EncodedFields;

/// A line from its kind on, with what it may need before that.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RecordTail {
    pub(super) text: Vec<u8>,
    /// The JSON text of its origin, if it has one.
    pub(super) origin: Option<String>,
    /// Its large values.
    pub(super) blobs: Vec<ExtractedBlob>,
}

impl RecordTail {
    /// Encodes a record and redacts secrets in it.
    pub(super) fn encode(body: &RecordBody<'_>, secrets: Option<&dyn Redactor>) -> Self {
        // Records consist of JSON values, which can always be written as JSON.
        let Ok(prepared) = EncodedFields::new(body, secrets) else { return Self::default() };
        let BlobExtraction { text, blobs } = prepared.stored;
        Self { text: encode_tail(body.kind(), &text), origin: prepared.origin, blobs }
    }

    /// Its large values as a tape has them that has none of them.
    pub(super) fn encode_blobs(&self) -> impl Iterator<Item = LineBlob> + '_ {
        self.blobs.iter().map(|blob| {
            let text = match &blob.content {
                BlobContent::Value(value) => encode_blob("value", value),
                BlobContent::List(list) => encode_blob("parts", &RecentLists::default().add(list.clone())),
            };
            LineBlob { name: name_of(&blob.digest), text }
        })
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

fn encode_tail(kind: &str, fields: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(fields.len() + kind.len() + 12);
    push_tail(&mut text, kind, fields);
    text
}

/// Whether a record without large values has this encoding.
pub(super) fn is_encoded_as(body: &RecordBody<'_>, tail: &[u8]) -> bool {
    let kind = tail.strip_prefix(b"\"kind\":\"").and_then(|tail| tail.strip_prefix(body.kind().as_bytes()));
    kind.and_then(|tail| tail.strip_prefix(b"\"")).is_some_and(|fields| has_fields(body, fields))
}

/// Whether a record without large values has these fields, each after a comma.
pub(super) fn has_fields(body: &RecordBody<'_>, fields: &[u8]) -> bool {
    with_fields(body, |text| text.get(1..) == fields.get(1..) && fields.starts_with(b","))
}

/// Whether a record that has no value in its last field is encoded so up to that field.
pub(super) fn begins_as(body: &RecordBody<'_>, tail: &[u8]) -> bool {
    let kind = tail.strip_prefix(b"\"kind\":\"").and_then(|tail| tail.strip_prefix(body.kind().as_bytes()));
    let Some(fields) = kind.and_then(|tail| tail.strip_prefix(b"\",")) else { return false };
    with_fields(body, |text| {
        let before = text.strip_suffix(b"null}").and_then(|text| text.strip_prefix(b"{"));
        before.is_some_and(|before| fields.starts_with(before))
    })
}

/// Passes the fields of a record as a JSON object. Nothing is allocated.
fn with_fields(body: &RecordBody<'_>, check: impl FnOnce(&[u8]) -> bool) -> bool {
    thread_local! {
        static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    TEXT.with_borrow_mut(|text| {
        text.clear();
        body.push_fields(text).is_ok() && check(text)
    })
}
