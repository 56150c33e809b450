//! Patterns that select events: globs and event expressions, compiled once, evaluated on the canonical event.
//!
//! The pattern language (`DEVIATIONS.md` lists the differences from Harn):
//!
//! 1. Nothing, or `*`: every event.
//! 2. `path =~ "regex"`, `path == "text"`, `path != "text"`: one comparison. A missing value is an empty string, and a
//!    value that is not a string is its JSON text. Quotes around a word are optional.
//! 3. A dotted path that starts with a key of the payload: whether its value is something other than false, 0 or empty.
//! 4. Anything else: a glob on the event's subject, such as the tool's name.

mod expression;
mod glob;
mod path;

use std::sync::Arc;

use pintle_contract::{Event, MatchResult, Matcher, SubjectFilter};
use serde_json::Value;

use self::expression::{PatternTest, compile};
use super::HarnEventDef;
use super::encode::{persona, step};
use super::fault::HarnFault;

pub(super) use self::glob::NameGlob;

/// A pattern of one event's hooks.
#[derive(Debug, Clone)]
pub(super) struct EventPattern {
    text: Arc<str>,
    def: &'static HarnEventDef,
    test: PatternTest,
}

impl EventPattern {
    /// Compiles a pattern for an event.
    ///
    /// # Errors
    /// If the pattern is invalid or can never match.
    pub(super) fn compile(text: &str, def: &'static HarnEventDef) -> Result<Self, HarnFault> {
        Ok(Self { text: Arc::from(text), def, test: compile(text.trim(), def)? })
    }

    /// Whether it matches every event.
    pub(super) fn matches_all(&self) -> bool {
        matches!(self.test, PatternTest::Always)
    }

    /// Whether an event matches.
    pub(super) fn accepts(&self, event: &Event) -> bool {
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

/// The persona, step and budget threshold that a hook applies to.
#[derive(Debug, Clone)]
pub(in crate::harn) struct PersonaScope {
    pub(in crate::harn) def: &'static HarnEventDef,
    /// The persona pattern, as written.
    pub(in crate::harn) text: String,
    /// The persona pattern; `*` also matches a step without a persona.
    pub(in crate::harn) persona: NameGlob,
    pub(in crate::harn) step: Option<String>,
    /// The budget threshold, in percent, that must have been reached.
    pub(in crate::harn) percent: Option<f64>,
    /// The pattern of the event.
    pub(in crate::harn) pattern: Option<EventPattern>,
}

impl PersonaScope {
    fn has_reached_threshold(&self, event: &Event) -> bool {
        let Some(mark) = self.percent else { return true };
        let number = |field| event.payload.field(field).and_then(Value::as_f64);
        // One event is fired for each threshold that is passed, so a hook runs once, whatever thresholds others set.
        let before = number("previous_percent").unwrap_or(f64::NEG_INFINITY);
        let reached = number("threshold_percent").or_else(|| number("percent"));
        reached.is_some_and(|reached| reached >= mark && before < mark)
    }
}

impl Matcher for PersonaScope {
    fn matches(&self, event: &Event) -> MatchResult {
        let wanted = self.persona.accepts(persona(event))
            && self.step.as_deref().is_none_or(|wanted| wanted == step(event))
            && self.has_reached_threshold(event)
            && self.pattern.as_ref().is_none_or(|pattern| pattern.accepts(event));
        if wanted { MatchResult::Yes } else { MatchResult::No }
    }

    fn subjects(&self) -> SubjectFilter {
        // Step events are indexed by step and persona events by persona; other events have another subject.
        match &self.step {
            Some(name) if self.def.subject == Some("target") => SubjectFilter::possible(vec![name.clone()]),
            _ => SubjectFilter::Any,
        }
    }

    fn threshold_percent(&self) -> Option<f64> {
        self.percent
    }

    fn describe(&self) -> String {
        let mut words = vec![format!("persona {}", self.text)];
        words.extend(self.step.as_ref().map(|step| format!("step {step}")));
        words.extend(self.percent.map(|percent| format!("budget used to {percent} %")));
        words.extend(self.pattern.as_ref().filter(|pattern| !pattern.matches_all()).map(|pattern| pattern.describe()));
        words.join(", ")
    }
}
