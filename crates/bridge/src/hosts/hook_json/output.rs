//! Putting an answer together.

use serde_json::{Map, Value};

use crate::{Answer, Asked};

/// An answer in the making: fields at the top, and those of the event's own `hookSpecificOutput`.
#[derive(Debug)]
pub struct Output {
    event: &'static str,
    top: Map<String, Value>,
    specific: Map<String, Value>,
}

impl Output {
    /// Begins the answer to an event.
    #[must_use]
    pub fn new(asked: &Asked<'_>) -> Self {
        Self { event: asked.row.name, top: Map::new(), specific: Map::new() }
    }

    /// Says something at the top, when there is something.
    #[must_use]
    pub fn top(mut self, name: &str, value: Option<impl Into<Value>>) -> Self {
        if let Some(value) = value {
            self.top.insert(name.to_owned(), value.into());
        }
        self
    }

    /// Says something of the event's own, when there is something.
    #[must_use]
    pub fn specific(mut self, name: &str, value: Option<impl Into<Value>>) -> Self {
        if let Some(value) = value {
            self.specific.insert(name.to_owned(), value.into());
        }
        self
    }

    /// The answer, status 0. Nothing said is nothing written.
    #[must_use]
    pub fn answer(mut self) -> Answer {
        if !self.specific.is_empty() {
            let mut specific = Map::new();
            specific.insert(String::from("hookEventName"), Value::from(self.event));
            specific.append(&mut self.specific);
            self.top.insert(String::from("hookSpecificOutput"), Value::Object(specific));
        }
        Answer::json(&Value::Object(self.top))
    }

    /// The answer that denies: the reason stands on standard error too, and the status is 2, so that a host that reads
    /// one of them only denies as well (agents' hook contracts, the recipe that denies in five clients).
    #[must_use]
    pub fn refusal(self, reason: &str) -> Answer {
        self.answer().with_stderr(reason).with_exit_code(2)
    }
}
