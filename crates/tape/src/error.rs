//! Errors of tapes.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::record::FORMAT;
use crate::show::single_line;

/// The reason why a line of a tape is not a record, for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct RecordError {
    reason: String,
}

impl RecordError {
    pub(crate) fn new(reason: String) -> Self {
        Self { reason }
    }
}

/// A tape cannot be written or read.
#[derive(Debug)]
pub enum TapeError {
    /// The file cannot be created or opened.
    Open {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file exists; a tape is never overwritten.
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another writer uses the file.
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// A record could not be written.
    Write {
        /// The number of the record.
        seq: u64,
        /// The cause.
        source: io::Error,
    },
    /// The file could not be synced to the disk.
    Sync {
        /// The cause.
        source: io::Error,
    },
    /// The file differs from what was written.
    Changed {
        /// The file.
        path: PathBuf,
        /// What happened to it, such as `was deleted or moved`.
        change: String,
    },
    /// Records of an earlier process are missing from the tape.
    CursorLost {
        /// The file.
        path: PathBuf,
        /// What was found instead.
        actual: String,
    },
    /// The tape has no records.
    Empty,
    /// Not even the header is complete.
    Torn {
        /// The size of the torn record.
        size_bytes: usize,
    },
    /// The first record is not a header.
    NoHeader,
    /// The tape has an unsupported format.
    Format {
        /// Its format, as written.
        format: String,
        /// The version of Pintle that wrote it; may be empty.
        pintle: String,
    },
    /// A line is not a record, or does not follow from the previous line.
    Line {
        /// The line, from 1.
        line: usize,
        /// The cause.
        reason: String,
    },
}

impl fmt::Display for TapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { path, source } => write!(f, "cannot open tape `{}`: {source}", path.display()),
            Self::Exists { path } => {
                write!(f, "tape `{}` already exists; name another file, a tape is never overwritten", path.display())
            }
            Self::Busy { path } => write!(
                f,
                "tape `{}` is being written by another session; wait until that session ends, or end it",
                path.display()
            ),
            Self::Write { seq, source } => write!(f, "cannot write record {seq} of the tape: {source}"),
            Self::Sync { source } => write!(f, "cannot sync the tape to the disk: {source}"),
            Self::Changed { path, change } => write!(f, "tape `{}` {change}", path.display()),
            Self::CursorLost { path, actual: what } => {
                write!(
                    f,
                    "tape `{}` differs from what the last process wrote: {what}; records are missing or were changed",
                    path.display()
                )
            }
            Self::Empty => f.write_str("the tape is empty; a tape begins with a header record"),
            Self::Torn { size_bytes } => {
                write!(f, "line 1 is truncated after {size_bytes} bytes; the tape contains no complete record")
            }
            Self::NoHeader => f.write_str("line 1: the first record is not a header; check that the file is a tape"),
            Self::Format { format, pintle } => {
                let format = single_line(format, 20);
                let writer = match pintle.as_str() {
                    "" => String::from("an unknown version of pintle"),
                    version => format!("pintle {}", single_line(version, 40)),
                };
                write!(
                    f,
                    "cannot read a tape of format {format}, which {writer} wrote: this program reads format {FORMAT}; \
                     use the version that wrote it"
                )
            }
            Self::Line { line, reason: fault } => write!(f, "line {line}: {fault}"),
        }
    }
}

impl std::error::Error for TapeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Open { source, .. } | Self::Write { source, .. } | Self::Sync { source } => Some(source),
            _ => None,
        }
    }
}
