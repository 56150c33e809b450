//! Records as the writer spells them, without what places them on a tape.

use pintle_contract::Redact;

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
    pub(super) fn of(body: &Body<'_>, secrets: Option<&dyn Redact>) -> Self {
        let mut tail = Self::default();
        // Records are made of JSON values, which have a JSON text.
        if let Ok(prepared) = Prepared::new(body, secrets) {
            let (text, blobs) = prepared.into_stored();
            tail.push(body.kind(), &text);
            tail.blobs = blobs;
        }
        tail
    }

    /// Spells a blob.
    pub(super) fn of_blob(digest: &str, value: &[u8]) -> Self {
        let mut fields = format!("{{\"digest\":\"{digest}\",\"value\":").into_bytes();
        fields.extend_from_slice(value);
        fields.push(b'}');
        let mut tail = Self::default();
        tail.push("blob", &fields);
        tail
    }

    fn push(&mut self, kind: &str, fields: &[u8]) {
        self.text.reserve(fields.len() + kind.len() + 12);
        self.text.extend_from_slice(b"\"kind\":");
        // Writing to memory does not fail, nor does writing text as JSON.
        let _ = serde_json::to_writer(&mut self.text, kind);
        let fields = fields.strip_prefix(b"{").unwrap_or(b"}");
        if fields != b"}" {
            self.text.push(b',');
        }
        self.text.extend_from_slice(fields);
    }
}
