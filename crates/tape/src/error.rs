//! What can go wrong with a tape.

use std::fmt;
use std::io;
use std::path::PathBuf;

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
    /// A record could not be written.
    Write {
        /// The number of the record.
        seq: u64,
        /// Why.
        source: io::Error,
    },
    /// There is no record in the tape.
    Empty,
    /// The first record is no header.
    NoHeader,
    /// The tape was written in a later format.
    Newer {
        /// Its format, as written.
        format: String,
    },
    /// A line is no record.
    Line {
        /// The line, from 1.
        line: usize,
        /// Why.
        fault: String,
    },
}

impl fmt::Display for TapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { path, source } => write!(f, "cannot open tape `{}`: {source}", path.display()),
            Self::Exists { path } => {
                write!(f, "tape `{}` exists already; name another file, a tape is never written over", path.display())
            }
            Self::Write { seq, source } => write!(f, "cannot write record {seq} of the tape: {source}"),
            Self::Empty => f.write_str("the tape is empty; a tape begins with a header record"),
            Self::NoHeader => f.write_str("line 1: the first record is no header; is this a tape?"),
            Self::Newer { format } => write!(
                f,
                "the tape is of format {format}, this program reads format {}; use a newer pintle",
                crate::record::FORMAT
            ),
            Self::Line { line, fault } => write!(f, "line {line}: {fault}"),
        }
    }
}

impl std::error::Error for TapeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Open { source, .. } | Self::Write { source, .. } => Some(source),
            _ => None,
        }
    }
}
