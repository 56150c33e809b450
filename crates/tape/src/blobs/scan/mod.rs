//! Checks that JSON text is exactly as the writer writes it, without parsing it into values.
//!
//! The check is sufficient but not necessary: text that is not recognised may still be canonical, such as a number with
//! an exponent. The caller then parses the text and writes it again to compare.

use super::extract::{OBJECT_BYTES, STRING_BYTES};
use super::list::is_large_array;
use super::resolve::MOST_BYTES;
use super::{BlobStore, NAME};
use crate::line::DEEPEST;

/// The maximum number of names in one object, because they are compared with each other.
const MOST_NAMES: usize = 40;
/// The prefix of names with a special meaning in `serde_json`.
const PRIVATE: &str = "$serde_json";

/// What kind of JSON value was scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonKind {
    /// A string.
    Text,
    /// An array.
    List,
    /// Any other value.
    Other,
}

/// Scans the fields of one record.
#[derive(Debug)]
pub(crate) struct FieldScanner<'s, 'b> {
    blobs: &'s BlobStore<'b>,
    text: &'s str,
    index: usize,
    /// The names of the open objects, by their ranges.
    names: Vec<(usize, usize)>,
    /// The total size of the blobs that are resolved.
    size_bytes: usize,
    /// The number of elements of the last array.
    element_count: usize,
}

impl<'s, 'b> FieldScanner<'s, 'b> {
    pub(crate) fn new(blobs: &'s BlobStore<'b>, text: &'s str) -> Self {
        Self { blobs, text, index: 0, names: Vec::new(), size_bytes: 0, element_count: 0 }
    }

    /// Scans the whole text as the value of a blob.
    pub(super) fn scan_blob(mut self) -> Option<JsonKind> {
        let kind = self.scan_any_value(0)?;
        (self.index == self.text.len()).then_some(kind)
    }

    /// Scans the whole text as an element of a list. Returns whether it is written as the writer writes it.
    pub(super) fn scan_element(mut self) -> bool {
        self.scan_value(1).is_some() && self.index == self.text.len()
    }

    /// The current index.
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// Skips this byte if it comes next. Returns whether it did.
    pub(crate) fn consume(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.index += usize::from(is_next);
        is_next
    }

    /// Scans a name and returns it without its quotes.
    pub(crate) fn scan_name(&mut self) -> Option<&'s str> {
        let start = self.index;
        self.scan_string()?;
        self.text.get(start + 1..self.index - 1)
    }

    /// Scans the value of a field of the record.
    pub(crate) fn scan_field(&mut self) -> Option<JsonKind> {
        self.scan_value(1)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.index).copied()
    }

    /// Scans a value that is not replaced by a reference, and so must not be large.
    fn scan_value(&mut self, depth: usize) -> Option<JsonKind> {
        let start = self.index;
        let first = self.peek()?;
        let kind = self.scan_any_value(depth)?;
        let size_bytes = self.index - start;
        let is_large = match first {
            b'"' => size_bytes >= STRING_BYTES,
            b'{' => size_bytes >= OBJECT_BYTES,
            b'[' => is_large_array(self.element_count, size_bytes),
            _ => false,
        };
        (!is_large).then_some(kind)
    }

    fn scan_any_value(&mut self, depth: usize) -> Option<JsonKind> {
        match self.peek()? {
            b'"' => self.scan_string().map(|()| JsonKind::Text),
            b'{' => self.scan_object(depth + 1),
            b'[' => self.scan_list(depth + 1),
            b't' => self.scan_word("true"),
            b'f' => self.scan_word("false"),
            b'n' => self.scan_word("null"),
            _ => self.scan_number(),
        }
    }

    fn check_depth(&self, depth: usize) -> Option<()> {
        (depth <= DEEPEST).then_some(())
    }

    fn scan_list(&mut self, depth: usize) -> Option<JsonKind> {
        self.check_depth(depth)?;
        self.index += 1;
        // The extraction counts the elements by the commas between them.
        let mut count = 1;
        if !self.consume(b']') {
            self.scan_value(depth)?;
            while !self.consume(b']') {
                self.consume(b',').then_some(())?;
                self.scan_value(depth)?;
                count += 1;
            }
        }
        self.element_count = count;
        Some(JsonKind::List)
    }

    fn scan_object(&mut self, depth: usize) -> Option<JsonKind> {
        self.check_depth(depth)?;
        self.index += 1;
        if self.consume(b'}') {
            return Some(JsonKind::Other);
        }
        let first = self.names.len();
        let mut last = (0, 0);
        loop {
            self.push_unique_name(first)?;
            self.consume(b':').then_some(())?;
            last.0 = self.index;
            self.scan_value(depth)?;
            last.1 = self.index;
            if self.consume(b'}') {
                break;
            }
            self.consume(b',').then_some(())?;
        }
        let only = self.names.get(first..).and_then(|names| <&[_; 1]>::try_from(names).ok()).copied();
        self.names.truncate(first);
        match only {
            Some([(start, end)]) if self.text.get(start..end)? == NAME => self.scan_reference(last, depth - 1),
            _ => Some(JsonKind::Other),
        }
    }

    /// Adds a name that must differ from the object's other names, which start at `first`.
    fn push_unique_name(&mut self, first: usize) -> Option<()> {
        let start = self.index + 1;
        self.scan_string()?;
        let place = (start, self.index - 1);
        let name = self.text.get(start..self.index - 1)?;
        let others = self.names.get(first..)?;
        let is_new = |other: &(usize, usize)| self.text.get(other.0..other.1) != Some(name);
        let is_plain = others.len() < MOST_NAMES && !name.starts_with(PRIVATE) && others.iter().all(is_new);
        is_plain.then(|| self.names.push(place))
    }

    /// Scans a reference to the digest in this range, quotes included, inside `depth` brackets.
    fn scan_reference(&mut self, (start, end): (usize, usize), depth: usize) -> Option<JsonKind> {
        let name = self.text.get(start + 1..end.checked_sub(1)?)?;
        let shape = self.blobs.shape(name).filter(|shape| shape.is_large)?;
        self.check_depth(depth + shape.size.depth)?;
        self.size_bytes = self.size_bytes.checked_add(shape.size.size_bytes).filter(|size| *size <= MOST_BYTES)?;
        Some(shape.kind)
    }

    /// Scans a string with only the escapes that the writer uses.
    fn scan_string(&mut self) -> Option<()> {
        self.consume(b'"').then_some(())?;
        loop {
            let rest = self.text.as_bytes().get(self.index..)?;
            self.index += rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | ..0x20))?;
            if self.consume(b'"') {
                return Some(());
            }
            self.consume(b'\\').then_some(())?;
            match self.peek()? {
                b'"' | b'\\' | b'b' | b't' | b'n' | b'f' | b'r' => self.index += 1,
                b'u' => {
                    let digits = self.text.as_bytes().get(self.index + 1..self.index + 5)?;
                    let [b'0', b'0', high @ (b'0' | b'1'), low @ (b'0'..=b'9' | b'a'..=b'f')] = digits else {
                        return None;
                    };
                    // These have a shorter escape.
                    if *high == b'0' && matches!(low, b'8' | b'9' | b'a' | b'c' | b'd') {
                        return None;
                    }
                    self.index += 5;
                }
                _ => return None,
            }
        }
    }

    fn scan_word(&mut self, word: &str) -> Option<JsonKind> {
        self.text.get(self.index..)?.starts_with(word).then(|| self.index += word.len())?;
        Some(JsonKind::Other)
    }

    /// Scans a number without an exponent.
    fn scan_number(&mut self) -> Option<JsonKind> {
        let is_negative = self.consume(b'-');
        let start = self.index;
        let whole = self.scan_digits()?;
        let is_zero = self.text.as_bytes().get(start) == Some(&b'0');
        if is_zero && (whole > 1 || is_negative) {
            return None;
        }
        if self.consume(b'.') {
            self.scan_digits()?;
        }
        (!matches!(self.peek(), Some(b'e' | b'E'))).then_some(JsonKind::Other)
    }

    /// Scans digits and returns their number, at least one.
    fn scan_digits(&mut self) -> Option<usize> {
        let start = self.index;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.index += 1;
        }
        Some(self.index - start).filter(|count| *count > 0)
    }
}

#[cfg(test)]
mod tests;
