//! The text of a tape, of which readers keep positions and not copies.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Where the text of a tape is.
#[derive(Debug)]
pub(crate) enum TapeText<'b> {
    Memory(&'b [u8]),
    File(File),
}

/// A part of a tape's text, or a copy where the tape has another spelling of it.
#[derive(Debug)]
pub(super) enum TextSpan {
    At { offset: u64, size_bytes: u32 },
    Owned(Box<[u8]>),
}

/// Reads the text of a tape from its start.
#[derive(Debug)]
pub(crate) struct TapeTextReader<'t, 'b> {
    pub(crate) text: &'t TapeText<'b>,
    pub(crate) offset: u64,
}

impl Default for TapeText<'_> {
    fn default() -> Self {
        Self::Memory(&[])
    }
}

impl TapeText<'_> {
    /// Reads some bytes from an offset; none at the end.
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Memory(bytes) => {
                let from = usize::try_from(offset).ok().and_then(|from| bytes.get(from..)).unwrap_or_default();
                (&*from).read(into)
            }
            Self::File(file) => {
                let mut file = file;
                file.seek(SeekFrom::Start(offset))?;
                file.read(into)
            }
        }
    }

    /// The text of a part.
    pub(super) fn read_span(&self, span: &TextSpan) -> Result<Vec<u8>, String> {
        let (offset, size_bytes) = match span {
            TextSpan::Owned(text) => return Ok(text.to_vec()),
            TextSpan::At { offset, size_bytes } => (*offset, *size_bytes),
        };
        let mut text = Vec::with_capacity(size_bytes as usize);
        let read = TapeTextReader { text: self, offset }.take(u64::from(size_bytes)).read_to_end(&mut text);
        match read {
            Ok(read) if read == size_bytes as usize => Ok(text),
            Ok(_) => Err(String::from("the tape was truncated while it was read")),
            Err(error) => Err(format!("the tape cannot be read: {error}")),
        }
    }
}

impl Read for TapeTextReader<'_, '_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.text.read_at(self.offset, into)?;
        self.offset += read as u64;
        Ok(read)
    }
}
