//! Matchers: conditions that all have to hold (The Harness Framework, Matchers).

use pintle_contract::{Event, MatchResult, Matcher, SubjectFilter};
use serde_json::{Map, Value};

use super::encode;
use crate::tools::CLAUDE;

/// The conditions of one entry.
#[derive(Debug)]
pub(super) struct Conditions {
    /// The event, as the settings spell it.
    pub(super) spelling: &'static str,
    /// What the fields of the payload have to be.
    pub(super) wanted: Map<String, Value>,
}

impl Conditions {
    /// The tool that the conditions name, when it is one.
    fn tool(&self) -> Option<&str> {
        self.wanted.get("tool_name").and_then(Value::as_str)
    }
}

impl Matcher for Conditions {
    fn matches(&self, event: &Event) -> MatchResult {
        let payload = encode::payload(event, self.spelling);
        let holds =
            self.wanted.iter().all(|(field, wanted)| payload.get(field).is_some_and(|have| holds(wanted, have)));
        if holds { MatchResult::Yes } else { MatchResult::No }
    }

    fn subjects(&self) -> SubjectFilter {
        match self.tool().filter(|_| self.spelling == "PreToolUse") {
            Some(tool) => SubjectFilter::Only { names: CLAUDE.canonical_names(tool), sufficient: false },
            None => SubjectFilter::Any,
        }
    }

    fn describe(&self) -> String {
        Value::Object(self.wanted.clone()).to_string()
    }
}

/// Whether a condition holds: values are equal, a mapping holds for each of its fields, and of a list one is enough.
fn holds(wanted: &Value, have: &Value) -> bool {
    match wanted {
        Value::Object(fields) => {
            fields.iter().all(|(field, wanted)| have.get(field).is_some_and(|have| holds(wanted, have)))
        }
        Value::Array(choices) => wanted == have || choices.iter().any(|choice| holds(choice, have)),
        _ => wanted == have,
    }
}
