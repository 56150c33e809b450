//! Arrays that are written in parts, so that an array that grows costs what it grows by.

use serde_json::Value;

use crate::line::{DigestBytes, digest_bytes};

/// The minimum size of the JSON text of an array of [`FEW_ELEMENTS`] or more that is written as a list.
const LIST_BYTES: usize = 1 << 10;
/// The minimum size of the JSON text of any array that is written as a list.
const SHORT_LIST_BYTES: usize = 4 << 10;
/// The number of elements from which an array is expected to grow.
pub(crate) const FEW_ELEMENTS: usize = 4;

/// An element of a list, as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WrittenElement {
    pub(crate) text: Vec<u8>,
    pub(crate) digest: DigestBytes,
}

impl WrittenElement {
    pub(crate) fn new(text: Vec<u8>) -> Self {
        Self { digest: digest_bytes(&text), text }
    }
}

/// Whether an array is written as a list.
pub(crate) fn is_large_array(element_count: usize, size_bytes: usize) -> bool {
    size_bytes >= if element_count >= FEW_ELEMENTS { LIST_BYTES } else { SHORT_LIST_BYTES }
}

/// The digest of a list without elements.
pub(crate) fn empty_digest() -> DigestBytes {
    digest_bytes(b"[]")
}

/// The digest of a list that is one element longer.
pub(crate) fn extend_digest(list: &DigestBytes, element: &DigestBytes) -> DigestBytes {
    let mut both = [0; 64];
    let (before, after) = both.split_at_mut(32);
    before.copy_from_slice(list);
    after.copy_from_slice(element);
    digest_bytes(&both)
}

/// The digest of a list.
pub(crate) fn list_digest(elements: &[WrittenElement]) -> DigestBytes {
    elements.iter().fold(empty_digest(), |list, element| extend_digest(&list, &element.digest))
}

/// Whether two values have the same JSON text. Unlike equality, this includes the order of fields.
pub(crate) fn has_same_text(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(one), Value::String(other)) => one == other,
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| has_same_text(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let is_same = |((name, one), (other_name, other))| name == other_name && has_same_text(one, other);
            one.len() == other.len() && one.iter().zip(other).all(is_same)
        }
        (one, other) => one == other,
    }
}
