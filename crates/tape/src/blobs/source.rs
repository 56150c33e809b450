//! The text of a tape, of which readers keep positions and not copies.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use super::shared_text::SharedText;

/// Where the text of a tape is.
#[derive(Debug, Clone)]
pub(crate) enum TapeText<'b> {
    Memory(&'b [u8]),
    File(Arc<File>),
}

/// A part of a tape's text, or a copy where the tape has another spelling of it.
#[derive(Debug)]
pub(super) enum TextSpan {
    At {
        offset: u64,
        size_bytes: u32,
    },
    Owned(SharedText),
    /// The parts between the quotes of a string.
    Joined(Box<[TextSpan]>),
}

/// Reads the text of a tape from an offset on.
#[derive(Debug)]
pub(crate) struct TapeTextReader<'b> {
    text: TapeText<'b>,
    offset: u64,
}

impl TextSpan {
    /// A part of this text, which is that part of the tape.
    pub(super) fn slice(&self, range: Range<usize>, text: &[u8]) -> Self {
        match (self, u32::try_from(range.len())) {
            (Self::At { offset, .. }, Ok(size_bytes)) => Self::At { offset: offset + range.start as u64, size_bytes },
            _ => Self::Owned(text.get(range).unwrap_or_default().to_vec().into()),
        }
    }
}

impl Default for TapeText<'_> {
    fn default() -> Self {
        Self::Memory(&[])
    }
}

impl<'b> TapeText<'b> {
    /// Reads from an offset on.
    pub(crate) fn read_from(&self, offset: u64) -> TapeTextReader<'b> {
        TapeTextReader { text: self.clone(), offset }
    }

    /// The text of a part.
    pub(super) fn read_span(&self, span: &TextSpan) -> Result<Vec<u8>, String> {
        let (offset, size_bytes) = match span {
            TextSpan::Owned(text) => return Ok(text.to_vec()),
            TextSpan::Joined(parts) => {
                let mut text = vec![b'"'];
                for part in parts {
                    text.extend(self.read_span(part)?);
                }
                text.push(b'"');
                return Ok(text);
            }
            TextSpan::At { offset, size_bytes } => (*offset, *size_bytes),
        };
        let mut text = Vec::with_capacity(size_bytes as usize);
        let read = self.read_from(offset).take(u64::from(size_bytes)).read_to_end(&mut text);
        match read {
            Ok(read) if read == size_bytes as usize => Ok(text),
            Ok(_) => Err(String::from("the tape was truncated while it was read")),
            Err(error) => Err(format!("the tape cannot be read: {error}")),
        }
    }
}

impl Read for TapeTextReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = match &self.text {
            TapeText::Memory(bytes) => {
                let from = usize::try_from(self.offset).ok().and_then(|from| bytes.get(from..));
                from.unwrap_or_default().read(into)?
            }
            TapeText::File(file) => {
                let mut file = &**file;
                file.seek(SeekFrom::Start(self.offset))?;
                file.read(into)?
            }
        };
        self.offset += read as u64;
        Ok(read)
    }
}
