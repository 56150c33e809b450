//! Matchers that are `when` expressions.

use std::sync::Arc;

use pintle_contract::{Codec, Event, MatchResult, Matcher, Payload, SubjectFilter};
use pintle_script::WhenPredicate;

use super::handler::with_handler_payload;
use super::remote::RemoteScript;

/// A `when` in this process; for a payload that is too large, in a script worker.
#[derive(Debug)]
pub(super) struct ScriptMatcher {
    pub(super) when: WhenPredicate,
    pub(super) remote: RemoteScript,
    pub(super) event_alias: Arc<str>,
    pub(super) codec: Arc<dyn Codec>,
}

impl Matcher for ScriptMatcher {
    fn matches(&self, event: &Event) -> MatchResult {
        with_handler_payload(&*self.codec, event, &self.event_alias, |payload| {
            match self.when.fits_in_process(payload) {
                true => self.when.evaluate(&self.event_alias, payload),
                false => match_in_worker(&self.remote, &self.event_alias, payload),
            }
        })
    }

    fn subjects(&self) -> SubjectFilter {
        self.when.subjects()
    }

    fn describe(&self) -> String {
        self.when.describe()
    }
}

/// A `when` of unlimited cost, in a script worker.
#[derive(Debug)]
pub(super) struct RemoteMatcher {
    pub(super) remote: RemoteScript,
    pub(super) text: Arc<str>,
    pub(super) event_alias: Arc<str>,
    pub(super) codec: Arc<dyn Codec>,
}

impl Matcher for RemoteMatcher {
    fn matches(&self, event: &Event) -> MatchResult {
        with_handler_payload(&*self.codec, event, &self.event_alias, |payload| {
            match_in_worker(&self.remote, &self.event_alias, payload)
        })
    }

    fn describe(&self) -> String {
        self.text.trim().to_owned()
    }
}

fn match_in_worker(remote: &RemoteScript, event_alias: &str, payload: &Payload) -> MatchResult {
    match remote.call_match(event_alias, payload.value()) {
        Ok(true) => MatchResult::Yes,
        Ok(false) => MatchResult::No,
        Err(failure) => MatchResult::Failed(failure),
    }
}
