//! Encodes records as lines of a tape: numbered, chained, redacted, and with large values moved to blobs.

use std::collections::HashSet;
use std::io;

use pintle_contract::Redactor;
use serde_json::{Map, Value};

use crate::blobs::{self, BlobContent, BlobExtraction, ExtractedBlob, RecentLists, blob_fields};
use crate::line::{self, PackedFields, digest_hex, push_line};
use crate::record::RecordBody;
use crate::write::{ListPrefix, long_arrays};

/// Encodes the lines of a tape. The same records in the same order give the same lines.
#[derive(Debug, Default)]
pub(crate) struct LineEncoder {
    next_seq: u64,
    prev: Option<String>,
    /// The digests of the blobs that were written.
    known_blobs: HashSet<String>,
    recent_lists: RecentLists,
    last_line_bytes: u64,
    line: Vec<u8>,
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
    /// The redacted fields, without references to blobs.
    text: Vec<u8>,
    is_redacted: bool,
    extraction: Option<BlobExtraction>,
}

impl EncodedFields {
    /// Encodes the fields of a record.
    pub(crate) fn new(body: &RecordBody<'_>, secrets: Option<&dyn Redactor>) -> io::Result<Self> {
        let PackedFields { text, is_packed } = line::pack_if_deep(line::encode_fields(body)?)?;
        let clean = secrets.and_then(|secrets| redact_fields(secrets, &text));
        let is_clean = clean.is_some();
        let text = clean.unwrap_or(text);
        // A header says how to read the rest, so it contains no references.
        let stays = is_packed || matches!(body, RecordBody::Header(_) | RecordBody::Blob(_));
        let cut = if stays { None } else { blobs::extract_blobs(&text) };
        Ok(Self { text, is_redacted: is_clean, extraction: cut })
    }

    /// The fields as written in the record's own line.
    pub(crate) fn stored_fields(&self) -> &[u8] {
        self.extraction.as_ref().map_or(&self.text, |cut| &cut.text)
    }

    /// Fields whose blobs are already known.
    pub(super) fn from_extraction(extraction: BlobExtraction) -> Self {
        Self { text: Vec::new(), is_redacted: false, extraction: Some(extraction) }
    }

    /// The fields as written, and the blobs.
    pub(crate) fn into_stored_fields(self) -> (Vec<u8>, Vec<ExtractedBlob>) {
        match self.extraction {
            Some(BlobExtraction { text, blobs }) => (text, blobs),
            None => (self.text, Vec::new()),
        }
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
    /// Continues after the lines of a tape.
    pub(crate) fn resume_after(next_seq: u64, prev: Option<String>, known: HashSet<String>) -> Self {
        Self { next_seq, prev, known_blobs: known, ..Self::default() }
    }

    /// Sets the last lists of the tape.
    pub(crate) fn with_recent_lists(self, recent_lists: RecentLists) -> Self {
        Self { recent_lists, ..self }
    }

    /// Encodes the fields of the next record. Of an array that grew, only what it grew by is encoded. `prefix` is what
    /// the host knows about its messages.
    pub(crate) fn encode(
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

    /// Forgets what was written without redacting secrets.
    pub(super) fn forget_unredacted(&mut self) {
        self.recent_lists.forget_values();
    }

    /// Sets the length of the previous line, with its end.
    pub(crate) fn with_last_line_len(self, last_line_bytes: u64) -> Self {
        Self { last_line_bytes, ..self }
    }

    /// The length of the last line, with its end.
    pub(crate) fn last_line_bytes(&self) -> u64 {
        self.last_line_bytes
    }

    /// The digest of the last line.
    pub(crate) fn prev(&self) -> Option<&str> {
        self.prev.as_deref()
    }

    /// The digests of the written blobs, sorted.
    pub(crate) fn known_blobs(&self) -> Vec<String> {
        let mut known: Vec<String> = self.known_blobs.iter().cloned().collect();
        known.sort_unstable();
        known
    }

    /// The number of the next line.
    pub(crate) fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// Encodes the line of a record, preceded by the lines of its new blobs. Each line is passed on before the next one
    /// is encoded.
    pub(crate) fn add(
        &mut self,
        at_ms: u64,
        kind: &str,
        record: EncodedFields,
        mut each: impl FnMut(EncodedLine<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let EncodedFields { text, is_redacted, extraction } = record;
        let source = if is_redacted { LineSource::Redacted(&text) } else { LineSource::Record };
        let Some(BlobExtraction { text: short, blobs }) = extraction else {
            return self.encode_line(at_ms, kind, &text, source, &mut each);
        };
        for ExtractedBlob { digest, content } in blobs {
            let (name, content) = match content {
                BlobContent::Value(value) => ("value", value),
                BlobContent::List(list) => ("parts", self.recent_lists.add(list)),
            };
            if !self.known_blobs.contains(&digest) {
                let fields = blob_fields(&digest, name, &content);
                self.known_blobs.insert(digest);
                self.encode_line(at_ms, "blob", &fields, LineSource::Blob, &mut each)?;
            }
        }
        self.encode_line(at_ms, kind, &short, source, &mut each)
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
