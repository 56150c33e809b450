//! A line that is hashed and written without putting its long values together.

use std::borrow::Cow;
use std::io::{self, IoSlice, Write};

use crate::blobs::SharedText;
use crate::line::{DigestBytes, digest_parts};

/// The minimum size of a value that is not copied into its line.
const LEAST_UNCOPIED_BYTES: usize = 16 << 10;

/// A line of a tape.
#[derive(Debug, Default)]
pub(super) struct LineBuffer {
    /// The line without its long values.
    text: Vec<u8>,
    /// The long values, each with its position in the text.
    values: Vec<(usize, SharedText)>,
}

impl AsMut<Vec<u8>> for LineBuffer {
    fn as_mut(&mut self) -> &mut Vec<u8> {
        &mut self.text
    }
}

impl LineBuffer {
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.values.clear();
    }

    /// Appends the JSON text of a value.
    pub(super) fn push_value(&mut self, value: SharedText) {
        if value.len() < LEAST_UNCOPIED_BYTES {
            self.text.extend_from_slice(&value);
        } else {
            self.values.push((self.text.len(), value));
        }
    }

    /// What the line consists of.
    pub(super) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        let last = self.values.last().map_or(0, |(position, _)| *position);
        let text_and_value = self.values.iter().flat_map(move |(position, value)| {
            let text = self.text.get(start..*position).unwrap_or_default();
            start = *position;
            [text, &**value]
        });
        text_and_value.chain([self.text.get(last..).unwrap_or_default()])
    }

    pub(super) fn size_bytes(&self) -> usize {
        self.parts().map(<[u8]>::len).sum()
    }

    pub(super) fn digest(&self) -> DigestBytes {
        digest_parts(self.parts())
    }

    /// The line as one text.
    pub(super) fn to_text(&self) -> Cow<'_, [u8]> {
        if self.values.is_empty() {
            Cow::Borrowed(&self.text)
        } else {
            Cow::Owned(self.parts().collect::<Vec<_>>().concat())
        }
    }

    /// Writes the line, as a rule in one piece.
    pub(super) fn write_to(&self, file: &mut impl Write) -> io::Result<()> {
        if self.values.is_empty() {
            return file.write_all(&self.text);
        }
        let mut slices: Vec<IoSlice<'_>> = self.parts().filter(|part| !part.is_empty()).map(IoSlice::new).collect();
        let mut rest = slices.as_mut_slice();
        while !rest.is_empty() {
            match file.write_vectored(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written_bytes) => IoSlice::advance_slices(&mut rest, written_bytes),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes at most seven bytes at a time, and is interrupted every other time.
    #[derive(Default)]
    struct SlowFile {
        written: Vec<u8>,
        is_interrupted: bool,
    }

    impl Write for SlowFile {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.is_interrupted = !self.is_interrupted;
            if self.is_interrupted {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let taken = bytes.get(..7).unwrap_or(bytes);
            self.written.extend_from_slice(taken);
            Ok(taken.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_parts_are_the_line() {
        for (sizes, count) in [(&[][..], 1), (&[5, 9][..], 1), (&[LEAST_UNCOPIED_BYTES, 3, 40_000, 40_000][..], 7)] {
            let (mut line, mut expected) = (LineBuffer::default(), Vec::new());
            for (size, letter) in sizes.iter().zip(b'a'..) {
                let value = vec![letter; *size];
                expected.extend([b"before ", &value[..], b" after"].into_iter().flatten());
                line.as_mut().extend_from_slice(b"before ");
                line.push_value(SharedText::from(value));
                line.as_mut().extend_from_slice(b" after");
            }
            assert_eq!(line.parts().count(), count, "{sizes:?}");
            assert!(*line.to_text() == *expected, "{sizes:?}");
            assert_eq!((line.size_bytes(), line.digest()), (expected.len(), crate::line::digest_bytes(&expected)));
            let mut file = SlowFile::default();
            line.write_to(&mut file).unwrap();
            assert!(file.written == expected, "{sizes:?}");
            line.clear();
            assert_eq!(line.size_bytes(), 0);
        }
    }
}
