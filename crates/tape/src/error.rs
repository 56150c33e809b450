//! What can go wrong with a tape.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::record::FORMAT;
use crate::show::single_line;

/// A tape that cannot be written or read.
#[derive(Debug)]
pub enum TapeError {
    /// The file cannot be made or opened.
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file exists; a tape is never written over.
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another writer has the file.
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// A record could not be written.
    Write {
        /// The number of the record.
        seq: u64,
        /// Why.
        source: io::Error,
    },
    /// The file could not be synced to the disk.
    Sync {
        /// Why.
        source: io::Error,
    },
    /// The file is not what was written any more.
    Changed {
        /// The file.
        path: PathBuf,
        /// What was done to it, such as `was deleted or moved away`.
        change: String,
    },
    /// What an earlier process left is not on the tape any more.
    CursorLost {
        /// The file.
        path: PathBuf,
        /// What is there instead.
        actual: String,
    },
    /// There is no record in the tape.
    Empty,
    /// Not even the header was written whole.
    Torn {
        /// How much of it there is.
        size_bytes: usize,
    },
    /// The first record is no header.
    NoHeader,
    /// The tape was written in another format.
    Format {
        /// Its format, as written.
        format: String,
        /// The version of Pintle that wrote it; empty where it does not say.
        pintle: String,
    },
    /// A line is no record, or does not follow the line before.
    Line {
        /// The line, from 1.
        line: usize,
        /// Why.
        reason: String,
    },
}

impl fmt::Display for TapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { path, source } => write!(f, "cannot open tape `{}`: {source}", path.display()),
            Self::Exists { path } => {
                write!(f, "tape `{}` exists already; name another file, a tape is never written over", path.display())
            }
            Self::Busy { path } => write!(
                f,
                "tape `{}` is being written by another session; wait until that one has ended, or end it",
                path.display()
            ),
            Self::Write { seq, source } => write!(f, "cannot write record {seq} of the tape: {source}"),
            Self::Sync { source } => write!(f, "cannot sync the tape to the disk: {source}"),
            Self::Changed { path, change } => write!(f, "tape `{}` {change}", path.display()),
            Self::CursorLost { path, actual: what } => {
                write!(
                    f,
                    "tape `{}` is not as it was left: {what}; records are missing, or were changed",
                    path.display()
                )
            }
            Self::Empty => f.write_str("the tape is empty; a tape begins with a header record"),
            Self::Torn { size_bytes } => write!(
                f,
                "line 1 was not written whole ({size_bytes} bytes of it are there); nothing of the tape is whole"
            ),
            Self::NoHeader => f.write_str("line 1: the first record is no header; is this a tape?"),
            Self::Format { format, pintle } => {
                let format = single_line(format, 20);
                let writer = match pintle.as_str() {
                    "" => String::from("an unknown version of pintle"),
                    version => format!("pintle {}", single_line(version, 40)),
                };
                write!(
                    f,
                    "cannot read a tape of format {format}, which {writer} wrote: this program reads format {FORMAT}; use the version that wrote it"
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
