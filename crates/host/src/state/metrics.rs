//! Counters and gauges.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value};

/// The counters and gauges of one run. Updates are exact with any number of threads.
#[derive(Debug, Default)]
pub(crate) struct MetricStore(Mutex<BTreeMap<String, Value>>);

impl MetricStore {
    /// Adds to a counter and returns its new value. A gauge that is not an integer restarts from 0.
    pub(crate) fn increment(&self, name: &str, amount: i64) -> i64 {
        let mut metrics = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match metrics.get_mut(name) {
            Some(value) => {
                let sum = value.as_i64().unwrap_or(0).saturating_add(amount);
                *value = Value::from(sum);
                sum
            }
            None => {
                metrics.insert(name.to_owned(), Value::from(amount));
                amount
            }
        }
    }

    pub(crate) fn set(&self, name: String, value: Value) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name, value);
    }

    pub(crate) fn get(&self, name: &str) -> Value {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned().unwrap_or(Value::from(0))
    }

    pub(crate) fn reset(&self, name: Option<&str>) {
        let mut metrics = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match name {
            Some(name) => drop(metrics.remove(name)),
            None => metrics.clear(),
        }
    }

    /// Returns all metrics, sorted by name.
    pub(crate) fn snapshot(&self) -> Map<String, Value> {
        let metrics = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        metrics.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_exact_under_threads() {
        let metrics = MetricStore::default();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        metrics.increment("n", 1);
                    }
                });
            }
        });
        assert_eq!(metrics.get("n"), Value::from(8000));
        metrics.set(String::from("load"), Value::from(0.5));
        assert_eq!(metrics.increment("load", 2), 2);
        metrics.reset(Some("n"));
        assert_eq!(metrics.snapshot().len(), 1);
        assert_eq!(metrics.increment("top", i64::MAX), i64::MAX);
        assert_eq!(metrics.increment("top", 1), i64::MAX);
    }
}
