//! Arrays that are written in parts, so that an array that grows costs what it grows by.

use std::sync::Arc;

use serde_json::Value;

use crate::line::{DigestBytes, digest_bytes};

/// The minimum size of the JSON text of an array of [`FEW_ELEMENTS`] or more that is written as a list.
const LIST_BYTES: usize = 1 << 10;
/// The minimum size of the JSON text of any array that is written as a list.
const SHORT_LIST_BYTES: usize = 4 << 10;
/// The number of elements from which an array is expected to grow.
pub(crate) const FEW_ELEMENTS: usize = 4;

/// An element of a written list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WrittenElement {
    pub(super) digest: DigestBytes,
    /// The digest of the list up to this element.
    pub(super) list_digest: DigestBytes,
    /// The size of the texts up to this element.
    pub(super) end_bytes: usize,
}

/// A list that is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NewList {
    /// The list that it takes elements from, if that is decided.
    pub(super) base: Option<ListBase>,
    /// The elements with which it does not begin as its base does, each with its text; `None` if the base has it, too.
    pub(super) elements: Vec<(WrittenElement, Option<Vec<u8>>)>,
    /// The elements before they were written, to compare the next list with them.
    pub(super) values: Vec<Arc<Value>>,
    /// The host's number of the list that grows.
    pub(super) number: Option<u64>,
}

/// The recent list that another one takes elements from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListBase {
    pub(super) id: u64,
    /// The number of elements with which both begin, and the last one of them.
    pub(super) shared_count: usize,
    pub(super) shared_last: Option<WrittenElement>,
}

impl WrittenElement {
    /// The element after another one, if there is one.
    pub(super) fn after(last: Option<&Self>, digest: DigestBytes, text_bytes: usize) -> Self {
        let list_digest = last.map_or_else(empty_digest, |last| last.list_digest);
        let end_bytes = last.map_or(0, |last| last.end_bytes) + text_bytes;
        Self { digest, list_digest: extend_digest(&list_digest, &digest), end_bytes }
    }
}

impl NewList {
    pub(super) fn push(&mut self, text: Vec<u8>) {
        let element = WrittenElement::after(self.last(), digest_bytes(&text), text.len());
        self.elements.push((element, Some(text)));
    }

    /// Adds an element that the base has at another index.
    pub(super) fn push_known(&mut self, digest: DigestBytes, text_bytes: usize) {
        self.elements.push((WrittenElement::after(self.last(), digest, text_bytes), None));
    }

    pub(super) fn digest(&self) -> DigestBytes {
        self.last().map_or_else(empty_digest, |last| last.list_digest)
    }

    /// Whether it is large enough to be written as a list.
    pub(super) fn is_large(&self) -> bool {
        let count = self.base.map_or(0, |base| base.shared_count) + self.elements.len();
        // A comma between two elements, and the brackets.
        is_large_array(count, self.last().map_or(0, |last| last.end_bytes) + count + 1)
    }

    fn last(&self) -> Option<&WrittenElement> {
        let shared = self.base.as_ref().and_then(|base| base.shared_last.as_ref());
        self.elements.last().map(|(element, _)| element).or(shared)
    }
}

/// Whether an array is written as a list.
pub(super) fn is_large_array(element_count: usize, size_bytes: usize) -> bool {
    size_bytes >= if element_count >= FEW_ELEMENTS { LIST_BYTES } else { SHORT_LIST_BYTES }
}

/// The digest of a list without elements.
pub(super) fn empty_digest() -> DigestBytes {
    digest_bytes(b"[]")
}

/// The digest of a list that is one element longer.
pub(super) fn extend_digest(list: &DigestBytes, element: &DigestBytes) -> DigestBytes {
    let mut both = [0; 64];
    let (before, after) = both.split_at_mut(32);
    before.copy_from_slice(list);
    after.copy_from_slice(element);
    digest_bytes(&both)
}
