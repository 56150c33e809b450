//! Text that the records of a call share.

use std::collections::VecDeque;
use std::ops::{Deref, Range, RangeInclusive};
use std::sync::{Arc, Mutex, PoisonError};

use crate::line::{DigestBytes, digest_bytes};

/// A part of a text is shared if it is at least this part of it, because it keeps all of it in memory.
const LEAST_SHARED: usize = 3;

/// The size of values whose digests are remembered.
const REMEMBERED_BYTES: RangeInclusive<usize> = 16 << 10..=1 << 20;
/// The number of digests that are remembered.
const REMEMBERED_VALUES: usize = 4;

/// Bytes that are not copied.
#[derive(Debug, Clone)]
pub(crate) struct SharedText {
    whole: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl SharedText {
    /// A part of a text.
    pub(super) fn part_of(whole: &Arc<Vec<u8>>, range: Range<usize>) -> Self {
        if range.len() >= whole.len() / LEAST_SHARED {
            return Self { whole: Arc::clone(whole), range };
        }
        Self::from(whole.get(range).unwrap_or_default().to_vec())
    }
}

impl From<Vec<u8>> for SharedText {
    fn from(text: Vec<u8>) -> Self {
        Self { range: 0..text.len(), whole: Arc::new(text) }
    }
}

impl Deref for SharedText {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.whole.get(self.range.clone()).unwrap_or_default()
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for SharedText {}

/// SHA-256 of the JSON text of a value.
///
/// The long values of one call are recorded several times, before and after the call among others. Comparing a value with
/// those before it costs a small part of what the digest costs.
pub(super) fn digest_value(json: &SharedText) -> DigestBytes {
    static RECENT: Mutex<VecDeque<(SharedText, DigestBytes)>> = Mutex::new(VecDeque::new());
    if !REMEMBERED_BYTES.contains(&json.len()) {
        return digest_bytes(json);
    }
    // No statement between two changes can panic.
    let lock = || RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    let known = lock().iter().find(|(text, _)| text == json).map(|(_, digest)| *digest);
    known.unwrap_or_else(|| {
        let digest = digest_bytes(json);
        let mut recent = lock();
        recent.truncate(REMEMBERED_VALUES - 1);
        recent.push_front((json.clone(), digest));
        digest
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembered_digest_is_that_of_the_value() {
        let mut values: Vec<Vec<u8>> = (0..6).map(|last| [&[b'x'; 20_000][..], &[last]].concat()).collect();
        values.push(vec![b'x'; 20_000]);
        for value in values.iter().chain(&values).map(|value| SharedText::from(value.clone())) {
            assert_eq!((digest_value(&value), digest_value(&value)), (digest_bytes(&value), digest_bytes(&value)));
        }
    }

    #[test]
    fn a_small_part_does_not_keep_the_whole() {
        let whole = Arc::new((0..90).collect::<Vec<u8>>());
        for (range, count) in [(0..90, 2), (10..40, 2), (10..39, 1), (90..90, 1), (80..100, 1)] {
            let part = SharedText::part_of(&whole, range.clone());
            assert_eq!(*part, *whole.get(range.clone()).unwrap_or_default());
            assert_eq!(Arc::strong_count(&whole), count, "{range:?}");
        }
    }
}
