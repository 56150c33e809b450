//! Moves large values out of a record into blobs.

use super::{is_reference_name, may_contain_reference};
use crate::line::digest_hex;

/// The minimum size of a string's JSON text, quotes included, that is stored as a blob.
pub(crate) const STRING_BYTES: usize = 1 << 10;
/// The minimum size of an array's or object's JSON text, after its own large values were replaced, that is stored as a
/// blob.
pub(super) const BRANCH_BYTES: usize = 4 << 10;
/// Fields whose value always stays in the record, so that verdicts can be read without resolving blobs.
const STAYING: [&[u8]; 2] = [b"\"said\"", b"\"origin\""];

/// The text of a record with its large values replaced.
#[derive(Debug)]
pub(crate) struct BlobExtraction {
    pub(crate) text: Vec<u8>,
    /// The extracted values, as digests and JSON texts, each before those that refer to it. A value may occur twice.
    pub(crate) blobs: Vec<(String, Vec<u8>)>,
}

/// Extracts the large values from the fields of a record, given as the compact JSON text of an object. Returns `None`
/// if there are none.
pub(crate) fn extract_blobs(fields: &[u8]) -> Option<BlobExtraction> {
    if fields.len() < STRING_BYTES && !may_contain_reference(fields) {
        return None;
    }
    let mut cutting = BlobExtractor { out: Vec::with_capacity(fields.len()), open: Vec::new(), blobs: Vec::new() };
    let mut changed = false;
    let mut rest = fields;
    while let Some((first, after)) = rest.split_first() {
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

#[derive(Debug)]
struct BlobExtractor {
    out: Vec<u8>,
    open: Vec<OpenContainer>,
    blobs: Vec<(String, Vec<u8>)>,
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
}

impl BlobExtractor {
    fn push_byte(&mut self, byte: u8) {
        if let Some(branch) = self.open.last_mut() {
            branch.is_before_name = branch.is_object && byte != b':' && (branch.is_before_name || byte == b',');
        }
        self.out.push(byte);
    }

    fn open_container(&mut self, bracket: u8) {
        let is_object = bracket == b'{';
        let start = self.out.len();
        self.open.push(OpenContainer { start, is_object, is_before_name: is_object, names: 0, name: (0, 0) });
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
                self.push_reference(string.to_vec());
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
        let large = !stays && self.out.len() - branch.start >= BRANCH_BYTES;
        if large {
            let value = self.out.split_off(branch.start);
            self.push_reference(value);
        }
        escaped || large
    }

    /// Stores a value as a blob and writes a reference instead.
    fn push_reference(&mut self, value: Vec<u8>) {
        let digest = digest_hex(&value);
        self.out.extend_from_slice(b"{\"$blob\":\"");
        self.out.extend_from_slice(digest.as_bytes());
        self.out.extend_from_slice(b"\"}");
        self.blobs.push((digest, value));
    }
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
