//! Indexes of the tables in texts, which the build writes: nothing is read, hashed or allocated when a process starts.

use std::sync::OnceLock;

/// Numbers by names. The lists have one entry for each name.
pub(crate) struct NameIndex<const COUNT: usize> {
    /// The names, sorted, one after the other.
    pub(crate) names: &'static str,
    /// Where each name ends.
    pub(crate) name_ends: [u16; COUNT],
    pub(crate) numbers: &'static [u16],
    /// Where the numbers of each name end.
    pub(crate) number_ends: [u16; COUNT],
}

impl<const COUNT: usize> NameIndex<COUNT> {
    /// The position of a name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let (mut low, mut high) = (0, COUNT);
        while low < high {
            let middle = low.midpoint(high);
            match self.name(middle)?.cmp(name) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// The numbers of the name at a position, in the order of the texts.
    pub(crate) fn numbers_at(&self, position: usize) -> impl Iterator<Item = usize> + use<COUNT> {
        let start = position.checked_sub(1).map_or(Some(0), |before| self.number_ends.get(before).copied());
        let range = start.zip(self.number_ends.get(position).copied());
        let numbers = range.and_then(|(start, end)| self.numbers.get(usize::from(start)..usize::from(end)));
        numbers.unwrap_or_default().iter().map(|number| usize::from(*number))
    }

    /// All names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        (0..COUNT).filter_map(|position| self.name(position))
    }

    fn name(&self, position: usize) -> Option<&'static str> {
        let start = position.checked_sub(1).map_or(Some(0), |before| self.name_ends.get(before).copied())?;
        self.names.get(usize::from(start)..usize::from(*self.name_ends.get(position)?))
    }
}

/// What was read of a list, by its numbers, each when it is first needed.
pub(crate) struct ReadOnce<T> {
    count: usize,
    /// The list is made when the first of them is needed, so that the program does not have it in its file.
    values: OnceLock<Box<[ReadValue<T>]>>,
}

/// What was read for a number.
type ReadValue<T> = OnceLock<Option<Box<T>>>;

impl<T> ReadOnce<T> {
    pub(crate) const fn new(count: usize) -> Self {
        Self { count, values: OnceLock::new() }
    }

    /// What was read for a number, or is now; `None` if there is nothing for it.
    pub(crate) fn get_or_read(&self, number: usize, read: impl FnOnce() -> Option<T>) -> Option<&T> {
        let values = self.values.get_or_init(|| (0..self.count).map(|_| OnceLock::new()).collect());
        values.get(number)?.get_or_init(|| read().map(Box::new)).as_deref()
    }
}

/// A part of one of several texts.
pub(crate) struct TextPart {
    pub(crate) text: u8,
    /// The first byte and the end. No text is as long as that; the build fails for one.
    pub(crate) start: u16,
    pub(crate) end: u16,
}

impl TextPart {
    /// The part in these texts.
    pub(crate) fn read_from(&self, texts: &[&'static str]) -> &'static str {
        let text = texts.get(usize::from(self.text)).copied().unwrap_or_default();
        text.get(usize::from(self.start)..usize::from(self.end)).unwrap_or_default()
    }
}

include!(concat!(env!("OUT_DIR"), "/indexes.rs"));
