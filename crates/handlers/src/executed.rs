//! Hooks that are about tools that ran, and not about calls that were refused, skipped or not found (docker-agent
//! behaviour, section 1.4: `post_tool_use`).

use std::sync::Arc;

use pintle_contract::{BuiltMatcher, Event, Match, Matcher, Subjects};
use serde_json::Value;

/// Narrows a matcher to events about something that was executed.
#[derive(Debug)]
struct Executed(Option<Arc<dyn Matcher>>);

/// The same matcher, for what was executed only. An event that does not say counts as executed.
pub(crate) fn only(built: BuiltMatcher) -> BuiltMatcher {
    BuiltMatcher { matcher: Some(Arc::new(Executed(built.matcher))), ..built }
}

impl Matcher for Executed {
    fn matches(&self, event: &Event) -> Match {
        if event.payload.field("executed") == Some(&Value::Bool(false)) {
            return Match::No;
        }
        self.0.as_ref().map_or(Match::Yes, |inner| inner.matches(event))
    }

    fn subjects(&self) -> Subjects {
        match self.0.as_ref().map(|inner| inner.subjects()) {
            Some(Subjects::Only { names, .. }) => Subjects::Only { names, sufficient: false },
            Some(Subjects::Any) | None => Subjects::Any,
        }
    }

    fn describe(&self) -> String {
        self.0.as_ref().map_or_else(|| String::from("*"), |inner| inner.describe())
    }
}

#[cfg(test)]
mod tests {
    use pintle_contract::{EventName, Location, Origin};
    use serde_json::json;

    use super::*;
    use crate::pattern;

    #[test]
    fn a_call_that_did_not_run_matches_nothing_and_one_that_ran_is_matched_as_before() {
        let cases = [
            ("*", json!({"name": "shell"}), Match::Yes),
            ("*", json!({"name": "shell", "executed": false}), Match::No),
            ("shell", json!({"name": "shell"}), Match::Yes),
            ("shell", json!({"name": "shell", "executed": true}), Match::Yes),
            ("shell", json!({"name": "shell", "executed": false}), Match::No),
            ("shell", json!({"name": "fetch"}), Match::No),
        ];
        for (text, payload, expected) in cases {
            let built = pattern::build(&Arc::from(text), &Location::default());
            let name = EventName::parse("tool.post").unwrap();
            let event = Event::new(name, payload.clone(), Arc::new(Origin::default()));
            assert_eq!(only(built).matcher.unwrap().matches(&event), expected, "{text} {payload}");
        }
    }
}
