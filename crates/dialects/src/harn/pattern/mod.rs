//! Which events a hook wants: globs and event expressions, compiled once, read from the canonical event.
//!
//! The language (Harn behaviour, section 1.6, with what is amiss there mended as `DEVIATIONS.md` lists):
//!
//! 1. Nothing, or `*`: every event.
//! 2. `path =~ "regex"`, `path == "text"`, `path != "text"`: one comparison. What is missing reads as an empty text, and
//!    what is no text as its JSON form. Quotes may be left out around a word.
//! 3. A dotted path that begins with a key of the payload: whether there is something that is not false, 0 or empty.
//! 4. Anything else: a glob on the event's subject, such as the tool's name.

mod expression;
mod fault;
mod glob;
mod path;
mod scope;

use std::sync::Arc;

use pintle_contract::{Event, MatchResult, Matcher, SubjectFilter};

pub use self::fault::PatternFault;

pub(super) use self::glob::Glob;
pub(super) use self::scope::Scope;

use self::expression::{Test, compile};
use super::{Row, name};

/// A pattern of one event's hooks.
#[derive(Debug, Clone)]
pub struct EventPattern {
    text: Arc<str>,
    row: &'static Row,
    test: Test,
}

impl EventPattern {
    /// Compiles a pattern for an event, in any spelling of its name.
    ///
    /// # Errors
    /// When there is no such event, or the pattern cannot be read or can never match.
    pub fn compile(text: &str, event: &str) -> Result<Self, PatternFault> {
        let named = name::find(event).map_err(|fault| PatternFault::new(fault.message, fault.help))?;
        Self::of(text, named.row)
    }

    pub(super) fn of(text: &str, row: &'static Row) -> Result<Self, PatternFault> {
        Ok(Self { text: Arc::from(text), row, test: compile(text.trim(), row)? })
    }

    /// Whether it matches every event.
    #[must_use]
    pub fn matches_all(&self) -> bool {
        matches!(self.test, Test::All)
    }

    /// Whether the event is one that it is for.
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
        match self.test.exact().filter(|(path, _)| self.row.indexed && path.is(self.row.subject)) {
            Some((_, names)) => SubjectFilter::Only { names, sufficient: true },
            None => SubjectFilter::Any,
        }
    }

    fn describe(&self) -> String {
        self.text.to_string()
    }
}

#[cfg(test)]
mod tests;
