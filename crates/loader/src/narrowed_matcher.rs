//! Matches hooks of dialects whose event is narrower than the catalogue's.

use std::sync::Arc;

use pintle_contract::{Codec, Event, MatchResult, Matcher, SubjectFilter};

/// Combines the author's matcher with the dialect's narrower event.
#[derive(Debug)]
struct NarrowedMatcher {
    event_filter: fn(&Event) -> bool,
    author_matcher: Option<Arc<dyn Matcher>>,
}

impl Matcher for NarrowedMatcher {
    fn matches(&self, event: &Event) -> MatchResult {
        match &self.author_matcher {
            _ if !(self.event_filter)(event) => MatchResult::No,
            Some(written) => written.matches(event),
            None => MatchResult::Yes,
        }
    }

    fn subjects(&self) -> SubjectFilter {
        match self.author_matcher.as_ref().map_or(SubjectFilter::Any, |written| written.subjects()) {
            SubjectFilter::Any => SubjectFilter::Any,
            SubjectFilter::Only { mut certain, mut possible } => {
                possible.append(&mut certain);
                SubjectFilter::possible(possible)
            }
        }
    }

    fn describe(&self) -> String {
        // The dialect's documentation describes its event; here it only matters that it is narrower than the
        // catalogue's.
        const NARROW: &str = "its own event only";
        self.author_matcher
            .as_ref()
            .map_or_else(|| String::from(NARROW), |written| format!("{}, {NARROW}", written.describe()))
    }
}

/// The matcher of a hook, restricted to what its dialect means by the event.
pub(crate) fn narrow_matcher(
    written: Option<Arc<dyn Matcher>>,
    codec: &dyn Codec,
    event_alias: &str,
) -> Option<Arc<dyn Matcher>> {
    match codec.event_filter(event_alias) {
        None => written,
        Some(means) => Some(Arc::new(NarrowedMatcher { event_filter: means, author_matcher: written })),
    }
}

#[cfg(test)]
mod tests {
    use pintle_contract::{EventName, Origin};
    use pintle_dialects::{DIALECTS, NATIVE};
    use pintle_testkit::SubjectMatcher;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_that_did_not_run_is_no_event_of_the_dialect() {
        let dialect = DIALECTS.iter().find(|dialect| dialect.events.find("post_tool_use").is_ok()).unwrap();
        let codec = (dialect.codec)();
        let event = |payload| Event::new(EventName::parse("tool.post").unwrap(), payload, Arc::new(Origin::default()));
        let refused = event(json!({"name": "shell", "executed": false}));
        // An event that does not say so was executed.
        let ran = [event(json!({"name": "shell"})), event(json!({"name": "shell", "executed": true}))];
        let only = |name: &str| Some(SubjectMatcher::new([name]) as Arc<dyn Matcher>);
        for (written, wanted) in
            [(None, MatchResult::Yes), (only("shell"), MatchResult::Yes), (only("think"), MatchResult::No)]
        {
            let matcher = narrow_matcher(written, &*codec, "post_tool_use").unwrap();
            assert_eq!(ran.each_ref().map(|event| matcher.matches(event)), [wanted.clone(), wanted]);
            assert_eq!(matcher.matches(&refused), MatchResult::No);
            assert!(!matches!(matcher.subjects(), SubjectFilter::Only { certain, .. } if !certain.is_empty()));
        }
        // The other aliases mean the same as the catalogue.
        assert!(narrow_matcher(None, &*codec, "pre_tool_use").is_none());
        assert!(narrow_matcher(None, &*(NATIVE.codec)(), "tool.post").is_none());
    }
}
