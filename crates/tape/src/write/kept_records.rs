//! The records of a branch in memory: its own process merges them without reading the file again.

use crate::blobs::{BlobContent, BlobStore, ExtractedBlob, SharedText};
use crate::line::{DigestBytes, from_fields, json_error_text, parse_typed};
use crate::record::RecordBody;

/// The maximum size of the records that are kept. A branch with more is read from its file.
const MOST_KEPT_BYTES: usize = 4 << 20;

/// A large value with its digest.
pub(super) type KeptValue = (DigestBytes, SharedText);

/// The records of a branch, as its lines have them.
#[derive(Debug, Default)]
pub(super) struct KeptRecords {
    records: Vec<KeptRecord>,
    size_bytes: usize,
}

/// A record, as its line has it.
#[derive(Debug)]
struct KeptRecord {
    at_ms: u64,
    kind: String,
    /// Its fields, with references to large values.
    text: Vec<u8>,
    /// The JSON text of the origin, if the line has it.
    new_origin: Option<String>,
    /// The large values that no line before has.
    new_values: Vec<KeptValue>,
}

/// A record of a branch that is written to the tape.
pub(super) struct MergedRecord {
    pub(super) at_ms: u64,
    pub(super) body: RecordBody<'static>,
    /// Whether the body still has its references to large values.
    pub(super) has_references: bool,
    /// The large values that no record before has, if there are references and the values are at hand.
    pub(super) new_values: Option<Vec<ExtractedBlob>>,
}

impl KeptRecords {
    /// Adds a record. Returns whether everything is still kept.
    pub(super) fn add(
        &mut self,
        at_ms: u64,
        kind: &str,
        text: Vec<u8>,
        new_origin: Option<&String>,
        new_values: Vec<KeptValue>,
    ) -> bool {
        self.size_bytes += text.len() + new_values.iter().map(|(_, value)| value.len()).sum::<usize>();
        let (kind, new_origin) = (kind.to_owned(), new_origin.cloned());
        self.records.push(KeptRecord { at_ms, kind, text, new_origin, new_values });
        self.size_bytes <= MOST_KEPT_BYTES
    }

    /// Visits each record. References stay in a record as long as `visit` returns that the tape has what they need.
    ///
    /// # Errors
    /// What `visit` returns, or the reason why a record cannot be read, with the number of its line.
    pub(super) fn visit(
        self,
        mut keeps_references: bool,
        mut visit: impl FnMut(MergedRecord, &BlobStore<'_>) -> Result<bool, String>,
    ) -> Result<(), (usize, String)> {
        let (mut blobs, mut origin) = (BlobStore::default(), None);
        for (record, line) in self.records.into_iter().zip(1..) {
            let visited = record.parse(&mut blobs, &mut origin, keeps_references);
            let visited = visited.and_then(|record| visit(record, &blobs));
            keeps_references &= visited.map_err(|reason| (line, reason))?;
        }
        Ok(())
    }
}

impl KeptRecord {
    /// The record, after what later ones need of it was kept.
    fn parse(
        self,
        blobs: &mut BlobStore<'_>,
        origin: &mut Option<String>,
        keeps_references: bool,
    ) -> Result<MergedRecord, String> {
        let Self { at_ms, kind, text, new_origin, new_values } = self;
        if new_origin.is_some() {
            *origin = new_origin;
        }
        new_values.iter().try_for_each(|(digest, text)| blobs.insert_extracted(*digest, text))?;
        let fields = text.strip_prefix(b"{").filter(|_| keeps_references);
        if let Some(body) = fields.and_then(|fields| parse_typed(&kind, fields, origin.as_deref())) {
            let value = |(digest, text)| ExtractedBlob { digest, content: BlobContent::Value(text) };
            let new_values = Some(new_values.into_iter().map(value).collect());
            return Ok(MergedRecord { at_ms, body, has_references: true, new_values });
        }
        let fields = serde_json::from_slice(&text).map_err(|error| json_error_text(&error))?;
        let body = from_fields(&kind, blobs.resolve_fields(fields)?, origin.as_deref())?;
        Ok(MergedRecord { at_ms, body, has_references: false, new_values: None })
    }
}
