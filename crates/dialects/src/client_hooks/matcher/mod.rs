//! Which events a hook wants: the pattern of its group, and its own condition.

mod condition;
mod glob;
mod pattern;
mod shell;

use std::sync::Arc;

use pintle_contract::{Event, MatchResult, Matcher};

pub use condition::Condition;
pub use pattern::{Pattern, Rule};

use super::Given;
use super::row::Row;

/// Names that a matcher may use for a tool besides its own.
pub type SecondNames = &'static [(&'static str, &'static [&'static str])];

/// What a hook wants to see.
#[derive(Debug)]
pub struct Wanted {
    /// The event.
    pub row: &'static Row,
    /// What the subject has to be.
    pub pattern: Option<Pattern>,
    /// What the tool call has to be.
    pub condition: Option<Condition>,
    /// Second names of tools.
    pub second_names: SecondNames,
}

impl Wanted {
    /// As a matcher; `None` wants everything.
    #[must_use]
    pub fn into_matcher(self) -> Option<Arc<dyn Matcher>> {
        (self.pattern.is_some() || self.condition.is_some()).then(|| Arc::new(self) as Arc<dyn Matcher>)
    }

    fn names<'a>(&self, name: &'a str) -> impl Iterator<Item = &'a str> + use<'a> {
        let second = self.second_names.iter().find(|(own, _)| *own == name).map_or(&[][..], |(_, second)| second);
        std::iter::once(name).chain(second.iter().copied())
    }
}

impl Matcher for Wanted {
    fn matches(&self, event: &Event) -> MatchResult {
        let given = Given { event, spelling: self.row.name, voice: self.row.voice };
        let subject = self.row.subject.and_then(|subject| subject(&given));
        let fits = match (&self.pattern, &subject) {
            (Some(pattern), Some(subject)) => self.names(subject).any(|name| pattern.matches(name)),
            // An event without a subject has nothing that could fail to match.
            (None, _) | (_, None) => true,
        };
        let holds = || match &self.condition {
            None => true,
            Some(condition) => {
                let call = given.call();
                condition.holds(self.names(&call.0.name), &call.0.input, &event.origin.cwd)
            }
        };
        if fits && holds() { MatchResult::Yes } else { MatchResult::No }
    }

    fn describe(&self) -> String {
        let parts = [
            self.pattern.as_ref().map(|pattern| pattern.written().to_owned()),
            self.condition.as_ref().map(|condition| format!("if {}", condition.written())),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}
