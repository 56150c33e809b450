//! The personas and steps that a hook applies to.

use pintle_contract::{Event, MatchResult, Matcher, SubjectFilter};
use serde_json::Value;

use super::{EventPattern, NameGlob};
use crate::harn::HarnEventDef;
use crate::harn::encode::keys::{persona, step};

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
