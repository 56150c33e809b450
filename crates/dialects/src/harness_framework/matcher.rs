//! Matchers: conditions that must all hold.

use pintle_contract::{Event, MatchResult, Matcher, SubjectFilter};
use serde_json::{Map, Value};

use super::encode;

/// The conditions of one entry.
#[derive(Debug)]
pub(super) struct FrameworkMatcher {
    /// The event's name in the settings.
    pub(super) event_alias: &'static str,
    /// The required values of payload fields.
    pub(super) expected_fields: Map<String, Value>,
}

impl FrameworkMatcher {
    /// The tool that the conditions name, if it is a single one.
    fn tool_name(&self) -> Option<&str> {
        self.expected_fields.get("tool_name").and_then(Value::as_str)
    }
}

impl Matcher for FrameworkMatcher {
    fn matches(&self, event: &Event) -> MatchResult {
        let payload = encode::build_payload(event, self.event_alias);
        let holds = self
            .expected_fields
            .iter()
            .all(|(field, wanted)| payload.get(field).is_some_and(|have| matches_value(wanted, have)));
        if holds { MatchResult::Yes } else { MatchResult::No }
    }

    fn subjects(&self) -> SubjectFilter {
        match self.tool_name().filter(|_| self.event_alias == "PreToolUse") {
            Some(tool) => SubjectFilter::possible(vec![tool.to_owned()]),
            None => SubjectFilter::Any,
        }
    }

    fn describe(&self) -> String {
        Value::Object(self.expected_fields.clone()).to_string()
    }
}

/// Whether a condition holds: values must be equal, a mapping must hold for each of its fields, and a list for one of
/// its items.
fn matches_value(wanted: &Value, have: &Value) -> bool {
    match wanted {
        Value::Object(fields) => {
            fields.iter().all(|(field, wanted)| have.get(field).is_some_and(|have| matches_value(wanted, have)))
        }
        Value::Array(choices) => wanted == have || choices.iter().any(|choice| matches_value(choice, have)),
        _ => wanted == have,
    }
}
