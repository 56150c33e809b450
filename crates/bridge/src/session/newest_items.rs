//! A list of the newest items, of which a saved state says only what was added.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The newest items of a list that grows at its end and is cut at its start. Items are numbered from the first one ever.
/// Copies share the items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewestItems<T> {
    first: u64,
    items: VecDeque<Arc<T>>,
}

/// What changed in a list: items before `first` are gone, and there are others from number `from` on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListChange<T> {
    first: u64,
    from: u64,
    items: Vec<Arc<T>>,
}

/// The numbers of the first item and of the next one.
pub(super) type ListSpan = (u64, u64);

impl<T> Default for NewestItems<T> {
    fn default() -> Self {
        Self { first: 0, items: VecDeque::new() }
    }
}

impl<T> NewestItems<T> {
    /// The number of the next item.
    pub(crate) fn end(&self) -> u64 {
        self.first + self.items.len() as u64
    }

    pub(super) fn span(&self) -> ListSpan {
        (self.first, self.end())
    }

    /// Adds an item, and removes the oldest ones if there are more than `most`.
    pub(crate) fn push(&mut self, item: T, most: usize) {
        self.items.push_back(Arc::new(item));
        self.remove_before(self.end().saturating_sub(most as u64));
    }

    /// Removes the items with a lower number.
    pub(crate) fn remove_before(&mut self, number: u64) {
        let count = number.saturating_sub(self.first).min(self.items.len() as u64);
        self.items.drain(..usize::try_from(count).unwrap_or(usize::MAX));
        self.first += count;
    }

    pub(crate) fn clear(&mut self) {
        self.remove_before(self.end());
    }

    /// The items, the oldest first.
    pub(crate) fn to_vec(&self) -> Vec<T>
    where
        T: Clone,
    {
        self.items.iter().map(|item| T::clone(item)).collect()
    }

    /// What changed since the list had this span; everything without one.
    pub(super) fn change_since(&self, span: Option<ListSpan>) -> Option<ListChange<T>> {
        if span == Some(self.span()) {
            return None;
        }
        // Items that were added and removed again since are on no change.
        let from = span.map_or(self.first, |(_, end)| end.max(self.first));
        let known = usize::try_from(from - self.first).unwrap_or(usize::MAX);
        Some(ListChange { first: self.first, from, items: self.items.iter().skip(known).cloned().collect() })
    }

    /// Makes a change. Returns whether it is one of this list.
    pub(super) fn apply_change(&mut self, change: ListChange<T>) -> bool {
        let ListChange { first, from, items } = change;
        let is_next = from == self.end() || (from == first && from > self.end());
        let has_room = from.checked_add(items.len() as u64).is_some();
        if !is_next || !has_room || !(self.first..=from).contains(&first) {
            return false;
        }
        self.remove_before(first);
        self.first = first;
        self.items.extend(items);
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone, Copy)]
    enum ListStep {
        Push,
        Clear,
        RemoveBefore(u64),
        Save,
    }

    fn step() -> impl Strategy<Value = ListStep> {
        prop_oneof![
            5 => Just(ListStep::Push),
            1 => Just(ListStep::Clear),
            1 => (0..40_u64).prop_map(ListStep::RemoveBefore),
            3 => Just(ListStep::Save),
        ]
    }

    proptest! {
        #[test]
        fn changes_lead_to_the_list_that_they_are_of(steps in prop::collection::vec(step(), 0..60)) {
            let (mut list, mut restored) = (NewestItems::default(), NewestItems::default());
            let mut saved = None;
            for (number, step) in steps.into_iter().chain([ListStep::Save]).enumerate() {
                match step {
                    ListStep::Push => list.push(number, 4),
                    ListStep::Clear => list.clear(),
                    ListStep::RemoveBefore(number) => list.remove_before(number),
                    ListStep::Save => {
                        if let Some(change) = list.change_since(saved.replace(list.span())) {
                            let text = serde_json::to_string(&change).unwrap();
                            prop_assert!(restored.apply_change(serde_json::from_str(&text).unwrap()), "{}", text);
                        }
                        prop_assert_eq!(&restored, &list);
                    }
                }
            }
        }
    }

    #[test]
    fn changes_of_another_list_are_refused() {
        let mut list = NewestItems::default();
        (0..6).for_each(|item| list.push(item, 4));
        let before = list.clone();
        for (first, from, count) in [(2, 5, 1), (1, 6, 1), (2, 7, 1), (7, 6, 1), (u64::MAX, u64::MAX, 1), (8, 7, 0)] {
            let change = ListChange { first, from, items: (0..count).map(Arc::new).collect() };
            assert!(!list.apply_change(change), "{first} {from}");
            assert_eq!(list, before);
        }
    }
}
