//! Moves large values out of a record into blobs.

use std::ops::Range;

use super::list::{WrittenElement, is_large_array, list_digest};
use super::{is_reference_name, may_contain_reference};
use crate::line::{digest_hex, to_hex};

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
    pub(crate) digest: String,
    pub(crate) content: BlobContent,
}

/// The content of a blob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BlobContent {
    /// The JSON text of a string or an object.
    Value(Vec<u8>),
    /// The elements of an array.
    List(Vec<WrittenElement>),
    /// The JSON text of an array's parts, of which some are in earlier lists of this tape.
    Parts(Vec<u8>),
}

/// Extracts the large values from the fields of a record, given as the compact JSON text of an object. Returns `None`
/// if there are none.
pub(crate) fn extract_blobs(fields: &[u8]) -> Option<BlobExtraction> {
    if fields.len() < STRING_BYTES && !may_contain_reference(fields) {
        return None;
    }
    extract_around(fields, &[])
}

/// Extracts the large values of JSON text. The text in the `references` is copied unchanged.
pub(crate) fn extract_around(text: &[u8], references: &[Range<usize>]) -> Option<BlobExtraction> {
    let mut cutting = BlobExtractor { out: Vec::with_capacity(text.len()), open: Vec::new(), blobs: Vec::new() };
    let mut references = references.iter().peekable();
    let mut changed = false;
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let index = text.len() - rest.len();
        if let Some(reference) = references.next_if(|reference| reference.start == index) {
            let (copied, after) = rest.split_at_checked(reference.len())?;
            cutting.out.extend_from_slice(copied);
            rest = after;
            continue;
        }
        rest = match first {
            b'"' => {
                let (string, after) = rest.split_at_checked(string_bytes(rest))?;
                changed |= cutting.push_string(string);
                after
            }
            b'{' | b'[' => {
                cutting.open_container(*first);
                after
            }
            b'}' | b']' => {
                changed |= cutting.close_container(*first);
                after
            }
            _ => {
                cutting.push_byte(*first);
                after
            }
        };
    }
    changed.then_some(BlobExtraction { text: cutting.out, blobs: cutting.blobs })
}

/// Extracts the large values of an element of a list, which may be large itself. Returns its text as it is written.
pub(crate) fn extract_element(text: Vec<u8>) -> (Vec<u8>, Vec<ExtractedBlob>) {
    if text.len() < STRING_BYTES && !may_contain_reference(&text) {
        return (text, Vec::new());
    }
    // The outermost value is never replaced.
    let framed = [b"[", text.as_slice(), b"]"].concat();
    match extract_around(&framed, &[]) {
        Some(BlobExtraction { text: element, blobs }) => {
            let element = element.strip_prefix(b"[").and_then(|element| element.strip_suffix(b"]"));
            (element.unwrap_or_default().to_vec(), blobs)
        }
        None => (text, Vec::new()),
    }
}

#[derive(Debug)]
struct BlobExtractor {
    out: Vec<u8>,
    open: Vec<OpenContainer>,
    blobs: Vec<ExtractedBlob>,
}

/// An open array or object.
#[derive(Debug)]
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

impl BlobExtractor {
    fn push_byte(&mut self, byte: u8) {
        if let Some(branch) = self.open.last_mut() {
            branch.is_before_name = branch.is_object && byte != b':' && (branch.is_before_name || byte == b',');
            if byte == b',' && !branch.is_object {
                branch.commas.push(self.out.len());
            }
        }
        self.out.push(byte);
    }

    fn open_container(&mut self, bracket: u8) {
        let is_object = bracket == b'{';
        self.open.push(OpenContainer {
            start: self.out.len(),
            is_object,
            is_before_name: is_object,
            names: 0,
            name: (0, 0),
            commas: Vec::new(),
        });
        self.out.push(bracket);
    }

    /// Copies a string. Returns whether it was replaced.
    fn push_string(&mut self, string: &[u8]) -> bool {
        let start = self.out.len();
        match self.open.last_mut() {
            Some(branch) if branch.is_before_name => {
                branch.names += 1;
                branch.name = (start, start + string.len());
                self.out.extend_from_slice(string);
                false
            }
            _ if string.len() < STRING_BYTES => {
                self.out.extend_from_slice(string);
                false
            }
            _ => {
                self.push_reference(digest_hex(string), BlobContent::Value(string.to_vec()));
                true
            }
        }
    }

    /// Closes an array or object. Returns whether it was replaced.
    fn close_container(&mut self, bracket: u8) -> bool {
        self.out.push(bracket);
        // The record itself is never replaced.
        let (Some(branch), Some(parent)) = (self.open.pop(), self.open.last()) else { return false };
        let name = self.out.get(branch.name.0 + 1..branch.name.1.saturating_sub(1)).unwrap_or_default();
        let escaped = branch.names == 1 && std::str::from_utf8(name).is_ok_and(is_reference_name);
        if escaped {
            self.out.insert(branch.name.0 + 1, b'$');
        }
        let stays = self.open.len() == 1 && {
            let field = self.out.get(parent.name.0..parent.name.1).unwrap_or_default();
            STAYING.contains(&field)
        };
        let size_bytes = self.out.len() - branch.start;
        let large = !stays
            && if branch.is_object {
                size_bytes >= OBJECT_BYTES
            } else {
                is_large_array(branch.commas.len() + 1, size_bytes)
            };
        if large && branch.is_object {
            let value = self.out.split_off(branch.start);
            self.push_reference(digest_hex(&value), BlobContent::Value(value));
        } else if large {
            let elements = self.split_off_elements(&branch);
            self.push_reference(to_hex(&list_digest(&elements)), BlobContent::List(elements));
        }
        escaped || large
    }

    /// Removes an array from the new text and returns its elements.
    fn split_off_elements(&mut self, array: &OpenContainer) -> Vec<WrittenElement> {
        let text = self.out.split_off(array.start);
        let starts = std::iter::once(array.start).chain(array.commas.iter().copied());
        let ends = array.commas.iter().copied().chain([array.start + text.len() - 1]);
        let element = |(start, end): (usize, usize)| text.get(start + 1 - array.start..end - array.start);
        starts.zip(ends).filter_map(element).map(|text| WrittenElement::new(text.to_vec())).collect()
    }

    /// Stores a value as a blob and writes a reference instead.
    fn push_reference(&mut self, digest: String, content: BlobContent) {
        push_reference(&mut self.out, &digest);
        self.blobs.push(ExtractedBlob { digest, content });
    }
}

/// Appends a reference to a blob.
pub(crate) fn push_reference(text: &mut Vec<u8>, digest: &str) {
    text.extend_from_slice(b"{\"$blob\":\"");
    text.extend_from_slice(digest.as_bytes());
    text.extend_from_slice(b"\"}");
}

/// The length of the string at the start, with its quotes.
fn string_bytes(text: &[u8]) -> usize {
    let mut escaped = false;
    let inside = text.iter().skip(1).position(|byte| match byte {
        _ if escaped => {
            escaped = false;
            false
        }
        b'\\' => {
            escaped = true;
            false
        }
        byte => *byte == b'"',
    });
    inside.map_or(text.len(), |end| end + 2)
}
