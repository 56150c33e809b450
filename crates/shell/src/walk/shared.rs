//! Tables that copies of a state share until one of them changes.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

/// A table whose copies cost nothing. An empty one has no memory of its own.
#[derive(Debug, Clone)]
pub(super) struct SharedTable<K, V>(Option<Rc<HashMap<K, V>>>);

impl<K, V> Default for SharedTable<K, V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<K: Eq + Hash, V> SharedTable<K, V> {
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |table| table.len())
    }

    pub(super) fn get<Q: ?Sized + Eq + Hash>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.0.as_ref()?.get(key)
    }

    pub(super) fn contains_key<Q: ?Sized + Eq + Hash>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.get(key).is_some()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.0.iter().flat_map(|table| table.iter())
    }

    fn is_shared_with(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        }
    }

    /// Whether both have the same keys with the same values.
    pub(super) fn is_same(&self, other: &Self, is_same: impl Fn(&V, &V) -> bool) -> bool {
        let has_same = |(key, value): (&K, &V)| other.get(key).is_some_and(|other| is_same(value, other));
        self.is_shared_with(other) || self.len() == other.len() && self.iter().all(has_same)
    }
}

impl<K: Clone + Eq + Hash, V: Clone> SharedTable<K, V> {
    pub(super) fn to_mut(&mut self) -> &mut HashMap<K, V> {
        Rc::make_mut(self.0.get_or_insert_default())
    }

    pub(super) fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.to_mut().insert(key, value)
    }

    pub(super) fn remove<Q: ?Sized + Eq + Hash>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        if self.contains_key(key) { self.to_mut().remove(key) } else { None }
    }

    /// Adds what the other has and this one has not. Returns whether both have the same value for every other key.
    pub(super) fn add_missing(&mut self, other: &Self, is_same: impl Fn(&V, &V) -> bool) -> bool {
        let mut agrees = true;
        for (key, value) in other.iter().filter(|_| !self.is_shared_with(other)).collect::<Vec<_>>() {
            match self.get(key) {
                Some(own) => agrees &= is_same(own, value),
                None => drop(self.insert(key.clone(), value.clone())),
            }
        }
        agrees
    }
}
