//! Positions as the protocol counts them: lines from 0, and units of UTF-16 in a line.

use pintle_host::contract::ByteSpan;
use serde::{Deserialize, Serialize};

/// A position in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct TextPosition {
    pub(super) line: u32,
    /// Units of UTF-16 from the start of the line.
    pub(super) character: u32,
}

/// A range of a text. The end is behind the last character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TextRange {
    pub(super) start: TextPosition,
    pub(super) end: TextPosition,
}

/// The byte of a position. A line or a character past the end means the end.
pub(super) fn byte_of(text: &str, position: TextPosition) -> usize {
    let mut start = 0;
    for _ in 0..position.line {
        let Some(line) = text.get(start..).and_then(find_line_end) else { return text.len() };
        start += line;
    }
    let line = text.get(start..).unwrap_or_default();
    let (mut units, mut byte) = (0, start);
    for letter in line.chars() {
        if matches!(letter, '\n' | '\r') || units >= position.character {
            break;
        }
        units += u32::try_from(letter.len_utf16()).unwrap_or(1);
        // Between the two units of one character is before it.
        if units > position.character {
            break;
        }
        byte += letter.len_utf8();
    }
    byte
}

/// The bytes up to the start of the next line, if there is one.
fn find_line_end(text: &str) -> Option<usize> {
    let end = text.bytes().position(|byte| matches!(byte, b'\n' | b'\r'))?;
    let is_pair = text.as_bytes().get(end..end + 2) == Some(b"\r\n");
    Some(end + if is_pair { 2 } else { 1 })
}

/// Where the lines of a text begin.
#[derive(Debug)]
pub(super) struct LineStarts<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> LineStarts<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut starts = vec![0];
        let mut last = 0;
        while let Some(length) = text.get(last..).and_then(find_line_end) {
            last += length;
            starts.push(last);
        }
        Self { text, starts }
    }

    /// The position of a byte. A byte inside a character means its start, one past the end the end.
    pub(super) fn position_of(&self, byte: usize) -> TextPosition {
        let end = self.text.floor_char_boundary(byte);
        let line = self.starts.partition_point(|start| *start <= end).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or_default();
        let letters = self.text.get(start..end).unwrap_or_default().chars();
        let units = letters.filter(|letter| !matches!(letter, '\n' | '\r'));
        let character = units.map(|letter| u32::try_from(letter.len_utf16()).unwrap_or(1)).sum();
        TextPosition { line: u32::try_from(line).unwrap_or(u32::MAX), character }
    }

    /// The range of some bytes.
    pub(super) fn range_of(&self, span: ByteSpan) -> TextRange {
        TextRange { start: self.position_of(span.start), end: self.position_of(span.end.max(span.start)) }
    }
}

/// The position of a byte of a text.
pub(super) fn position_of(text: &str, byte: usize) -> TextPosition {
    LineStarts::new(text).position_of(byte)
}

/// The range of some bytes of a text.
pub(super) fn range_of(text: &str, span: ByteSpan) -> TextRange {
    LineStarts::new(text).range_of(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: u32, character: u32) -> TextPosition {
        TextPosition { line, character }
    }

    #[test]
    fn positions_and_bytes_are_converted_both_ways() {
        let text = "aé\r\n😀b\n\nz";
        let cases = [
            (0, place(0, 0)),
            (1, place(0, 1)),
            (3, place(0, 2)),
            (5, place(1, 0)),
            (9, place(1, 2)),
            (11, place(2, 0)),
            (12, place(3, 0)),
            (13, place(3, 1)),
        ];
        for (byte, position) in cases {
            assert_eq!(position_of(text, byte), position, "{byte}");
            assert_eq!(byte_of(text, position), byte, "{position:?}");
        }
    }

    #[test]
    fn what_is_past_an_end_or_inside_a_character_is_moved() {
        let text = "aé\r\n😀b\rc";
        assert_eq!(byte_of(text, place(0, 99)), 3);
        assert_eq!(byte_of(text, place(1, 1)), 5);
        assert_eq!(byte_of(text, place(2, 0)), 11);
        assert_eq!(byte_of(text, place(u32::MAX, u32::MAX)), text.len());
        assert_eq!(position_of(text, 2), place(0, 1));
        assert_eq!(position_of(text, 4), place(0, 2));
        assert_eq!(position_of(text, usize::MAX), place(2, 1));
        assert_eq!(byte_of("", place(3, 3)), 0);
    }
}
