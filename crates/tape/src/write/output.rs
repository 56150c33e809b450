//! Where the lines of a tape go.

use std::io;
use std::sync::{Arc, OnceLock};

use pintle_contract::Redactor;
use serde_json::Map;

use super::tape_file::TapeFile;
use super::{Durability, Follower};
use crate::TapeError;
use crate::line;
use crate::record::{Body, Record};
use crate::write::lines::{Lines, Of, Prepared};

/// Makes lines of records and puts them where they belong. After a fault nothing more is written, and whoever follows the
/// tape goes on seeing what would have been.
pub(super) struct Output {
    pub(super) lines: Lines,
    pub(super) sink: Sink,
    pub(super) durability: Durability,
    pub(super) follower: Option<Arc<dyn Follower>>,
    pub(super) secrets: Option<Arc<dyn Redactor>>,
    /// When the last record was written: time does not go back on a tape, whatever the machine's clock does.
    pub(super) last_ms: u64,
    /// Whether the last record closes the tape.
    pub(super) is_closed: bool,
    pub(super) fault: Option<TapeError>,
    /// The same in words, for those who do not wait for the tape.
    pub(super) broken: Arc<OnceLock<String>>,
}

/// A file, or memory.
pub(super) enum Sink {
    File(TapeFile),
    Memory(Vec<String>),
}

impl Output {
    pub(super) fn new(lines: Lines, sink: Sink) -> Self {
        Self {
            lines,
            sink,
            durability: Durability::None,
            follower: None,
            secrets: None,
            last_ms: 0,
            is_closed: false,
            fault: None,
            broken: Arc::default(),
        }
    }

    /// Goes on behind what was written last at this time.
    pub(super) fn after(lines: Lines, sink: Sink, last_ms: u64) -> Self {
        Self { last_ms, ..Self::new(lines, sink) }
    }

    /// Writes a record. A fault is kept.
    pub(super) fn put(&mut self, at_ms: u64, body: Body<'_>) {
        self.last_ms = self.last_ms.max(at_ms);
        self.is_closed = matches!(body, Body::Closed(_));
        if let Err(source) = self.try_put(self.last_ms, body) {
            self.fail(TapeError::Write { seq: self.lines.next_seq().saturating_sub(1), source });
        }
    }

    /// Closes the tape, unless its last record does.
    pub(super) fn close(&mut self, at_ms: u64) {
        if self.is_closed {
            return;
        }
        let closed = line::closing(self.lines.next_seq(), self.last_ms.max(at_ms), self.lines.prev());
        self.put(at_ms, Body::Closed(closed));
    }

    /// Whether the file is still what was written. A fault is kept.
    pub(super) fn check(&mut self) {
        if let (None, Sink::File(file)) = (&self.fault, &self.sink)
            && let Err(fault) = file.check()
        {
            self.fail(fault);
        }
    }

    /// Ends the tape. The first fault counts, and whoever follows the tape is told at once.
    fn fail(&mut self, fault: TapeError) {
        if self.fault.is_some() {
            return;
        }
        if let Some(follower) = &self.follower {
            follower.broke(&fault);
        }
        let _ = self.broken.set(fault.to_string());
        self.fault = Some(fault);
    }

    /// Syncs the file to the disk. A fault is kept.
    pub(super) fn sync(&mut self) {
        if let (None, Sink::File(file)) = (&self.fault, &self.sink)
            && let Err(source) = file.sync()
        {
            self.fail(TapeError::Sync { source });
        }
    }

    fn try_put(&mut self, at_ms: u64, body: Body<'_>) -> io::Result<()> {
        let Self { lines, sink, durability, follower, secrets, fault, .. } = self;
        let is_broken = fault.is_some();
        let mut unwritten = None;
        let syncs = durability.syncs_after(&body);
        let mut plain = None;
        let secrets = secrets.as_deref().filter(|_| !matches!(body, Body::Closed(_)));
        let prepared = Prepared::new(&body, secrets)?;
        lines.add(at_ms, body.kind(), &prepared, |written| {
            if !is_broken && unwritten.is_none() {
                unwritten = sink.write(written.line).err().map(|source| (written.seq, source));
            }
            if let Some(follower) = follower {
                let line = String::from_utf8_lossy(written.line.strip_suffix(b"\n").unwrap_or(written.line));
                let prev = written.prev.map(str::to_owned);
                let record = |body| Record { seq: written.seq, at_ms, prev: prev.clone(), body };
                match written.of {
                    // The record itself can be shown, but only when the maker of lines has let go of it.
                    Of::Record => plain = Some((written.seq, prev, line.into_owned())),
                    Of::Clean(fields) => {
                        let body = line::body_of(body.kind(), fields).unwrap_or_else(|_| unreadable("redacted"));
                        follower.follow(&record(body), &line);
                    }
                    Of::Blob => follower.follow(&record(unreadable("blob")), &line),
                }
            }
            Ok(())
        })?;
        if let (Some(follower), Some((seq, prev, line))) = (follower, plain) {
            follower.follow(&Record { seq, at_ms, prev, body }, &line);
        }
        if let Some((seq, source)) = unwritten {
            self.fail(TapeError::Write { seq, source });
        }
        if syncs {
            self.sync();
        }
        Ok(())
    }
}

/// What a follower sees of a record that it is not shown the inside of.
fn unreadable(kind: &str) -> Body<'static> {
    Body::Unknown { kind: kind.to_owned(), fields: Map::new() }
}

impl Sink {
    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        match self {
            Self::File(file) => file.append(line),
            Self::Memory(lines) => {
                let line = line.strip_suffix(b"\n").unwrap_or(line);
                lines.push(String::from_utf8_lossy(line).into_owned());
                Ok(())
            }
        }
    }
}
