//! The lists that were written last, from which the next one may take elements.

use std::collections::HashMap;
use std::io::Write as _;
use std::ops::Range;
use std::sync::Arc;

use pintle_contract::{Redactor, to_hex};
use serde_json::Value;

use super::extract::{BlobContent, BlobExtractor, ExtractedBlob, extract_element};
use super::list::{ListBase, NewList, WrittenElement, empty_digest};
use super::name_of;
use crate::line::{DigestBytes, is_deep};

/// The number of lists that are remembered.
pub(super) const MOST_LISTS: usize = 8;
/// The number of elements by which similar lists are found.
const FIRST_ELEMENTS: usize = 8;
/// How far elements are searched that were moved because others before them were removed or added.
const FARTHEST_MOVE: usize = 16;

/// The lists that were written last, the newest last.
#[derive(Debug, Default)]
pub(crate) struct RecentLists {
    lists: Vec<RecentList>,
    next_id: u64,
}

/// A list that was written.
#[derive(Debug, Default)]
struct RecentList {
    /// Its number, which stays the same when it is continued.
    id: u64,
    elements: Vec<WrittenElement>,
    /// The elements before they were written, if they are known.
    values: Vec<Arc<Value>>,
    /// The host's number of the list, if the host continues it.
    number: Option<u64>,
}

impl RecentList {
    /// Finds an element behind a position, which becomes the position after it.
    fn find_moved(&self, item: &Value, position: &mut usize) -> Option<(DigestBytes, usize, Arc<Value>)> {
        let mut nearby = self.values.iter().enumerate().skip(*position).take(FARTHEST_MOVE);
        let (index, value) = nearby.find(|(_, known)| has_same_text(known, item))?;
        *position = index + 1;
        let before = index.checked_sub(1).and_then(|before| self.elements.get(before));
        let known = self.elements.get(index)?;
        Some((known.digest, known.end_bytes - before.map_or(0, |before| before.end_bytes), Arc::clone(value)))
    }
}

impl RecentLists {
    /// Continues after the lists of a tape, the newest last: the digests of their elements and their sizes.
    pub(super) fn resume_after(lists: impl Iterator<Item = Vec<(DigestBytes, usize)>>) -> Self {
        let mut recent = Self::default();
        for list in lists {
            let mut elements: Vec<WrittenElement> = Vec::new();
            for (digest, text_bytes) in list {
                elements.push(WrittenElement::after(elements.last(), digest, text_bytes));
            }
            recent.lists.push(RecentList { id: recent.next_id, elements, ..RecentList::default() });
            recent.next_id += 1;
        }
        recent
    }

    /// Begins a record, whose lists refer only to those that are remembered now.
    pub(crate) fn begin_record(&mut self) {
        self.lists.drain(..self.lists.len().saturating_sub(MOST_LISTS));
    }

    /// Forgets the values and the numbers: elements have to be checked again.
    pub(crate) fn forget_values(&mut self) {
        self.lists.iter_mut().for_each(|list| (list.values, list.number) = (Vec::new(), None));
    }

    /// The list that the host continues, and how much of it. A host continues a list once, because the next array may be
    /// written otherwise.
    pub(crate) fn take_continued(&mut self, number: u64, count: usize) -> Option<ListBase> {
        let index = self.lists.iter().position(|list| list.number == Some(number))?;
        self.lists.get_mut(index)?.number = None;
        self.base_of(index, count).filter(|base| base.shared_last.is_some())
    }

    /// Adds an array to the text of a record, or a reference to it. Only elements that are not known are encoded, and
    /// searched for secrets: those that were written contain none. `growing` is the host's number of the list, and the
    /// list that it continues. `None` if the record has to be written otherwise: the array nests too deep at its depth,
    /// or a new element contains a secret.
    pub(crate) fn push_array(
        &self,
        extractor: &mut BlobExtractor<'_>,
        (items, depth): (&[Value], usize),
        growing: Option<(u64, Option<ListBase>)>,
        secrets: Option<&dyn Redactor>,
    ) -> Option<()> {
        let continued = growing.and_then(|(_, base)| base).filter(|base| base.shared_count <= items.len());
        debug_assert!(
            continued.is_none_or(|base| encode_beginning(items, base.shared_count) == base.shared_last),
            "the messages of a request do not begin as its host says"
        );
        let base =
            continued.or_else(|| self.find_base(items, |list| &list.values, |known, item| has_same_text(known, item)));
        let before = base.and_then(|base| self.lists.iter().find(|list| list.id == base.id));
        let number = growing.map(|(number, _)| number);
        let mut list = NewList { base, number, ..NewList::default() };
        let mut blobs = Vec::new();
        let mut position = base.map_or(0, |base| base.shared_count);
        for item in items.iter().skip(position) {
            if let Some((known, text_bytes, value)) = before.and_then(|list| list.find_moved(item, &mut position)) {
                list.push_known(known, text_bytes);
                list.values.push(value);
                continue;
            }
            let text = serde_json::to_string(item).ok()?;
            let has_secret =
                |secrets: &dyn Redactor| secrets.may_contain_secret(&text) && secrets.redact_value(item).is_some();
            if is_deep(text.as_bytes(), depth) || secrets.is_some_and(has_secret) {
                return None;
            }
            let (text, inner) = extract_element(text.into_bytes());
            blobs.extend(inner);
            list.push(text);
            // What the host knows is not compared.
            list.values.extend(number.is_none().then(|| Arc::new(item.clone())));
        }
        if !list.is_large() {
            extractor.push(&serde_json::to_vec(items).ok()?);
            return Some(());
        }
        extractor.push_blobs(blobs);
        extractor.push_reference(ExtractedBlob { digest: list.digest(), content: BlobContent::List(list) });
        Some(())
    }

    /// Adds the newest list of the tape, and returns the JSON text of its parts.
    pub(crate) fn add(&mut self, list: NewList) -> Vec<u8> {
        let NewList { base: decided, mut elements, values, number } = list;
        let base = decided
            .or_else(|| self.find_base(&elements, |list| &list.elements, |known, (new, _)| known.digest == new.digest));
        let index = base.and_then(|base| self.lists.iter().position(|list| list.id == base.id));
        let shared_count = base.map_or(0, |base| base.shared_count);
        if decided.is_none() {
            elements.drain(..shared_count);
        }
        let empty = RecentList::default();
        let before = index.and_then(|index| self.lists.get(index)).unwrap_or(&empty);
        let parts = encode_parts(&before.elements, shared_count, &elements);
        let mut list = match index {
            Some(index) if shared_count == before.elements.len() => self.lists.remove(index),
            _ => {
                let elements = before.elements.get(..shared_count).unwrap_or_default().to_vec();
                let values = before.values.get(..shared_count).unwrap_or_default().to_vec();
                RecentList { id: self.next_id, elements, values, number: None }
            }
        };
        self.next_id += 1;
        if decided.is_none() {
            list.values.clear();
        }
        list.elements.extend(elements.into_iter().map(|(element, _)| element));
        list.values.extend(values);
        if list.values.len() != list.elements.len() {
            list.values.clear();
        }
        list.number = number;
        self.lists.push(list);
        parts
    }

    /// The list that shares most elements with a new one: one that it continues, or the newest of those with the longest
    /// common beginning, or else the newest of those that have most of its first elements.
    fn find_base<N, K>(
        &self,
        new: &[N],
        known_of: impl Fn(&RecentList) -> &[K],
        is_same: impl Fn(&K, &N) -> bool,
    ) -> Option<ListBase> {
        let (mut best, mut most) = (None, 0);
        for (index, list) in self.lists.iter().enumerate().rev() {
            let known = known_of(list);
            let common = known.iter().zip(new).take_while(|(known, new)| is_same(known, new)).count();
            if common > 0 && common == list.elements.len() {
                return self.base_of(index, common);
            }
            if common > most {
                (best, most) = (Some(index), common);
            }
        }
        if let Some(index) = best {
            return self.base_of(index, most);
        }
        let near_count = |list: &RecentList| {
            let is_near = |new: &&N| known_of(list).iter().take(FARTHEST_MOVE).any(|known| is_same(known, new));
            new.iter().take(FIRST_ELEMENTS).filter(is_near).count()
        };
        let counted = self.lists.iter().enumerate().map(|(index, list)| (near_count(list), index));
        counted.max().filter(|(count, _)| *count > 0).and_then(|(_, index)| self.base_of(index, 0))
    }

    fn base_of(&self, index: usize, shared_count: usize) -> Option<ListBase> {
        let RecentList { id, elements, .. } = self.lists.get(index)?;
        let shared_last = shared_count.checked_sub(1).and_then(|last| elements.get(last)).copied();
        Some(ListBase { id: *id, shared_count, shared_last })
    }
}

/// The last of the first elements of an array.
fn encode_beginning(items: &[Value], count: usize) -> Option<WrittenElement> {
    let mut list = NewList::default();
    for item in items.iter().take(count) {
        list.push(extract_element(serde_json::to_vec(item).ok()?).0);
    }
    list.elements.last().map(|(last, _)| *last)
}

/// Whether two values have the same JSON text. Unlike equality, this includes the order of fields.
fn has_same_text(one: &Value, other: &Value) -> bool {
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

/// The parts of a list that begins with some elements of another one.
fn encode_parts(before: &[WrittenElement], shared_count: usize, next: &[(WrittenElement, Option<Vec<u8>>)]) -> Vec<u8> {
    enum PartText<'n> {
        Slice(Range<usize>),
        New(Vec<&'n [u8]>),
    }
    let mut sections = Vec::new();
    if shared_count > 0 {
        sections.push(PartText::Slice(0..shared_count));
    }
    // Only a list that was changed, and not just continued, has elements of the other one farther on.
    let rest = before.iter().enumerate().skip(shared_count);
    let known: HashMap<&DigestBytes, usize> = rest.rev().map(|(index, element)| (&element.digest, index)).collect();
    for (element, text) in next {
        match (known.get(&element.digest), sections.last_mut()) {
            (_, Some(PartText::Slice(range)))
                if range.end >= shared_count
                    && before.get(range.end).is_some_and(|after| after.digest == element.digest) =>
            {
                range.end += 1;
            }
            (Some(index), _) => sections.push(PartText::Slice(*index..index + 1)),
            (None, Some(PartText::New(texts))) => texts.extend(text.as_deref()),
            (None, _) => sections.push(PartText::New(text.as_deref().into_iter().collect())),
        }
    }
    let of = to_hex(&name_of(&before.last().map_or_else(empty_digest, |last| last.list_digest)));
    let mut text = vec![b'['];
    for (index, section) in sections.iter().enumerate() {
        text.extend_from_slice(if index > 0 { b"," } else { b"" });
        match section {
            // Writing to memory cannot fail.
            PartText::Slice(range) => {
                drop(write!(text, "{{\"of\":\"{of}\",\"from\":{},\"to\":{}}}", range.start, range.end));
            }
            PartText::New(texts) => {
                text.push(b'[');
                text.extend_from_slice(&texts.join(&b','));
                text.push(b']');
            }
        }
    }
    text.push(b']');
    text
}
