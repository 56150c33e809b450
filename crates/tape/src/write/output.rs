//! The output of a tape: a file or memory, and the observers.

use std::fmt::Debug;
use std::io;
use std::sync::{Arc, OnceLock};

use pintle_contract::{ListPrefix, Redactor};
use serde_json::Map;

use super::Durability;
use super::checkpoints::{CheckpointState, ends_dispatch, ends_turn};
use super::tape_file::TapeFile;
use crate::TapeError;
use crate::blobs::{BlobExtraction, BlobStore, ExtractedBlob};
use crate::checkpoint::MOST_UNSIGNED_RECORDS;
use crate::line;
use crate::record::{REDACTED, Record, RecordBody};
use crate::write::line_buffer::LineBuffer;
use crate::write::line_encoder::{EncodedFields, EncodedLine, LineEncoder};

/// Observes every record as it is written, in the order of the tape.
///
/// It is called while the tape is locked, so it must not use the tape.
pub trait RecordObserver: Send + Sync + Debug {
    /// Receives a record and its line, without the line end.
    fn on_record(&self, record: &Record<'_>, line: &str);

    /// Receives the error that stopped the tape. Records after that are not on the tape.
    fn on_error(&self, _error: &TapeError) {}
}

/// Encodes records and writes their lines. After an error nothing more is written, but observers continue to receive
/// the records.
pub(super) struct TapeOutput {
    pub(super) lines: LineEncoder,
    pub(super) sink: TapeSink,
    pub(super) durability: Durability,
    pub(super) observer: Option<Arc<dyn RecordObserver>>,
    pub(super) redactor: Option<Arc<dyn Redactor>>,
    /// When the last record was written. Time does not go back on a tape, whatever the machine's clock does.
    pub(super) last_ms: u64,
    /// What the host knows about the messages of the next record.
    pub(super) list_prefix: Option<ListPrefix>,
    /// Whether the last record closes the tape.
    pub(super) is_closed: bool,
    pub(super) checkpoints: CheckpointState,
    pub(super) error: Option<TapeError>,
    /// The error as text, readable without locking the tape.
    pub(super) error_text: Arc<OnceLock<String>>,
}

/// A file, or memory.
pub(super) enum TapeSink {
    File(TapeFile),
    Memory(Vec<String>),
}

impl TapeOutput {
    pub(super) fn new(lines: LineEncoder, sink: TapeSink) -> Self {
        Self {
            lines,
            sink,
            durability: Durability::None,
            observer: None,
            redactor: None,
            last_ms: 0,
            list_prefix: None,
            is_closed: false,
            checkpoints: CheckpointState::default(),
            error: None,
            error_text: Arc::default(),
        }
    }

    /// Continues after records whose last one was written at this time.
    pub(super) fn resume_after(lines: LineEncoder, sink: TapeSink, last_ms: u64) -> Self {
        Self { last_ms, ..Self::new(lines, sink) }
    }

    /// Whether records of another tape may have references: observers get whole records, and secrets may be anywhere.
    pub(super) fn can_put_stored(&self) -> bool {
        self.observer.is_none() && self.redactor.is_none()
    }

    /// Writes a record of another tape, whose large values are those of `blobs`. They are not parsed and encoded again if
    /// this tape has them as that one has. `values` are those that no record before has; without them the record is
    /// encoded again.
    ///
    /// # Errors
    /// When a value is missing.
    pub(super) fn put_stored(
        &mut self,
        at_ms: u64,
        body: RecordBody<'static>,
        values: Option<Vec<ExtractedBlob>>,
        blobs: &BlobStore<'_>,
    ) -> Result<(), String> {
        let text = line::encode_fields(&body).map_err(|error| error.to_string())?;
        let origin = line::encode_origin(&body).map_err(|error| error.to_string())?;
        // The numbers in it are new, so something may be large that was not.
        match values.filter(|_| blobs.is_written(b"", &text)) {
            Some(values) => {
                let stored = BlobExtraction { text, blobs: values };
                self.put_encoded(at_ms, body, Some(EncodedFields { stored, origin, redacted: None }));
            }
            None => {
                let fields = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
                let fields = blobs.resolve_fields(fields)?;
                self.put(at_ms, line::from_fields(body.kind(), fields, origin.as_deref())?);
            }
        }
        Ok(())
    }

    /// Writes a record, and a checkpoint after it if one is due. An error is kept.
    pub(super) fn put(&mut self, at_ms: u64, body: RecordBody<'_>) {
        self.put_encoded(at_ms, body, None);
    }

    /// The same for a record that may be encoded.
    fn put_encoded(&mut self, at_ms: u64, body: RecordBody<'_>, encoded: Option<EncodedFields>) {
        let most = match () {
            () if self.checkpoints.signer.is_none() || self.sink.has_batch() => None,
            () if ends_turn(&body) => Some(1),
            () => ends_dispatch(&body).then_some(MOST_UNSIGNED_RECORDS),
        };
        self.put_record(at_ms, body, encoded);
        if let Some(most) = most {
            self.put_checkpoint(most, false);
        }
    }

    /// Writes a record, which may be encoded. An error is kept.
    pub(super) fn put_record(&mut self, at_ms: u64, body: RecordBody<'_>, encoded: Option<EncodedFields>) {
        self.last_ms = self.last_ms.max(at_ms);
        self.is_closed = matches!(body, RecordBody::Closed(_));
        if let Err(source) = self.try_put(self.last_ms, body, encoded) {
            self.fail(TapeError::Write { seq: self.lines.next_seq.saturating_sub(1), source });
        }
    }

    /// Closes the tape, unless its last record does.
    pub(super) fn close(&mut self, at_ms: u64) {
        if self.is_closed {
            return;
        }
        // It says that the tape ends here, whatever another one says about the same records.
        self.put_checkpoint(0, true);
        let closed =
            line::make_closing_record(self.lines.next_seq, self.last_ms.max(at_ms), self.lines.prev.as_deref());
        self.put(at_ms, RecordBody::Closed(closed));
    }

    /// Checks that the file is still what was written. An error is kept.
    pub(super) fn check(&mut self) {
        if let (None, TapeSink::File(file)) = (&self.error, &self.sink)
            && let Err(error) = file.check()
        {
            self.fail(error);
        }
    }

    /// Stops the tape. The first error is kept, and observers are notified at once.
    fn fail(&mut self, error: TapeError) {
        if self.error.is_some() {
            return;
        }
        if let Some(follower) = &self.observer {
            follower.on_error(&error);
        }
        let _ = self.error_text.set(error.to_string());
        self.error = Some(error);
    }

    /// Writes what was collected since the batch began. An error is kept.
    pub(super) fn end_batch(&mut self) {
        if let (None, TapeSink::File(file)) = (&self.error, &mut self.sink)
            && let Err(source) = file.end_batch()
        {
            self.fail(TapeError::Write { seq: self.lines.next_seq.saturating_sub(1), source });
        }
    }

    /// Syncs the file to disk. An error is kept.
    pub(super) fn sync(&mut self) {
        if let (None, TapeSink::File(file)) = (&self.error, &mut self.sink)
            && let Err(source) = file.sync()
        {
            self.fail(TapeError::Sync { source });
        }
    }

    fn try_put(&mut self, at_ms: u64, body: RecordBody<'_>, encoded: Option<EncodedFields>) -> io::Result<()> {
        let list_prefix = self.list_prefix.take();
        let Self { lines, sink, durability, observer: follower, redactor: secrets, error: fault, .. } = self;
        let syncs = durability.should_sync_after(&body);
        let secrets = secrets.as_deref().filter(|_| !matches!(body, RecordBody::Closed(_) | RecordBody::Checkpoint(_)));
        let mut prepared = encoded.map_or_else(|| lines.encode(&body, secrets, list_prefix), Ok)?;
        let redacted = prepared.redacted.take().map(|fields| (fields, prepared.origin.clone()));
        let EncodedLine { seq, prev, line } = lines.add(at_ms, body.kind(), prepared)?;
        let unwritten = if fault.is_some() { None } else { sink.write(line).err() };
        if let Some(follower) = follower {
            let line = line.to_text();
            let line = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(&line));
            let body = match redacted {
                Some((fields, origin)) => line::parse_body(body.kind(), &fields, origin.as_deref())
                    .unwrap_or_else(|_| RecordBody::Unknown { kind: REDACTED.to_owned(), fields: Map::new() }),
                None => body,
            };
            follower.on_record(&Record { seq, at_ms, prev, body }, &line);
        }
        if let Some(source) = unwritten {
            self.fail(TapeError::Write { seq, source });
        }
        if syncs {
            self.sync();
        }
        Ok(())
    }
}

impl TapeSink {
    /// Collects lines until the batch [ends](TapeOutput::end_batch).
    pub(super) fn begin_batch(&mut self) {
        if let Self::File(file) = self {
            file.begin_batch();
        }
    }

    /// Whether lines are collected.
    fn has_batch(&self) -> bool {
        matches!(self, Self::File(file) if file.has_batch())
    }

    fn write(&mut self, line: &LineBuffer) -> io::Result<()> {
        match self {
            Self::File(file) => file.append(line),
            Self::Memory(lines) => {
                let line = line.to_text();
                let line = line.strip_suffix(b"\n").unwrap_or(&line);
                lines.push(String::from_utf8_lossy(line).into_owned());
                Ok(())
            }
        }
    }
}
