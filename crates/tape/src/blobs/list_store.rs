//! The lists of a tape. A list shares its elements with the earlier lists that it refers to.

use std::collections::HashMap;
use std::ops::Range;

use pintle_contract::to_hex;

use super::list::{empty_digest, extend_digest, is_large_array};
use super::resolve::ResolvedSize;
use super::source::TextSpan;
use super::{BlobName, missing_text, name_of, repeated_text};
use crate::line::DigestBytes;

/// The maximum number of elements of a list, far more than any session needs.
const MOST_ELEMENTS: usize = 1 << 20;

/// All lists up to a line of a tape.
#[derive(Debug, Default)]
pub(super) struct ListStore {
    elements: Vec<StoredElement>,
    lists: Vec<StoredList>,
    by_name: HashMap<BlobName, usize>,
}

/// An element of a list.
#[derive(Debug)]
pub(super) struct StoredElement {
    pub(super) digest: DigestBytes,
    pub(super) text: TextSpan,
    pub(super) text_bytes: usize,
    pub(super) size: ResolvedSize,
    /// Whether the writer writes this element.
    pub(super) is_written: bool,
}

#[derive(Debug)]
struct StoredList {
    digest: DigestBytes,
    parts: Vec<ListSection>,
    totals: ListTotals,
}

/// The number and the size of a list's elements.
#[derive(Debug, Clone, Copy, Default)]
struct ListTotals {
    count: usize,
    /// The size of the JSON text in which large values are replaced.
    text_bytes: usize,
    size: ResolvedSize,
    /// The number of elements that the writer does not write.
    unwritten_count: usize,
}

/// Consecutive elements of a list.
#[derive(Debug, Clone)]
enum ListSection {
    /// Elements that this list brought, by their indices.
    New(Range<usize>),
    /// Elements of an earlier list, by its index.
    Earlier { list: usize, range: Range<usize> },
}

/// A part of a list as its blob has it.
pub(super) enum NewListPart {
    Elements(Vec<StoredElement>),
    Slice { of: BlobName, range: Range<usize> },
}

impl ListSection {
    fn count(&self) -> usize {
        match self {
            Self::New(range) | Self::Earlier { range, .. } => range.len(),
        }
    }

    /// The elements of this section from one index in it to another.
    fn slice(&self, from: usize, to: usize) -> Self {
        let cut = |range: &Range<usize>| range.start + from..range.start + to;
        match self {
            Self::New(range) => Self::New(cut(range)),
            Self::Earlier { list, range } => Self::Earlier { list: *list, range: cut(range) },
        }
    }
}

impl ListStore {
    /// Adds a list. Returns its digest.
    ///
    /// # Errors
    /// When it refers to something that is not before it, or is known.
    pub(super) fn insert(&mut self, parts: Vec<NewListPart>) -> Result<DigestBytes, String> {
        let mut sections = Vec::with_capacity(parts.len());
        let (mut totals, mut digest) = (ListTotals::default(), empty_digest());
        for part in parts {
            let section = match part {
                NewListPart::Elements(elements) => {
                    let start = self.elements.len();
                    self.elements.extend(elements);
                    ListSection::New(start..self.elements.len())
                }
                NewListPart::Slice { of, range } => self.find_slice(&of, range)?,
            };
            match &section {
                // A list that grew has all elements of the list before.
                ListSection::Earlier { list, range } if sections.is_empty() && self.is_complete(*list, range) => {
                    if let Some(before) = self.lists.get(*list) {
                        (totals, digest) = (before.totals, before.digest);
                    }
                }
                section => {
                    if totals.count + section.count() > MOST_ELEMENTS {
                        return Err(format!("a list has more than {MOST_ELEMENTS} elements"));
                    }
                    self.for_each(section, &mut |element| {
                        totals.add(element);
                        digest = extend_digest(&digest, &element.digest);
                    });
                }
            }
            sections.push(section);
        }
        if self.by_name.insert(name_of(&digest), self.lists.len()).is_some() {
            return Err(repeated_text(&digest));
        }
        self.lists.push(StoredList { digest, parts: sections, totals });
        Ok(digest)
    }

    /// The size of a list after resolving, and whether the writer writes it.
    pub(super) fn describe(&self, name: &BlobName) -> Option<(ResolvedSize, bool)> {
        let ListTotals { count, text_bytes, size, unwritten_count } = self.lists.get(*self.by_name.get(name)?)?.totals;
        // A comma between two elements, and the brackets.
        let commas = count.saturating_sub(1) + 2;
        let size = ResolvedSize { size_bytes: size.size_bytes.saturating_add(commas), depth: size.depth + 1 };
        let is_written = unwritten_count == 0 && is_large_array(count, text_bytes.saturating_add(commas));
        Some((size, is_written))
    }

    /// The elements of a list, in order.
    pub(super) fn elements(&self, name: &BlobName) -> Option<Vec<&StoredElement>> {
        let list = *self.by_name.get(name)?;
        let count = self.lists.get(list)?.totals.count;
        let mut elements = Vec::with_capacity(count);
        self.for_each(&ListSection::Earlier { list, range: 0..count }, &mut |element| elements.push(element));
        Some(elements)
    }

    /// The digests of all lists, in the order of the tape.
    pub(super) fn digests(&self) -> impl DoubleEndedIterator<Item = &DigestBytes> {
        self.lists.iter().map(|list| &list.digest)
    }

    fn is_complete(&self, list: usize, range: &Range<usize>) -> bool {
        self.lists.get(list).is_some_and(|list| *range == (0..list.totals.count))
    }

    /// A part of an earlier list, as directly as it is known: a part of a part is a part of that.
    fn find_slice(&self, name: &BlobName, range: Range<usize>) -> Result<ListSection, String> {
        let missing = || missing_text(&to_hex(name));
        let mut list = *self.by_name.get(name).ok_or_else(missing)?;
        let mut range = range;
        loop {
            let known = self.lists.get(list).ok_or_else(missing)?;
            if range.is_empty() || range.end > known.totals.count {
                return Err(format!("it refers to elements that the list `{}` does not have", to_hex(name)));
            }
            if range.len() == known.totals.count {
                return Ok(ListSection::Earlier { list, range });
            }
            let mut start = 0;
            let within = known.parts.iter().find_map(|part| {
                let (from, end) = (start, start + part.count());
                start = end;
                (from <= range.start && range.end <= end).then(|| part.slice(range.start - from, range.end - from))
            });
            match within {
                Some(ListSection::Earlier { list: inner, range: part }) => (list, range) = (inner, part),
                Some(new) => return Ok(new),
                None => return Ok(ListSection::Earlier { list, range }),
            }
        }
    }

    /// Visits the elements of a section. Lists refer to lists thousands deep, so this does not recurse.
    fn for_each<'s>(&'s self, section: &ListSection, visit: &mut impl FnMut(&'s StoredElement)) {
        let mut pending = vec![section.clone()];
        while let Some(section) = pending.pop() {
            let (list, range) = match section {
                ListSection::New(range) => {
                    self.elements.get(range).into_iter().flatten().for_each(&mut *visit);
                    continue;
                }
                ListSection::Earlier { list, range } => (list, range),
            };
            let Some(list) = self.lists.get(list) else { continue };
            let first = pending.len();
            let mut start = 0;
            for part in &list.parts {
                let (from, to) = (range.start.max(start), range.end.min(start + part.count()));
                if from < to {
                    pending.push(part.slice(from - start, to - start));
                }
                start += part.count();
            }
            // The first part is visited first.
            pending.get_mut(first..).into_iter().for_each(<[_]>::reverse);
        }
    }
}

impl ListTotals {
    fn add(&mut self, element: &StoredElement) {
        self.count += 1;
        self.unwritten_count += usize::from(!element.is_written);
        self.text_bytes = self.text_bytes.saturating_add(element.text_bytes);
        self.size.size_bytes = self.size.size_bytes.saturating_add(element.size.size_bytes);
        self.size.depth = self.size.depth.max(element.size.depth);
    }
}
