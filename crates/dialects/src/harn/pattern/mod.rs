//! Patterns that select events: globs and event expressions, compiled once, evaluated on the canonical event.
//!
//! The pattern language (`DEVIATIONS.md` lists the differences from Harn):
//!
//! 1. Nothing, or `*`: every event.
//! 2. `path =~ "regex"`, `path == "text"`, `path != "text"`: one comparison. A missing value is an empty string, and a
//!    value that is not a string is its JSON text. Quotes around a word are optional.
//! 3. A dotted path that starts with a key of the payload: whether its value is something other than false, 0 or empty.
//! 4. Anything else: a glob on the event's subject, such as the tool's name.

mod error;
mod expression;
mod glob;
mod path;
mod scope;

use std::sync::Arc;

use pintle_contract::{Event, MatchResult, Matcher, SubjectFilter};

pub use self::error::PatternError;

pub(super) use self::glob::NameGlob;
pub(super) use self::scope::PersonaScope;

use self::expression::{PatternTest, compile};
use super::{HarnEventDef, name};

/// A pattern of one event's hooks.
#[derive(Debug, Clone)]
pub struct EventPattern {
    text: Arc<str>,
    def: &'static HarnEventDef,
    test: PatternTest,
}

impl EventPattern {
    /// Compiles a pattern for an event, by any of its names.
    ///
    /// # Errors
    /// If the event does not exist, or the pattern is invalid or can never match.
    pub fn compile(text: &str, event: &str) -> Result<Self, PatternError> {
        let named = name::find_event(event).map_err(|error| PatternError::new(error.message, error.help))?;
        Self::compile_for(text, named.def)
    }

    pub(super) fn compile_for(text: &str, harn_event_def: &'static HarnEventDef) -> Result<Self, PatternError> {
        Ok(Self { text: Arc::from(text), def: harn_event_def, test: compile(text.trim(), harn_event_def)? })
    }

    /// Whether it matches every event.
    #[must_use]
    pub fn matches_all(&self) -> bool {
        matches!(self.test, PatternTest::Always)
    }

    /// Whether an event matches.
    #[must_use]
    pub fn accepts(&self, event: &Event) -> bool {
        self.test.holds(event)
    }
}

impl Matcher for EventPattern {
    fn matches(&self, event: &Event) -> MatchResult {
        if self.accepts(event) { MatchResult::Yes } else { MatchResult::No }
    }

    fn subjects(&self) -> SubjectFilter {
        match self.test.exact_texts().filter(|(path, _)| self.def.indexed && path.is_path(self.def.subject)) {
            Some((_, names)) => SubjectFilter::certain(names),
            None => SubjectFilter::Any,
        }
    }

    fn accepts_subject(&self, subject: &str) -> Option<bool> {
        self.test.accepts_value(self.def.subject, subject)
    }

    fn describe(&self) -> String {
        self.text.to_string()
    }
}

#[cfg(test)]
mod tests;
