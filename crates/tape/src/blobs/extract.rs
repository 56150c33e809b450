//! Taking large values out of the text of a record.

use super::{is_reference_name, may_contain_reference};
use crate::line::digest_hex;

/// The JSON text of a string from which it is kept elsewhere, with its quotes.
pub(crate) const STRING_BYTES: usize = 1 << 10;
/// The JSON text of an array or object from which it is kept elsewhere, after what is large in it was.
pub(super) const BRANCH_BYTES: usize = 4 << 10;
/// Fields of a record whose value stays in the record as a whole, so that who decided what is read without looking elsewhere.
const STAYING: [&[u8]; 2] = [b"\"said\"", b"\"origin\""];

/// The text of a record without what is large in it.
#[derive(Debug)]
pub(crate) struct BlobExtraction {
    pub(crate) text: Vec<u8>,
    /// What was taken out, as digests and JSON texts, each before those that refer to it. A value may come twice.
    pub(crate) blobs: Vec<(String, Vec<u8>)>,
}

/// Takes what is large out of the fields of a record, which are the compact JSON text of an object; `None` when there is
/// nothing to take out.
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

/// An array or object that has begun.
#[derive(Debug)]
struct OpenContainer {
    /// Where it begins in the new text.
    start: usize,
    is_object: bool,
    /// Whether a name comes next.
    is_before_name: bool,
    names: usize,
    /// Where its last name stands in the new text.
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

    /// Takes a string over; gives whether it was changed.
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

    /// Ends an array or object; gives whether it was changed.
    fn close_container(&mut self, bracket: u8) -> bool {
        self.out.push(bracket);
        // The record itself is never changed.
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

    /// Keeps a value elsewhere and puts a reference in its place.
    fn push_reference(&mut self, value: Vec<u8>) {
        let digest = digest_hex(&value);
        self.out.extend_from_slice(b"{\"$blob\":\"");
        self.out.extend_from_slice(digest.as_bytes());
        self.out.extend_from_slice(b"\"}");
        self.blobs.push((digest, value));
    }
}

/// How long the string at the beginning is, with its quotes.
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
