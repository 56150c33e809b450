//! Reads tapes.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::TapeError;
use crate::blobs::{BlobStore, LineBlob, TapeText, TapeTextReader};
use crate::line::{LineText, RecordHead, parse_typed};
use crate::record::{FORMAT, HeaderRecord, Record, RecordBody};

/// How much of a tape is read at once.
const READ_AHEAD_BYTES: usize = 64 << 10;

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
    load(TapeReader::open(path)?)
}

/// A tape that is read once or more: from memory, or from its file each time.
#[derive(Debug, Clone)]
pub enum TapeSource {
    /// Records in memory.
    Loaded(LoadedTape),
    /// A file.
    File {
        path: PathBuf,
        /// The number of records to read. Default: all.
        record_count: Option<usize>,
    },
}

impl From<LoadedTape> for TapeSource {
    fn from(tape: LoadedTape) -> Self {
        Self::Loaded(tape)
    }
}

impl From<PathBuf> for TapeSource {
    fn from(path: PathBuf) -> Self {
        Self::File { path, record_count: None }
    }
}

impl TapeSource {
    /// Visits each record. Of a record in a file, the messages of requests are left out and its line is passed as well.
    ///
    /// Returns a reader that can [read the payloads](TapeReader::read_payload) of these lines, if there are any.
    ///
    /// # Errors
    /// When the tape cannot be read.
    pub fn visit(
        &self,
        visit: &mut dyn FnMut(Record<'static>, Option<Vec<u8>>),
    ) -> Result<Option<TapeReader<'static>>, TapeError> {
        match self {
            Self::Loaded(tape) => {
                tape.records.iter().for_each(|record| visit(record.clone(), None));
                Ok(None)
            }
            Self::File { path, record_count } => {
                let mut reader = TapeReader::open(path)?.abridged();
                for line in reader.by_ref().take(record_count.unwrap_or(usize::MAX)) {
                    let TapeLine { text, record, .. } = line?;
                    visit(record, Some(text));
                }
                Ok(Some(reader))
            }
        }
    }
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
    load(TapeReader::new(bytes)?)
}

fn load(mut reader: TapeReader<'_>) -> Result<LoadedTape, TapeError> {
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

/// Reads a tape line by line. Only the positions of its large values stay in memory.
#[derive(Debug)]
pub struct TapeReader<'b> {
    /// The file, for errors.
    path: PathBuf,
    blobs: BlobStore<'b>,
    /// The last origin, as JSON text.
    origin: Option<String>,
    text_reader: BufReader<TapeTextReader<'b>>,
    /// The offset of the next line.
    offset: u64,
    /// The number of the last line read.
    line: usize,
    /// Whether the last line read has its end.
    has_newline: bool,
    is_over: bool,
    resolution: BlobResolution,
    torn: Option<TornRecord>,
}

/// Which references to blobs are resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlobResolution {
    All,
    /// All but the messages of requests.
    Abridged,
    /// None in records that can be written to another tape with them.
    Stored,
}

/// One line of a tape and its record.
#[derive(Debug, Clone, PartialEq)]
pub struct TapeLine {
    /// The line's number, from 1.
    pub number: usize,
    /// The line, without its end.
    pub text: Vec<u8>,
    /// The record, with blobs resolved.
    pub record: Record<'static>,
    /// Whether the messages of a request are left out. [`TapeReader::read_payload`] returns the whole payload.
    pub is_abridged: bool,
    /// If the record has its references still, the large values that no line before has.
    pub(crate) stored_blobs: Option<Vec<LineBlob>>,
}

/// What a line has.
struct ParsedTapeLine {
    record: Record<'static>,
    is_abridged: bool,
    stored_blobs: Option<Vec<LineBlob>>,
}

impl TapeReader<'static> {
    /// Starts reading a tape from a regular file.
    ///
    /// # Errors
    /// When it cannot be read, or is empty.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TapeError> {
        let path = path.as_ref();
        let file = pintle_files::open(path).map_err(|source| TapeError::Open { path: path.to_owned(), source })?;
        Self::from_text(TapeText::File(Arc::new(file)), path)
    }

    /// Starts reading a tape from an open file.
    pub(crate) fn from_file(file: File, path: &Path) -> Result<Self, TapeError> {
        Self::from_text(TapeText::File(Arc::new(file)), path)
    }
}

impl<'b> TapeReader<'b> {
    /// Starts reading a tape from memory.
    ///
    /// # Errors
    /// When it is empty.
    pub fn new(bytes: &'b [u8]) -> Result<Self, TapeError> {
        Self::from_text(TapeText::Memory(bytes), Path::new(""))
    }

    fn from_text(text: TapeText<'b>, path: &Path) -> Result<Self, TapeError> {
        let mut text_reader = BufReader::with_capacity(READ_AHEAD_BYTES, text.read_from(0));
        let first = text_reader.fill_buf().map_err(|source| TapeError::Open { path: path.to_owned(), source })?;
        if matches!(first.first(), None | Some(b'\n')) {
            return Err(TapeError::Empty);
        }
        Ok(Self {
            path: path.to_owned(),
            blobs: BlobStore::new(text),
            origin: None,
            text_reader,
            offset: 0,
            line: 0,
            has_newline: false,
            is_over: false,
            resolution: BlobResolution::All,
            torn: None,
        })
    }

    /// Leaves out the messages of requests, which are most of a long tape once they are resolved.
    #[must_use]
    pub fn abridged(self) -> Self {
        Self { resolution: BlobResolution::Abridged, ..self }
    }

    /// From here on, leaves the references in records that can be written to another tape with them, or resolves all.
    pub(crate) fn keep_references(&mut self, keeps_them: bool) {
        self.resolution = if keeps_them { BlobResolution::Stored } else { BlobResolution::All };
    }

    /// The whole payload of an event, or the version of it, in a line that was read before. `None` if the line has none, or
    /// the file cannot be read any more.
    #[must_use]
    pub fn read_payload(&self, line: &[u8]) -> Option<Value> {
        self.blobs.read_payload(&LineText::new(line))
    }

    /// The torn record, known once everything before it was read.
    #[must_use]
    pub fn torn(&self) -> Option<TornRecord> {
        self.torn
    }

    /// Whether the last line read has its end.
    #[must_use]
    pub fn ends_with_newline(&self) -> bool {
        self.has_newline
    }

    /// The last origin read so far, as JSON text.
    pub(crate) fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    /// The blobs read so far.
    pub(crate) fn blobs(&self) -> &BlobStore<'b> {
        &self.blobs
    }

    /// The next line and its offset.
    fn next_text(&mut self) -> Result<Option<(Vec<u8>, u64)>, TapeError> {
        let (mut text, offset) = (Vec::new(), self.offset);
        let read = self.text_reader.read_until(b'\n', &mut text);
        let size_bytes = read.map_err(|source| TapeError::Open { path: self.path.clone(), source })?;
        if size_bytes == 0 {
            return Ok(None);
        }
        self.offset += size_bytes as u64;
        self.has_newline = text.pop_if(|end| *end == b'\n').is_some();
        Ok(Some((text, offset)))
    }

    fn read_line(&mut self, text: Vec<u8>, offset: u64) -> Result<Option<TapeLine>, TapeError> {
        let number = self.line;
        let at = |error| TapeError::Line { line: number, reason: error };
        // Only the last line can be torn, because a record and its line end are written together.
        let may_be_torn = !self.has_newline;
        if number == 1 {
            check_format(&text)?;
        }
        let parsed = self.parse_line(&LineText::new(&text), offset);
        let ParsedTapeLine { record, is_abridged, stored_blobs } = match parsed {
            Ok(parsed) => parsed,
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
            _ => {}
        }
        Ok(Some(TapeLine { number, text, record, is_abridged, stored_blobs }))
    }

    /// Parses the next line, after what later lines need of it was kept.
    fn parse_line(&mut self, line: &LineText<'_>, offset: u64) -> Result<ParsedTapeLine, String> {
        let shared = line.shared_fields()?;
        let blobs = shared.blobs.map(|blobs| self.blobs.insert_line(line, blobs, offset)).transpose()?;
        if let Some(origin) = shared.origin {
            self.origin = Some(origin.into_owned());
        }
        if self.resolution == BlobResolution::Stored
            && !self.blobs.has_lists()
            && let Some((head, fields)) = &line.canonical
            && let Some(body) = parse_typed(head.kind, fields, self.origin())
        {
            let stored_blobs = Some(blobs.unwrap_or_default());
            return Ok(ParsedTapeLine { record: head.to_record(body), is_abridged: false, stored_blobs });
        }
        let is_abridged = self.resolution == BlobResolution::Abridged;
        let (record, is_abridged) = Record::from_stored_with(line, &self.blobs, self.origin(), is_abridged)?;
        Ok(ParsedTapeLine { record, is_abridged, stored_blobs: None })
    }
}

impl Iterator for TapeReader<'_> {
    type Item = Result<TapeLine, TapeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let read = match self.next_text() {
            Ok(None) => None,
            Ok(Some((text, offset))) => {
                self.line += 1;
                self.read_line(text, offset).transpose()
            }
            Err(error) => Some(Err(error)),
        };
        // After a line that cannot be read, nothing more can be recognised, and a line without an end is the last one.
        self.is_over = !matches!(read, Some(Ok(_))) || !self.has_newline;
        read
    }
}

/// Checks the format of a tape by its first line, because only a matching program can read the rest.
fn check_format(line: &[u8]) -> Result<(), TapeError> {
    if let Ok((head, fields)) = RecordHead::parse_any(line)
        && head.kind == "header"
        && let Some(format) = fields.get("format").filter(|format| !is_supported_format(format))
    {
        let pintle = fields.get("pintle").and_then(Value::as_str).unwrap_or_default();
        return Err(TapeError::Format { format: format.to_string(), pintle: pintle.to_owned() });
    }
    Ok(())
}

fn is_supported_format(format: &Value) -> bool {
    format.as_u64() == Some(u64::from(FORMAT))
}
