//! Records as the writer spells them, without what places them on a tape.

use std::cell::RefCell;

use pintle_contract::Redactor;

use crate::blobs::{STRING_BYTES, may_refer};
use crate::line::{is_deep, push_fields};
use crate::record::Body;
use crate::write::Prepared;

/// A line from its kind on, and what is written before it where it is not on the tape yet.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tail {
    pub(super) text: Vec<u8>,
    /// Digests and JSON texts of what is large in it.
    pub(super) blobs: Vec<(String, Vec<u8>)>,
}

impl Tail {
    /// Spells a record, in which secrets are taken out of sight.
    pub(super) fn of(body: &Body<'_>, secrets: Option<&dyn Redactor>) -> Self {
        // Records are made of JSON values, which have a JSON text.
        let Ok(prepared) = Prepared::new(body, secrets) else { return Self::default() };
        let (fields, blobs) = prepared.into_stored();
        // The first brace becomes the comma.
        let fields = fields.strip_prefix(b"{").unwrap_or(b"}");
        let text = if fields == b"}" {
            Self::text(body.kind(), fields)
        } else {
            Self::text(body.kind(), &[b",", fields].concat())
        };
        Self { text, blobs }
    }

    /// Spells a blob.
    pub(super) fn of_blob(digest: &str, value: &[u8]) -> Self {
        let mut fields = format!(",\"digest\":\"{digest}\",\"value\":").into_bytes();
        fields.extend_from_slice(value);
        fields.push(b'}');
        Self { text: Self::text("blob", &fields), blobs: Vec::new() }
    }

    /// The text of a kind and what follows it.
    pub(super) fn text(kind: &str, rest: &[u8]) -> Vec<u8> {
        let mut text = Vec::with_capacity(rest.len() + kind.len() + 12);
        push_kind(&mut text, kind);
        text.extend_from_slice(rest);
        text
    }

    /// How a record is spelled where that is not like this.
    pub(super) fn other(body: &Body<'_>, text: &[u8]) -> Option<Self> {
        if is_plainly(body, text) {
            return None;
        }
        let tail = Self::of(body, None);
        (tail.text != text).then_some(tail)
    }
}

fn push_kind(text: &mut Vec<u8>, kind: &str) {
    text.extend_from_slice(b"\"kind\":");
    // Writing to memory does not fail, nor does writing text as JSON.
    let _ = serde_json::to_writer(text, kind);
}

/// Whether a record is spelled like this, and is so short that nothing in it can be large. It is the same as [`Tail::of`]
/// gives then, and nothing is allocated.
fn is_plainly(body: &Body<'_>, tail: &[u8]) -> bool {
    thread_local! {
        static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    TEXT.with_borrow_mut(|text| {
        text.clear();
        push_kind(text, body.kind());
        let start = text.len();
        if push_fields(text, body).is_err() {
            return false;
        }
        // The first brace becomes the comma.
        if let Some(brace) = text.get_mut(start) {
            *brace = b',';
        }
        let fields = text.get(start..).unwrap_or_default();
        text == tail && fields.len() < STRING_BYTES && !may_refer(fields) && !is_deep(fields)
    })
}
