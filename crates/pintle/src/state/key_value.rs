//! Values by key: the cache of a run and the scratch of a turn.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};

/// Values by key, shared by everything that runs in its lifetime.
#[derive(Debug, Default)]
pub(crate) struct KeyValueStore {
    values: Mutex<BTreeMap<String, Value>>,
    /// Whether a key was set since they were cleared; what says no needs no lock.
    is_dirty: AtomicBool,
}

impl KeyValueStore {
    /// The value of a key.
    #[must_use]
    pub(crate) fn get(&self, key: &str) -> Option<Value> {
        self.lock_values().get(key).cloned()
    }

    /// Sets a key.
    pub(crate) fn set(&self, key: String, value: Value) {
        let mut values = self.lock_values();
        self.is_dirty.store(true, Ordering::Relaxed);
        values.insert(key, value);
    }

    /// Removes all of them, for the next one who works with them.
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

    /// Removes a key, or all of them; tells whether there was something.
    pub(crate) fn remove(&self, key: Option<&str>) -> bool {
        let mut values = self.lock_values();
        match key {
            Some(key) => values.remove(key).is_some(),
            None => !std::mem::take(&mut *values).is_empty(),
        }
    }

    /// All of them, sorted by key.
    #[must_use]
    pub(crate) fn all(&self) -> Map<String, Value> {
        let values = self.lock_values();
        values.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
    }
}
