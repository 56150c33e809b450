//! Where the lines of a tape go.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

use pintle_contract::Redact;
use serde_json::Map;

use super::{Durability, Follower};
use crate::TapeError;
use crate::line;
use crate::record::{Body, Record};
use crate::write::lines::{Lines, Of, Prepared};

/// Makes lines of records and puts them where they belong. After a fault nothing more is written.
pub(super) struct Output {
    pub(super) lines: Lines,
    pub(super) sink: Sink,
    pub(super) durability: Durability,
    pub(super) follower: Option<Arc<dyn Follower>>,
    pub(super) secrets: Option<Arc<dyn Redact>>,
    pub(super) fault: Option<TapeError>,
}

/// A file, or memory.
pub(super) enum Sink {
    File(File),
    Memory(Vec<String>),
}

impl Output {
    pub(super) fn new(lines: Lines, sink: Sink) -> Self {
        Self { lines, sink, durability: Durability::None, follower: None, secrets: None, fault: None }
    }

    /// Writes a record. A fault is kept.
    pub(super) fn put(&mut self, at_ms: u64, body: Body<'_>) {
        if self.fault.is_some() {
            return;
        }
        if let Err(source) = self.try_put(at_ms, body) {
            self.fault = Some(TapeError::Write { seq: self.lines.next_seq().saturating_sub(1), source });
        }
    }

    /// Syncs the file to the disk. A fault is kept.
    pub(super) fn sync(&mut self) {
        if let (None, Sink::File(file)) = (&self.fault, &self.sink)
            && let Err(source) = file.sync_data()
        {
            self.fault = Some(TapeError::Sync { source });
        }
    }

    fn try_put(&mut self, at_ms: u64, body: Body<'_>) -> io::Result<()> {
        let Self { lines, sink, durability, follower, secrets, .. } = self;
        let syncs = durability.syncs_after(&body);
        let mut plain = None;
        let prepared = Prepared::new(&body, secrets.as_deref())?;
        lines.add(at_ms, body.kind(), &prepared, |written| {
            sink.write(written.line)?;
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
            Self::File(file) => file.write_all(line),
            Self::Memory(lines) => {
                let line = line.strip_suffix(b"\n").unwrap_or(line);
                lines.push(String::from_utf8_lossy(line).into_owned());
                Ok(())
            }
        }
    }
}
