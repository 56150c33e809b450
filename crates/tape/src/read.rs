//! Reads tapes.

use std::path::Path;

use serde_json::Value;

use crate::TapeError;
use crate::blobs::BlobStore;
use crate::line::RecordHead;
use crate::record::{FORMAT, HeaderRecord, Record, RecordBody};

/// A tape that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedTape {
    /// The header.
    pub header: HeaderRecord,
    /// All complete records in order, the header included, with blobs resolved.
    pub records: Vec<Record<'static>>,
    /// The torn record at the end of the tape, if any.
    pub torn: Option<TornRecord>,
}

impl LoadedTape {
    /// Whether the last record closes the tape.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        let closes = self.records.last().is_some_and(|record| matches!(record.body, RecordBody::Closed(_)));
        self.torn.is_none() && closes
    }
}

/// The rest of a record that was being written when the program died.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TornRecord {
    /// The line, from 1.
    pub line: usize,
    /// Its size.
    pub size_bytes: usize,
}

impl std::fmt::Display for TornRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { line, size_bytes } = self;
        write!(f, "line {line} is truncated after {size_bytes} bytes; the tape ends before it")
    }
}

/// Reads a tape from a file.
///
/// # Errors
/// When the file cannot be read or is not a tape; the error names the line. A torn last line is not an error.
pub fn read(path: impl AsRef<Path>) -> Result<LoadedTape, TapeError> {
    read_bytes(&read_file_bytes(path)?)
}

/// Reads the bytes of a tape from a regular file.
///
/// # Errors
/// When the file cannot be read.
pub fn read_file_bytes(path: impl AsRef<Path>) -> Result<Vec<u8>, TapeError> {
    let path = path.as_ref();
    pintle_files::read(path).map_err(|source| TapeError::Open { path: path.to_owned(), source })
}

/// Reads a tape from memory. Any bytes give a tape or an error.
///
/// # Errors
/// As [`read`], for the content.
pub fn read_bytes(bytes: &[u8]) -> Result<LoadedTape, TapeError> {
    let mut reader = TapeReader::new(bytes)?;
    let mut records = Vec::new();
    for line in &mut reader {
        records.push(line?.record);
    }
    match records.first() {
        Some(Record { body: RecordBody::Header(header), .. }) => {
            Ok(LoadedTape { header: header.clone(), records, torn: reader.torn() })
        }
        _ => Err(TapeError::NoHeader),
    }
}

/// Reads a tape line by line, so that only its blobs stay in memory.
#[derive(Debug)]
pub struct TapeReader<'b> {
    rest: Option<&'b [u8]>,
    /// The number of the last line read.
    line: usize,
    ends_with_newline: bool,
    blobs: BlobStore,
    torn: Option<TornRecord>,
}

/// One line of a tape and its record.
#[derive(Debug, Clone, PartialEq)]
pub struct TapeLine<'b> {
    /// The line's number, from 1.
    pub number: usize,
    /// The line, without its end.
    pub text: &'b [u8],
    /// The record, with blobs resolved.
    pub record: Record<'static>,
}

impl<'b> TapeReader<'b> {
    /// Starts reading a tape.
    ///
    /// # Errors
    /// When it is empty.
    pub fn new(bytes: &'b [u8]) -> Result<Self, TapeError> {
        let ends_whole = bytes.last() == Some(&b'\n');
        let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        if text.is_empty() {
            return Err(TapeError::Empty);
        }
        Ok(Self { rest: Some(text), line: 0, ends_with_newline: ends_whole, blobs: BlobStore::default(), torn: None })
    }

    /// The torn record, known once everything before it was read.
    #[must_use]
    pub fn torn(&self) -> Option<TornRecord> {
        self.torn
    }

    /// The blobs read so far.
    pub(crate) fn into_blobs(self) -> BlobStore {
        self.blobs
    }

    fn read_line(&mut self, text: &'b [u8]) -> Result<Option<TapeLine<'b>>, TapeError> {
        let (number, is_last) = (self.line, self.rest.is_none());
        let at = |error| TapeError::Line { line: number, reason: error };
        // Only the last line can be torn, because a record and its line end are written together.
        let may_be_torn = is_last && !self.ends_with_newline;
        let record = match if number == 1 { parse_first_line(text)? } else { Record::from_stored(text, &self.blobs) } {
            Ok(record) => record,
            Err(_) if may_be_torn && number == 1 => return Err(TapeError::Torn { size_bytes: text.len() }),
            Err(_) if may_be_torn => {
                self.torn = Some(TornRecord { line: number, size_bytes: text.len() });
                return Ok(None);
            }
            Err(error) => return Err(at(error)),
        };
        match &record.body {
            RecordBody::Header(_) if number > 1 => {
                return Err(at(String::from("a second header; a tape has only one")));
            }
            RecordBody::Header(_) => {}
            _ if number == 1 => return Err(TapeError::NoHeader),
            RecordBody::Blob(blob) => {
                let value = blob.value.as_deref().cloned().unwrap_or_default();
                self.blobs.insert(&blob.digest, value).map_err(at)?;
            }
            _ => {}
        }
        Ok(Some(TapeLine { number, text, record }))
    }
}

impl<'b> Iterator for TapeReader<'b> {
    type Item = Result<TapeLine<'b>, TapeError>;

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.rest?;
        let end = text.iter().position(|byte| *byte == b'\n');
        let (line, rest) = match end.and_then(|end| text.split_at_checked(end)) {
            Some((line, rest)) => (line, rest.split_first().map(|(_, rest)| rest)),
            None => (text, None),
        };
        self.rest = rest;
        self.line += 1;
        let read = self.read_line(line).transpose();
        // After a line that cannot be read, nothing more can be recognised.
        if !matches!(read, Some(Ok(_))) {
            self.rest = None;
        }
        read
    }
}

/// Parses the first line. Its format is checked first, because only a matching program can read the rest.
fn parse_first_line(text: &[u8]) -> Result<Result<Record<'static>, String>, TapeError> {
    if let Ok((head, fields)) = RecordHead::parse_any(text)
        && head.kind == "header"
        && let Some(format) = fields.get("format").filter(|format| !is_supported_format(format))
    {
        let pintle = fields.get("pintle").and_then(Value::as_str).unwrap_or_default();
        return Err(TapeError::Format { format: format.to_string(), pintle: pintle.to_owned() });
    }
    Ok(Record::from_stored(text, &BlobStore::default()))
}

fn is_supported_format(format: &Value) -> bool {
    format.as_u64() == Some(u64::from(FORMAT))
}
