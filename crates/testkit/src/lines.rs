//! Lines that several threads write.

use std::sync::{Arc, Mutex, PoisonError};

/// Lines that closures and tools write, in order. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct SharedLines(Arc<Mutex<Vec<String>>>);

impl SharedLines {
    /// Adds a line.
    pub fn add(&self, line: impl Into<String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line.into());
    }

    /// The lines so far.
    #[must_use]
    pub fn all(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes the lines so far.
    #[must_use]
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
