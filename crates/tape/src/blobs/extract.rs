//! Moves large values out of a record into blobs.

use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;
use pintle_contract::to_hex;

use super::list::{NewList, is_large_array};
use super::resolve::MOST_BYTES;
use super::shared_text::{SharedText, digest_value};
use super::{BlobStore, NAME, NAME_DIGITS, is_reference_name, may_contain_reference, name_of};
use crate::line::{DEEPEST, DigestBytes, string_bytes};

/// The minimum size of a string's JSON text, quotes included, that is stored as a blob.
pub(crate) const STRING_BYTES: usize = 1 << 10;
/// The minimum size of an object's JSON text, after its own large values were replaced, that is stored as a blob.
pub(super) const OBJECT_BYTES: usize = 4 << 10;
/// Fields whose value always stays in the record, so that verdicts can be read without resolving blobs.
const STAYING: [&[u8]; 2] = [b"\"verdict\"", b"\"origin\""];

/// The text of a record with its large values replaced.
#[derive(Debug)]
pub(crate) struct BlobExtraction {
    pub(crate) text: Vec<u8>,
    /// The extracted values, each before those that refer to it. A value may occur twice.
    pub(crate) blobs: Vec<ExtractedBlob>,
}

/// A value that is written in a blob, with its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExtractedBlob {
    pub(crate) digest: DigestBytes,
    pub(crate) content: BlobContent,
}

/// The content of a blob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BlobContent {
    /// The JSON text of a string or an object. Of a long one there is one copy, however many records have it.
    Value(SharedText),
    /// An array.
    List(NewList),
}

/// Extracts the large values from the fields of a record, given as the compact JSON text of an object. Returns `None`
/// if there are none.
pub(crate) fn extract_blobs(fields: &Arc<Vec<u8>>) -> Option<BlobExtraction> {
    if is_short(fields) {
        return None;
    }
    let mut extractor = BlobExtractor::default();
    extractor.push_shared(fields, 0..fields.len());
    extractor.finish()
}

/// Extracts the large values of an element of a list, which may be large itself. Returns its text as it is written.
pub(crate) fn extract_element(text: Vec<u8>) -> (Vec<u8>, Vec<ExtractedBlob>) {
    if is_short(&text) {
        return (text, Vec::new());
    }
    // The outermost value is never replaced.
    let mut extractor = BlobExtractor::default();
    extractor.push(b"[");
    extractor.push(&text);
    match extractor.finish() {
        Some(BlobExtraction { text: element, blobs }) => (element.get(1..).unwrap_or_default().to_vec(), blobs),
        None => (text, Vec::new()),
    }
}

/// Whether JSON text is too short for a large value, and contains nothing that looks like a reference.
fn is_short(text: &[u8]) -> bool {
    text.len() < STRING_BYTES && !may_contain_reference(text)
}

impl BlobStore<'_> {
    /// Whether the writer leaves canonical text of a tape as it is: there is nothing large in it, and each reference is
    /// to a blob of this tape that the writer writes. The text is in `outer`, the start of a container.
    pub(crate) fn is_written(&self, outer: &[u8], text: &[u8]) -> bool {
        if is_short(text) {
            return true;
        }
        if text.len() < STRING_BYTES
            && let Some(has_written) = self.has_written_references(outer.len(), text)
        {
            return has_written;
        }
        let mut extractor = BlobExtractor { known: Some(self), ..BlobExtractor::default() };
        extractor.push(outer);
        extractor.push(text);
        !extractor.is_changed
    }

    /// Whether the writer writes all blobs that short text refers to. `None` if something else looks like a reference, or
    /// if only the whole text shows how deep the references are.
    fn has_written_references(&self, outer_depth: usize, text: &[u8]) -> Option<bool> {
        let (mut size_bytes, mut deepest) = (0_usize, 0);
        for index in memmem::find_iter(text, b"$blob\"") {
            let reference = text.get(index.checked_sub(2)?..)?.strip_prefix(b"{\"$blob\":\"")?;
            let (name, end) = reference.split_at_checked(NAME_DIGITS)?;
            if !end.starts_with(b"\"}") {
                return None;
            }
            let Some(size) = std::str::from_utf8(name).ok().and_then(|name| self.written_size(name)) else {
                return Some(false);
            };
            size_bytes = size_bytes.saturating_add(size.size_bytes);
            deepest = deepest.max(size.depth);
        }
        let most_depth = outer_depth + text.iter().filter(|byte| matches!(byte, b'{' | b'[')).count();
        (size_bytes <= MOST_BYTES && most_depth + deepest <= DEEPEST).then_some(true)
    }
}

/// Copies JSON text and replaces the large values in it.
#[derive(Debug, Default)]
pub(crate) struct BlobExtractor<'b> {
    out: Vec<u8>,
    open: Vec<OpenContainer>,
    blobs: Vec<ExtractedBlob>,
    is_changed: bool,
    /// The blobs of the tape that the text is from. Its references stay.
    known: Option<&'b BlobStore<'b>>,
    /// The total size of the blobs that it refers to.
    known_bytes: usize,
}

/// An open array or object.
#[derive(Debug, Default)]
struct OpenContainer {
    /// Its start in the new text.
    start: usize,
    is_object: bool,
    /// Whether a name comes next.
    is_before_name: bool,
    names: usize,
    /// The range of its last name in the new text.
    name: (usize, usize),
    /// The ends of an array's elements except the last one, in the new text.
    commas: Vec<usize>,
}

impl BlobExtractor<'_> {
    /// Adds JSON text that ends between two tokens.
    pub(crate) fn push(&mut self, text: &[u8]) {
        self.push_with(text, |range| SharedText::from(text.get(range).unwrap_or_default().to_vec()));
    }

    /// Adds a part of a text, whose long strings are shared.
    pub(crate) fn push_shared(&mut self, text: &Arc<Vec<u8>>, range: Range<usize>) {
        let start = range.start;
        let part_of = |part: Range<usize>| SharedText::part_of(text, start + part.start..start + part.end);
        self.push_with(text.get(range).unwrap_or_default(), part_of);
    }

    /// Adds text of which `take` takes the parts that are written in blobs.
    fn push_with(&mut self, text: &[u8], take: impl Fn(Range<usize>) -> SharedText) {
        let mut rest = text;
        while let Some(first) = rest.first() {
            let size_bytes = match first {
                b'"' => string_bytes(rest),
                b'{' | b'[' | b'}' | b']' | b',' | b':' => 1,
                _ => rest.iter().position(|byte| b",:]}".contains(byte)).unwrap_or(rest.len()),
            };
            let Some((token, after)) = rest.split_at_checked(size_bytes) else { return };
            match first {
                b'"' => self.push_string(token, || {
                    let start = text.len() - rest.len();
                    take(start..start + size_bytes)
                }),
                b'{' | b'[' => self.open_container(*first),
                b'}' | b']' => self.close_container(*first),
                b',' | b':' => self.push_separator(*first),
                _ => self.out.extend_from_slice(token),
            }
            rest = after;
        }
    }

    /// The text with its large values replaced; `None` if there are none.
    pub(crate) fn finish(self) -> Option<BlobExtraction> {
        self.is_changed.then_some(BlobExtraction { text: self.out, blobs: self.blobs })
    }

    fn push_separator(&mut self, byte: u8) {
        if let Some(container) = self.open.last_mut() {
            container.is_before_name = container.is_object && byte == b',';
            if byte == b',' && !container.is_object {
                container.commas.push(self.out.len());
            }
        }
        self.out.push(byte);
    }

    fn open_container(&mut self, bracket: u8) {
        let is_object = bracket == b'{';
        let start = self.out.len();
        self.open.push(OpenContainer { start, is_object, is_before_name: is_object, ..OpenContainer::default() });
        self.out.push(bracket);
    }

    fn push_string(&mut self, string: &[u8], take: impl FnOnce() -> SharedText) {
        let start = self.out.len();
        match self.open.last_mut() {
            Some(container) if container.is_before_name => {
                container.names += 1;
                container.name = (start, start + string.len());
                self.out.extend_from_slice(string);
            }
            _ if string.len() < STRING_BYTES => self.out.extend_from_slice(string),
            _ => self.push_value_reference(take()),
        }
    }

    fn close_container(&mut self, bracket: u8) {
        self.out.push(bracket);
        // The record itself is never replaced.
        let (Some(container), Some(parent)) = (self.open.pop(), self.open.last()) else { return };
        let stays =
            self.open.len() == 1 && STAYING.contains(&self.out.get(parent.name.0..parent.name.1).unwrap_or_default());
        self.check_name(&container);
        let size_bytes = self.out.len() - container.start;
        if !stays && container.is_object && size_bytes >= OBJECT_BYTES {
            let value = self.out.split_off(container.start);
            self.push_value_reference(SharedText::from(value));
        } else if !stays && !container.is_object && is_large_array(container.commas.len() + 1, size_bytes) {
            let list = self.split_off_list(&container);
            self.push_reference(ExtractedBlob { digest: list.digest(), content: BlobContent::List(list) });
        }
    }

    /// Checks the only name of an object, which may be that of a reference. Outside of a tape it is escaped.
    fn check_name(&mut self, object: &OpenContainer) {
        let (start, end) = (object.name.0 + 1, object.name.1.saturating_sub(1));
        let name = self.out.get(start..end).and_then(|name| std::str::from_utf8(name).ok()).unwrap_or_default();
        if object.names != 1 || !is_reference_name(name) {
            return;
        }
        let Some(blobs) = self.known else {
            self.out.insert(start, b'$');
            self.is_changed = true;
            return;
        };
        if name == NAME {
            let name = self.out.get(end + 3..self.out.len() - 2).and_then(|name| std::str::from_utf8(name).ok());
            let Some(size) = name.and_then(|name| blobs.written_size(name)) else {
                self.is_changed = true;
                return;
            };
            self.known_bytes = self.known_bytes.saturating_add(size.size_bytes);
            self.is_changed |= self.known_bytes > MOST_BYTES || self.open.len() + size.depth > DEEPEST;
        }
    }

    /// Removes an array from the new text and returns its elements.
    fn split_off_list(&mut self, array: &OpenContainer) -> NewList {
        let text = self.out.split_off(array.start);
        let mut list = NewList::default();
        let mut start = 1;
        for end in array.commas.iter().map(|comma| comma - array.start).chain([text.len() - 1]) {
            list.push(text.get(start..end).unwrap_or_default().to_vec());
            start = end + 1;
        }
        list
    }

    fn push_value_reference(&mut self, value: SharedText) {
        self.push_reference(ExtractedBlob { digest: digest_value(&value), content: BlobContent::Value(value) });
    }

    /// Writes a reference to a value that is in a blob.
    pub(super) fn push_reference(&mut self, blob: ExtractedBlob) {
        self.out.extend_from_slice(b"{\"$blob\":\"");
        self.out.extend_from_slice(to_hex(&name_of(&blob.digest)).as_bytes());
        self.out.extend_from_slice(b"\"}");
        self.blobs.push(blob);
        self.is_changed = true;
    }

    /// Adds blobs that the next one refers to.
    pub(super) fn push_blobs(&mut self, blobs: Vec<ExtractedBlob>) {
        self.blobs.extend(blobs);
    }
}
