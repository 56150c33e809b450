//! The lists that were written last, from which the next one may take elements.

use std::collections::{BTreeMap, HashMap};
use std::io::Write as _;
use std::ops::Range;
use std::sync::Arc;

use pintle_contract::Redactor;
use serde_json::Value;

use super::extract::{BlobContent, ExtractedBlob, extract_element};
use super::list::{WrittenElement, empty_digest, extend_digest, has_same_text, is_large_array};
use crate::line::{DEEPEST, DigestBytes, digest_bytes, nesting_depth, to_hex};
use crate::redact::is_clean;
use crate::write::ListPrefix;

/// The number of lists that are remembered.
const MOST_LISTS: usize = 8;
/// The number of elements by which similar lists are found.
const FIRST_ELEMENTS: usize = 8;
/// How far elements are searched that were moved because others before them were removed.
const FARTHEST_MOVE: usize = 16;

/// The lists that were written last, the newest last.
#[derive(Debug, Default)]
pub(crate) struct RecentLists {
    lists: Vec<RecentList>,
    /// What the record that is being encoded added, so that it can be taken back.
    added: Option<Vec<AddedList>>,
}

/// What adding a list did.
#[derive(Debug)]
enum AddedList {
    /// It continues the list that had this index and this number of elements.
    Continued { index: usize, count: usize },
    /// It is a list of its own.
    New,
    /// It took the place of the oldest list.
    Evicted(RecentList),
}

/// A list that was written.
#[derive(Debug, Default)]
struct RecentList {
    elements: Vec<RecentElement>,
    /// The elements before they were written, if this process wrote them.
    values: Vec<Arc<Value>>,
    /// The host's number of the list that grows.
    number: Option<u64>,
}

/// An element of a written list.
#[derive(Debug, Clone, Copy)]
struct RecentElement {
    digest: DigestBytes,
    /// The digest of the list up to this element.
    list_digest: DigestBytes,
    /// The size of the texts up to this element.
    end_bytes: usize,
}

/// An element that does not follow from the list before.
#[derive(Debug)]
struct NextElement {
    digest: DigestBytes,
    text_bytes: usize,
    /// Its text; `None` if the list before has it.
    text: Option<Vec<u8>>,
    value: Option<Arc<Value>>,
}

/// The list that the next one is compared with, and the number of elements with which both begin.
type ListBase = (usize, usize);

/// How an array is written.
pub(crate) enum WrittenArray {
    /// In its place.
    Inline,
    /// In a blob, preceded by those of its own large values.
    Blobs(Vec<ExtractedBlob>),
    /// In its record, which is written otherwise: it nests too deep, or a new element contains a secret.
    Otherwise,
}

impl RecentList {
    fn digest(&self) -> DigestBytes {
        self.elements.last().map_or_else(empty_digest, |last| last.list_digest)
    }

    fn push(&mut self, element: &NextElement) {
        let (list_digest, end_bytes) = (self.digest(), self.elements.last().map_or(0, |last| last.end_bytes));
        self.elements.push(RecentElement {
            digest: element.digest,
            list_digest: extend_digest(&list_digest, &element.digest),
            end_bytes: end_bytes + element.text_bytes,
        });
        self.values.extend(element.value.clone());
    }
}

impl RecentLists {
    /// Continues after the lists of a tape, the newest last.
    pub(crate) fn resume_after(lists: Vec<(DigestBytes, Vec<(DigestBytes, usize)>)>) -> Self {
        let mut recent = Self::default();
        for (_, elements) in lists {
            let mut list = RecentList::default();
            for (digest, text_bytes) in elements {
                list.push(&NextElement { digest, text_bytes, text: None, value: None });
            }
            recent.lists.push(list);
        }
        recent
    }

    /// The number of lists that are worth knowing when a tape is continued.
    pub(crate) fn most() -> usize {
        MOST_LISTS
    }

    /// The parts of a list, given all its elements.
    pub(crate) fn write_parts(&mut self, elements: &[WrittenElement]) -> Vec<u8> {
        let shared = |list: &RecentList| {
            list.elements.iter().zip(elements).take_while(|(known, element)| known.digest == element.digest).count()
        };
        let is_near = |list: &RecentList, element: &WrittenElement| {
            list.elements.iter().take(FARTHEST_MOVE).any(|known| known.digest == element.digest)
        };
        let base = self.find_base(elements.len(), shared).filter(|(_, count)| *count > 0);
        let base = base.or_else(|| self.find_similar(elements, is_near));
        let rest = elements.iter().skip(base.map_or(0, |(_, count)| count));
        let next = |element: &WrittenElement| NextElement {
            digest: element.digest,
            text_bytes: element.text.len(),
            text: Some(element.text.clone()),
            value: None,
        };
        self.add(base, rest.map(next).collect()).1
    }

    /// Writes an array at this depth of its record. Its elements are compared with the values of the lists before, as
    /// far as the host does not know how it begins, so that only new ones are encoded, and searched for secrets: those that
    /// were written contain none.
    pub(crate) fn write_array(
        &mut self,
        items: &[Value],
        depth: usize,
        prefix: Option<ListPrefix>,
        secrets: Option<&dyn Redactor>,
    ) -> WrittenArray {
        let base = self.find_beginning(items, prefix);
        let is_near = |list: &RecentList, item: &Value| {
            list.values.iter().take(FARTHEST_MOVE).any(|known| has_same_text(known, item))
        };
        let base = base.filter(|(_, count)| *count > 0).or_else(|| self.find_similar(items, is_near));
        let (mut next, mut blobs) = (Vec::new(), Vec::new());
        let shared_count = base.map_or(0, |(_, count)| count);
        let before = base.and_then(|(index, _)| self.lists.get(index));
        let mut position = shared_count;
        for item in items.iter().skip(shared_count) {
            if let Some((known, value, text_bytes)) = before.and_then(|before| before.find_moved(item, &mut position)) {
                next.push(NextElement { digest: known, text_bytes, text: None, value: Some(value) });
                continue;
            }
            let is_clean = secrets.is_none_or(|secrets| is_clean(secrets, &BTreeMap::from([("", item)])));
            let Some((text, inner)) = encode_element(item, depth).filter(|_| is_clean) else {
                return WrittenArray::Otherwise;
            };
            blobs.extend(inner);
            next.push(NextElement {
                digest: digest_bytes(&text),
                text_bytes: text.len(),
                text: Some(text),
                value: Some(Arc::new(item.clone())),
            });
        }
        let shared_bytes = before.and_then(|before| before.elements.get(shared_count.checked_sub(1)?));
        let text_bytes = shared_bytes.map_or(0, |last| last.end_bytes)
            + next.iter().map(|element| element.text_bytes).sum::<usize>();
        // A comma between two elements, and the brackets.
        if !is_large_array(items.len(), text_bytes + items.len() + 1) {
            return WrittenArray::Inline;
        }
        let (digest, parts) = match base {
            Some(_) => self.add(base, next),
            None => self.add_encoded(next),
        };
        if let Some(prefix) = prefix {
            self.forget_continued(prefix);
        }
        if let Some(list) = self.lists.last_mut() {
            list.number = prefix.map(|prefix| prefix.list);
        }
        blobs.push(ExtractedBlob { digest: to_hex(&digest), content: BlobContent::Parts(parts) });
        WrittenArray::Blobs(blobs)
    }

    /// Begins a record whose lists can be taken back.
    pub(crate) fn begin_record(&mut self) {
        self.added = Some(Vec::new());
    }

    /// Keeps the lists of the record.
    pub(crate) fn keep_record(&mut self) {
        self.added = None;
    }

    /// Takes the lists of the record back: it is written otherwise, and a list that is not on the tape must not be
    /// continued.
    pub(crate) fn take_record_back(&mut self) {
        for added in self.added.take().unwrap_or_default().into_iter().rev() {
            match (added, self.lists.pop()) {
                (AddedList::Evicted(oldest), newest) => {
                    self.lists.insert(0, oldest);
                    self.lists.extend(newest);
                }
                (AddedList::Continued { index, count }, Some(mut list)) => {
                    list.elements.truncate(count);
                    list.values.truncate(count);
                    list.number = None;
                    self.lists.insert(index, list);
                }
                (AddedList::Continued { .. } | AddedList::New, _) => {}
            }
        }
    }

    /// Forgets the values: those of the next array have to be checked again.
    pub(crate) fn forget_values(&mut self) {
        self.lists.iter_mut().for_each(|list| list.values.clear());
    }

    /// Forgets which list the host continues: its last array was written otherwise.
    pub(crate) fn forget_continued(&mut self, prefix: ListPrefix) {
        self.lists.iter_mut().filter(|list| list.number == Some(prefix.list)).for_each(|list| list.number = None);
    }

    /// The list that an array begins with, and how much of it.
    fn find_beginning(&self, items: &[Value], prefix: Option<ListPrefix>) -> Option<ListBase> {
        let shared = |list: &RecentList| {
            list.values.iter().zip(items).take_while(|(known, item)| has_same_text(known, item)).count()
        };
        self.find_continued(items, prefix).or_else(|| self.find_base(items.len(), shared))
    }

    /// The list that an array continues, as the host knows.
    fn find_continued(&self, items: &[Value], prefix: Option<ListPrefix>) -> Option<ListBase> {
        let ListPrefix { list, count } = prefix?;
        let index = self.lists.iter().position(|known| known.number == Some(list))?;
        let values = self.lists.get(index)?.values.get(..count)?;
        debug_assert!(
            count <= items.len() && values.iter().zip(items).all(|(known, item)| has_same_text(known, item)),
            "the messages of a request do not begin as its host says"
        );
        (count <= items.len()).then_some((index, count))
    }

    /// Adds a list all of whose elements were encoded. Lists of an earlier process are known by their digests only.
    fn add_encoded(&mut self, mut next: Vec<NextElement>) -> (DigestBytes, Vec<u8>) {
        let values: Vec<Arc<Value>> = next.iter().filter_map(|element| element.value.clone()).collect();
        let shared = |list: &RecentList| {
            list.elements.iter().zip(&next).take_while(|(known, element)| known.digest == element.digest).count()
        };
        let base = self.find_base(next.len(), shared).filter(|(_, count)| *count > 0);
        next.drain(..base.map_or(0, |(_, count)| count));
        let added = self.add(base, next);
        if let Some(list) = self.lists.last_mut() {
            list.values = values;
        }
        added
    }

    /// The list that shares most elements with a new one of this length: one that it continues, or the newest of those
    /// with the longest common beginning.
    fn find_base(&self, count: usize, shared: impl Fn(&RecentList) -> usize) -> Option<ListBase> {
        let mut best = None;
        for (index, list) in self.lists.iter().enumerate().rev() {
            let common = shared(list);
            if common == list.elements.len() && common <= count {
                return Some((index, common));
            }
            if best.is_none_or(|(_, most)| common > most) {
                best = Some((index, common));
            }
        }
        best
    }

    /// The newest of the lists that have most of the first elements of a new one, which begins in another way.
    fn find_similar<E>(&self, elements: &[E], is_near: impl Fn(&RecentList, &E) -> bool) -> Option<ListBase> {
        let first = elements.get(..FIRST_ELEMENTS.min(elements.len()))?;
        let count = |list: &RecentList| first.iter().filter(|element| is_near(list, element)).count();
        let counted = self.lists.iter().enumerate().map(|(index, list)| (count(list), index));
        counted.max().filter(|(count, _)| *count > 0).map(|(_, index)| (index, 0))
    }

    /// Adds a list: the elements that its base begins with, and the next ones. Returns its digest and its parts.
    fn add(&mut self, base: Option<ListBase>, next: Vec<NextElement>) -> (DigestBytes, Vec<u8>) {
        let empty = RecentList::default();
        let (before, shared_count) = match base {
            Some((index, count)) => (self.lists.get(index).unwrap_or(&empty), count),
            None => (&empty, 0),
        };
        let parts = encode_parts(before, shared_count, &next);
        let (mut list, added) = match base {
            Some((index, count)) if count == before.elements.len() => {
                (self.lists.remove(index), AddedList::Continued { index, count })
            }
            _ => {
                let list = RecentList {
                    elements: before.elements.get(..shared_count).unwrap_or_default().to_vec(),
                    values: before.values.get(..shared_count).unwrap_or_default().to_vec(),
                    number: None,
                };
                (list, AddedList::New)
            }
        };
        let is_known = list.values.len() == list.elements.len();
        next.iter().for_each(|element| list.push(element));
        if !is_known {
            list.values.clear();
        }
        let digest = list.digest();
        self.lists.push(list);
        let evicted = (self.lists.len() > MOST_LISTS).then(|| AddedList::Evicted(self.lists.remove(0)));
        if let Some(log) = &mut self.added {
            log.push(added);
            log.extend(evicted);
        }
        (digest, parts)
    }
}

impl RecentList {
    /// Finds an element behind a position, which becomes the position after it.
    fn find_moved(&self, item: &Value, position: &mut usize) -> Option<(DigestBytes, Arc<Value>, usize)> {
        let nearby = self.values.iter().enumerate().skip(*position).take(FARTHEST_MOVE);
        let (index, value) = nearby.into_iter().find(|(_, known)| has_same_text(known, item))?;
        *position = index + 1;
        let known = self.elements.get(index)?;
        let start_bytes = index.checked_sub(1).and_then(|before| self.elements.get(before));
        let text_bytes = known.end_bytes - start_bytes.map_or(0, |before| before.end_bytes);
        Some((known.digest, Arc::clone(value), text_bytes))
    }
}

/// The text of an element with its large values replaced; `None` if it nests too deep.
fn encode_element(item: &Value, depth: usize) -> Option<(Vec<u8>, Vec<ExtractedBlob>)> {
    let text = serde_json::to_vec(item).ok()?;
    let may_be_deep = text.iter().filter(|byte| matches!(byte, b'{' | b'[')).count() + depth > DEEPEST;
    if may_be_deep && nesting_depth(&text) + depth > DEEPEST {
        return None;
    }
    Some(extract_element(text))
}

/// The parts of a list that begins with some elements of another one.
fn encode_parts(before: &RecentList, shared_count: usize, next: &[NextElement]) -> Vec<u8> {
    enum PartText<'n> {
        Slice(Range<usize>),
        New(Vec<&'n [u8]>),
    }
    let mut sections = Vec::new();
    if shared_count > 0 {
        sections.push(PartText::Slice(0..shared_count));
    }
    // Only a list that was changed, and not just continued, has elements of the other one farther on.
    let rest = before.elements.get(shared_count..).unwrap_or_default();
    let known: HashMap<&DigestBytes, usize> =
        rest.iter().enumerate().rev().map(|(index, element)| (&element.digest, shared_count + index)).collect();
    for element in next {
        match (known.get(&element.digest), &element.text, sections.last_mut()) {
            (_, _, Some(PartText::Slice(range)))
                if range.end >= shared_count
                    && before.elements.get(range.end).is_some_and(|after| after.digest == element.digest) =>
            {
                range.end += 1;
            }
            (Some(index), ..) => sections.push(PartText::Slice(*index..index + 1)),
            (None, Some(text), Some(PartText::New(texts))) => texts.push(text),
            (None, text, _) => sections.push(PartText::New(text.as_deref().into_iter().collect())),
        }
    }
    let of = to_hex(&before.digest());
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
