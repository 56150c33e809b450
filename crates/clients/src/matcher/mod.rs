//! Matches events against the pattern of a hook's group and its own condition.

mod condition;
mod pattern;

use std::sync::Arc;

use pintle_contract::{Event, MatchResult, Matcher};

use crate::EncodeContext;
use crate::event_def::ClientEventDef;

pub use condition::PermissionCondition;
pub use pattern::{MatcherSyntax, SubjectPattern};

/// Names that a matcher may use for a tool in addition to its own.
pub type AlternateNames = &'static [(&'static str, &'static [&'static str])];

/// The matcher of a hook.
#[derive(Debug)]
pub struct ClientMatcher {
    /// The event's definition.
    pub def: &'static ClientEventDef,
    /// The pattern for the subject.
    pub pattern: Option<SubjectPattern>,
    /// The condition on the tool call.
    pub condition: Option<PermissionCondition>,
    /// Alternate tool names.
    pub alternate_names: AlternateNames,
}

impl ClientMatcher {
    /// Converts it to a matcher; `None` if it matches everything.
    #[must_use]
    pub fn into_matcher(self) -> Option<Arc<dyn Matcher>> {
        (self.pattern.is_some() || self.condition.is_some()).then(|| Arc::new(self) as Arc<dyn Matcher>)
    }

    fn tool_names<'a>(&self, name: &'a str) -> impl Iterator<Item = &'a str> + use<'a> {
        let second = self.alternate_names.iter().find(|(own, _)| *own == name).map_or(&[][..], |(_, second)| second);
        std::iter::once(name).chain(second.iter().copied())
    }
}

impl Matcher for ClientMatcher {
    fn matches(&self, event: &Event) -> MatchResult {
        let context = EncodeContext { event, event_alias: self.def.name, style: self.def.style };
        let subject = self.def.subject.and_then(|subject| subject(&context));
        let fits = match (&self.pattern, &subject) {
            (Some(pattern), Some(subject)) => self.tool_names(subject).any(|name| pattern.matches(name)),
            // An event without a subject always matches.
            (None, _) | (_, None) => true,
        };
        let holds = || match &self.condition {
            None => true,
            Some(condition) => {
                condition.is_met(self.tool_names(context.tool_name()), context.tool_input(), &event.origin.cwd)
            }
        };
        if fits && holds() { MatchResult::Yes } else { MatchResult::No }
    }

    fn describe(&self) -> String {
        let parts = [
            self.pattern.as_ref().map(|pattern| pattern.text().to_owned()),
            self.condition.as_ref().map(|condition| format!("if {}", condition.text())),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// The reason why a pattern or condition is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientMatcherError {
    /// The pattern is not a valid regular expression.
    #[error("{reason}")]
    InvalidExpression {
        /// The last line of the parser's error text.
        reason: String,
    },
    /// The part of a condition in parentheses does not end.
    #[error("the closing `)` is missing")]
    UnclosedParenthesis,
    /// A condition does not begin with the name of a tool.
    #[error("it does not begin with a tool name")]
    NoToolName,
}

impl From<regex::Error> for ClientMatcherError {
    fn from(error: regex::Error) -> Self {
        let text = error.to_string();
        let line = text.lines().last().unwrap_or_default().trim();
        Self::InvalidExpression { reason: line.strip_prefix("error: ").unwrap_or(line).to_owned() }
    }
}
