//! A resolver that gives one answer and remembers what it was asked.

use std::sync::{Mutex, PoisonError};

use pintle_contract::{Question, Reason, Resolution, Resolver};
use serde_json::Value;

/// Always gives the same answer.
#[derive(Debug)]
pub struct ScriptedResolver {
    answer: Resolution,
    asked: Mutex<Vec<(Value, String, Vec<Reason>)>>,
}

impl ScriptedResolver {
    /// A resolver with this answer.
    #[must_use]
    pub fn new(answer: Resolution) -> Self {
        Self { answer, asked: Mutex::default() }
    }

    /// Payload, digest and reasons of each question so far.
    #[must_use]
    pub fn asked(&self) -> Vec<(Value, String, Vec<Reason>)> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Resolver for ScriptedResolver {
    fn resolve(&self, question: &Question<'_>) -> Resolution {
        let asked = (question.event.payload.value().clone(), question.digest.to_owned(), question.reasons.to_vec());
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
        self.answer.clone()
    }
}
