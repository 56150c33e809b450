//! Encodes records as lines of a tape: numbered, chained, redacted, and with large values moved to blobs.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use pintle_contract::{ListPrefix, Redactor, to_hex};
use serde_json::{Map, Value};

use crate::blobs::{
    BlobContent, BlobExtraction, ExtractedBlob, RecentLists, RecentTexts, SharedText, extract_blobs, name_of,
};
use crate::line::{self, DigestBytes, PackedFields, push_position, push_shared, push_tail};
use crate::record::RecordBody;
use crate::tree::TreeFrontier;
use crate::write::kept_records::KeptRecords;
use crate::write::line_buffer::LineBuffer;
use crate::write::long_arrays;

/// Encodes the lines of a tape. The same records in the same order give the same lines.
#[derive(Debug, Default)]
pub(super) struct LineEncoder {
    /// The number of the next line.
    pub(super) next_seq: u64,
    /// The digest of the last line.
    pub(super) prev: Option<String>,
    /// The digest of the first line, in hex.
    pub(super) header: Option<String>,
    /// The tree over the lines.
    pub(super) tree: TreeFrontier,
    /// The length of the last line, with its end.
    pub(super) last_line_bytes: u64,
    /// The digests of the blobs that were written.
    pub(super) known_blobs: BTreeSet<DigestBytes>,
    /// The last origin, as JSON text.
    pub(super) origin: Option<String>,
    pub(super) recent_lists: RecentLists,
    pub(super) recent_texts: RecentTexts,
    pub(super) line: LineBuffer,
    /// The records so far, if they are to be merged into another tape and are few. Those of lists are not kept, because
    /// their parts depend on the tape.
    pub(super) kept: Option<KeptRecords>,
}

/// One encoded line.
#[derive(Debug)]
pub(crate) struct EncodedLine<'a> {
    pub(crate) seq: u64,
    /// The digest of the previous line.
    pub(crate) prev: Option<String>,
    /// The line, with its end.
    pub(super) line: &'a LineBuffer,
}

/// The fields of a record in their written form, with the blobs.
///
/// They depend only on the record, so records can be prepared concurrently and written one after the other.
#[derive(Debug)]
pub(crate) struct EncodedFields {
    /// As written, and the blobs that they need.
    pub(crate) stored: BlobExtraction,
    /// The JSON text of the origin, if the record has one.
    pub(crate) origin: Option<String>,
    /// The fields without references to blobs, if something was redacted.
    pub(super) redacted: Option<Vec<u8>>,
}

impl EncodedFields {
    /// Encodes the fields of a record.
    pub(crate) fn new(body: &RecordBody<'_>, secrets: Option<&dyn Redactor>) -> io::Result<Self> {
        let PackedFields { text, is_packed } = line::pack_if_deep(line::encode_fields(body)?)?;
        let origin = line::encode_origin(body)?;
        let redacted_origin =
            secrets.zip(origin.as_ref()).and_then(|(secrets, origin)| redact_fields(secrets, origin.as_bytes()));
        let redacted = secrets.and_then(|secrets| redact_fields(secrets, &text));
        let redacted = redacted.or_else(|| redacted_origin.is_some().then(|| text.clone()));
        let origin = redacted_origin.and_then(|origin| String::from_utf8(origin).ok()).or(origin);
        let fields = Arc::new(redacted.clone().unwrap_or(text));
        // A header says how to read the rest, so it contains no references.
        let stays = is_packed || matches!(body, RecordBody::Header(_));
        let extraction = if stays { None } else { extract_blobs(&fields) };
        let stored =
            extraction.unwrap_or_else(|| BlobExtraction { text: Arc::unwrap_or_clone(fields), blobs: Vec::new() });
        Ok(Self { stored, origin, redacted })
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

    /// Encodes the line of a record, with the values that no line before has.
    ///
    /// # Errors
    /// When another value on the tape has the name of a new one.
    pub(super) fn add(&mut self, at_ms: u64, kind: &str, record: EncodedFields) -> io::Result<EncodedLine<'_>> {
        let EncodedFields { stored: BlobExtraction { text, blobs }, origin, .. } = record;
        let (mut new_blobs, mut new_values) = (Vec::new(), self.kept.is_some().then(Vec::new));
        for ExtractedBlob { digest, content } in blobs {
            let is_known = self.known_blobs.contains(&digest);
            let (field, content) = match content {
                BlobContent::List(list) => {
                    new_values = None;
                    ("parts", SharedText::from(self.recent_lists.add(list)))
                }
                BlobContent::Value(_) if is_known => continue,
                BlobContent::Value(value) => {
                    new_values.iter_mut().for_each(|values| values.push((digest, value.clone())));
                    match self.recent_texts.add(name_of(&digest), &value) {
                        Some(lines) => ("of", SharedText::from(lines)),
                        None => ("value", value),
                    }
                }
            };
            if !is_known {
                self.add_name(digest)?;
                new_blobs.push((field, content));
            }
        }
        let (seq, prev) = (self.next_seq, self.prev.take());
        let new_origin = origin.filter(|origin| self.origin.as_ref() != Some(origin));
        self.line.clear();
        push_position(self.line.as_mut(), seq, at_ms, prev.as_deref());
        push_shared(&mut self.line, new_origin.as_deref(), new_blobs, |line, (field, content)| {
            [b"{\"", field.as_bytes(), b"\":"].iter().for_each(|part| line.as_mut().extend_from_slice(part));
            line.push_value(content);
            line.as_mut().push(b'}');
        });
        push_tail(self.line.as_mut(), kind, &text);
        self.kept = self.kept.take().zip(new_values).and_then(|(mut kept, new_values)| {
            kept.add(at_ms, kind, text, new_origin.as_ref(), new_values).then_some(kept)
        });
        self.origin = new_origin.or_else(|| self.origin.take());
        let digest = self.line.digest();
        self.tree.push(&digest);
        self.prev = Some(to_hex(&digest));
        if seq == 0 {
            self.header.clone_from(&self.prev);
        }
        self.next_seq += 1;
        self.line.as_mut().push(b'\n');
        self.last_line_bytes = self.line.size_bytes() as u64;
        Ok(EncodedLine { seq, prev, line: &self.line })
    }

    /// Adds a value of the tape. Its name must be its own, because a reference has nothing else.
    fn add_name(&mut self, digest: DigestBytes) -> io::Result<()> {
        let name = name_of(&digest);
        let mut first = DigestBytes::default();
        first.iter_mut().zip(name).for_each(|(to, from)| *to = from);
        match self.known_blobs.range(first..).next() {
            Some(other) if name_of(other) == name => {
                Err(io::Error::other("two values have digests that begin in the same way"))
            }
            _ => {
                self.known_blobs.insert(digest);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pintle_contract::Origin;
    use serde_json::json;

    use super::*;
    use crate::record::{HostRecord, host::SessionRecord};

    #[test]
    fn value_with_the_name_of_another_one_is_not_written() {
        let text = "x".repeat(2_000);
        let body = RecordBody::Host(HostRecord::Session(SessionRecord {
            origin: std::borrow::Cow::Owned(Origin::default()),
            reopen_data: std::borrow::Cow::Owned(json!({ "text": text })),
        }));
        let digest = line::digest_bytes(&serde_json::to_vec(&text).unwrap());
        for (index, is_refused) in [(31, true), (16, true), (15, false)] {
            let mut other = digest;
            other[index] ^= 1;
            let mut lines = LineEncoder { known_blobs: [other].into_iter().collect(), ..LineEncoder::default() };
            let encoded = lines.encode(&body, None, None).unwrap();
            assert_eq!(lines.add(0, "session", encoded).is_err(), is_refused, "byte {index}");
        }
    }
}
