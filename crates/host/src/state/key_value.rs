//! Values by key: the cache of a run and the scratch values of a turn.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};

/// Values by key, shared by everything that runs in their lifetime.
#[derive(Debug, Default)]
pub(crate) struct KeyValueStore {
    values: Mutex<BTreeMap<String, Value>>,
    /// Whether a key was set since the last clear; if not, no lock is needed.
    is_dirty: AtomicBool,
}

impl KeyValueStore {
    /// Returns the value of a key.
    #[must_use]
    pub(crate) fn get(&self, key: &str) -> Option<Value> {
        self.lock_values().get(key).cloned()
    }

    /// Sets the value of a key.
    pub(crate) fn set(&self, key: String, value: Value) {
        let mut values = self.lock_values();
        self.is_dirty.store(true, Ordering::Relaxed);
        values.insert(key, value);
    }

    /// Removes all keys, so that the store can be reused.
    pub(crate) fn clear(&self) {
        if self.is_dirty.load(Ordering::Relaxed) {
            let mut values = self.lock_values();
            self.is_dirty.store(false, Ordering::Relaxed);
            values.clear();
        }
    }

    fn lock_values(&self) -> MutexGuard<'_, BTreeMap<String, Value>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes a key, or all of them; returns whether anything was removed.
    pub(crate) fn remove(&self, key: Option<&str>) -> bool {
        let mut values = self.lock_values();
        match key {
            Some(key) => values.remove(key).is_some(),
            None => !std::mem::take(&mut *values).is_empty(),
        }
    }

    /// Returns all values, sorted by key.
    #[must_use]
    pub(crate) fn all(&self) -> Map<String, Value> {
        let values = self.lock_values();
        values.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
    }
}
