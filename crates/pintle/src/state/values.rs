//! Values by key: the cache of a run and the scratch of a turn.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};

/// Values by key, shared by everything that runs in its lifetime.
#[derive(Debug, Default)]
pub struct Values(Mutex<BTreeMap<String, Value>>);

impl Values {
    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Sets a key.
    pub fn set(&self, key: String, value: Value) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, value);
    }

    /// Removes a key, or all of them; tells whether there was something.
    pub fn remove(&self, key: Option<&str>) -> bool {
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match key {
            Some(key) => values.remove(key).is_some(),
            None => !std::mem::take(&mut *values).is_empty(),
        }
    }

    /// All of them, sorted by key.
    #[must_use]
    pub fn all(&self) -> Map<String, Value> {
        let values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        values.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
    }
}
