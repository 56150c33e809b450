//! The reader.

use std::fs;
use std::path::Path;

use crate::TapeError;
use crate::record::{Body, Header, Record};

/// A tape as read.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The header.
    pub header: Header,
    /// All whole records in their order, the header's among them.
    pub records: Vec<Record<'static>>,
    /// What was left of a record that was not written whole, at the end of the tape.
    pub torn: Option<Torn>,
}

/// The rest of a record that was being written when the program died.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Torn {
    /// The line, from 1.
    pub line: usize,
    /// How much of it there is.
    pub size_bytes: usize,
}

impl std::fmt::Display for Torn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { line, size_bytes } = self;
        write!(f, "line {line} was not written whole ({size_bytes} bytes of it are there); the tape ends before it")
    }
}

/// Reads a tape from a file.
///
/// # Errors
/// When the file cannot be read or is no tape; the error names the line. A torn last line is no error.
pub fn read(path: impl AsRef<Path>) -> Result<Reading, TapeError> {
    let path = path.as_ref();
    let bytes = fs::read(path).map_err(|source| TapeError::Open { path: path.to_owned(), source })?;
    read_bytes(&bytes)
}

/// Reads a tape from memory. Any bytes give a reading or an error.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(bytes: &[u8]) -> Result<Reading, TapeError> {
    let mut records = Vec::new();
    let mut torn = None;
    let mut header = None;
    let ends_whole = bytes.last() == Some(&b'\n');
    let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if text.is_empty() {
        return Err(TapeError::Empty);
    }
    let mut lines = text.split(|byte| *byte == b'\n').enumerate().peekable();
    while let Some((at, text)) = lines.next() {
        let line = at + 1;
        let record = match Record::from_line(text) {
            Ok(record) => record,
            // Only the last line can be torn: a record and its line's end are written in one piece.
            Err(_) if lines.peek().is_none() && !ends_whole => {
                torn = Some(Torn { line, size_bytes: text.len() });
                break;
            }
            Err(fault) => return Err(TapeError::Line { line, fault }),
        };
        if header.is_none() {
            match &record.body {
                Body::Unknown { kind, fields } if kind == "header" => {
                    let format = fields.get("format").map(ToString::to_string).unwrap_or_default();
                    return Err(TapeError::Newer { format });
                }
                Body::Header(first) => header = Some(first.clone()),
                _ => return Err(TapeError::NoHeader),
            }
        }
        records.push(record);
    }
    match header {
        Some(header) => Ok(Reading { header, records, torn }),
        None => Err(TapeError::NoHeader),
    }
}
