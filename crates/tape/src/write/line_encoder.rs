//! Encodes records as lines of a tape: numbered, chained, redacted, and with large values moved to blobs.

use std::collections::BTreeSet;
use std::io;

use pintle_contract::{ListPrefix, Redactor};
use serde_json::{Map, Value};

use crate::blobs::{BlobContent, BlobExtraction, ExtractedBlob, RecentLists, RecentTexts, blob_fields, extract_blobs};
use crate::line::{self, PackedFields, digest_hex, push_line};
use crate::record::RecordBody;
use crate::write::long_arrays;

/// Encodes the lines of a tape. The same records in the same order give the same lines.
#[derive(Debug, Default)]
pub(super) struct LineEncoder {
    /// The number of the next line.
    pub(super) next_seq: u64,
    /// The digest of the last line.
    pub(super) prev: Option<String>,
    /// The length of the last line, with its end.
    pub(super) last_line_bytes: u64,
    /// The digests of the blobs that were written.
    pub(super) known_blobs: BTreeSet<String>,
    pub(super) recent_lists: RecentLists,
    pub(super) recent_texts: RecentTexts,
    pub(super) line: Vec<u8>,
}

/// One encoded line.
#[derive(Debug)]
pub(crate) struct EncodedLine<'a> {
    pub(crate) seq: u64,
    /// The digest of the previous line.
    pub(crate) prev: Option<&'a str>,
    /// The line, with its end.
    pub(crate) line: &'a [u8],
    pub(crate) source: LineSource<'a>,
}

/// What a line encodes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LineSource<'a> {
    /// The record as it was given.
    Record,
    /// The redacted record: its fields, without references to blobs.
    Redacted(&'a [u8]),
    /// A blob for the record after it.
    Blob,
}

/// The fields of a record in their written form, with the blobs.
///
/// They depend only on the record, so records can be prepared concurrently and written one after the other.
#[derive(Debug)]
pub(crate) struct EncodedFields {
    /// As written in the record's own line, and the blobs before it.
    pub(crate) stored: BlobExtraction,
    /// Without references to blobs, if something was redacted.
    redacted: Option<Vec<u8>>,
}

impl EncodedFields {
    /// Encodes the fields of a record.
    pub(crate) fn new(body: &RecordBody<'_>, secrets: Option<&dyn Redactor>) -> io::Result<Self> {
        let PackedFields { text, is_packed } = line::pack_if_deep(line::encode_fields(body)?)?;
        let redacted = secrets.and_then(|secrets| redact_fields(secrets, &text));
        let fields = redacted.as_ref().unwrap_or(&text);
        // A header says how to read the rest, so it contains no references.
        let stays = is_packed || matches!(body, RecordBody::Header(_) | RecordBody::Blob(_));
        let extraction = if stays { None } else { extract_blobs(fields) };
        let stored = match (extraction, &redacted) {
            (Some(stored), _) => stored,
            (None, Some(redacted)) => BlobExtraction { text: redacted.clone(), blobs: Vec::new() },
            (None, None) => BlobExtraction { text, blobs: Vec::new() },
        };
        Ok(Self { stored, redacted })
    }
}

impl From<BlobExtraction> for EncodedFields {
    fn from(stored: BlobExtraction) -> Self {
        Self { stored, redacted: None }
    }
}

/// The fields of a record with secrets redacted; `None` if there are none.
///
/// Strings are searched as they are, including strings that contain JSON. The fields are only parsed if something in
/// them looks like a secret.
pub(super) fn redact_fields(secrets: &dyn Redactor, text: &[u8]) -> Option<Vec<u8>> {
    if !secrets.may_contain_secret(std::str::from_utf8(text).ok()?) {
        return None;
    }
    let fields: Map<String, Value> = serde_json::from_slice(text).ok()?;
    serde_json::to_vec(&secrets.redact_fields(&fields)?).ok()
}

impl LineEncoder {
    /// Encodes the fields of the next record. Of an array that grew, only what it grew by is encoded. `prefix` is what
    /// the host knows about its messages.
    pub(super) fn encode(
        &mut self,
        body: &RecordBody<'_>,
        secrets: Option<&dyn Redactor>,
        prefix: Option<ListPrefix>,
    ) -> io::Result<EncodedFields> {
        match long_arrays::encode(&mut self.recent_lists, body, prefix, secrets)? {
            Some(encoded) => Ok(encoded),
            None => EncodedFields::new(body, secrets),
        }
    }

    /// Encodes the line of a record, preceded by the lines of its new blobs. Each line is passed on before the next one
    /// is encoded.
    pub(super) fn add(
        &mut self,
        at_ms: u64,
        kind: &str,
        record: EncodedFields,
        mut each: impl FnMut(EncodedLine<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let EncodedFields { stored: BlobExtraction { text, blobs }, redacted } = record;
        for ExtractedBlob { digest, content } in blobs {
            let is_known = self.known_blobs.contains(&digest);
            let (name, content) = match content {
                BlobContent::List(list) => ("parts", self.recent_lists.add(list)),
                BlobContent::Value(value) if is_known => ("value", value),
                BlobContent::Value(value) => match self.recent_texts.add(&digest, &value) {
                    Some(lines) => ("of", lines),
                    None => ("value", value),
                },
            };
            if !is_known {
                let fields = blob_fields(&digest, name, &content);
                self.known_blobs.insert(digest);
                self.encode_line(at_ms, "blob", &fields, LineSource::Blob, &mut each)?;
            }
        }
        let source = redacted.as_ref().map_or(LineSource::Record, |redacted| LineSource::Redacted(redacted));
        self.encode_line(at_ms, kind, &text, source, &mut each)
    }

    fn encode_line(
        &mut self,
        at_ms: u64,
        kind: &str,
        fields: &[u8],
        source: LineSource<'_>,
        each: &mut impl FnMut(EncodedLine<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let (seq, prev) = (self.next_seq, self.prev.take());
        self.line.clear();
        push_line(&mut self.line, seq, at_ms, prev.as_deref(), kind, fields);
        self.prev = Some(digest_hex(&self.line));
        self.next_seq += 1;
        self.line.push(b'\n');
        self.last_line_bytes = self.line.len() as u64;
        each(EncodedLine { seq, prev: prev.as_deref(), line: &self.line, source })
    }
}
