//! `when` as the engine asks it.

use std::sync::Arc;

use pintle_contract::{Codec, Event, MatchResult, Matcher, Payload, SubjectFilter};
use pintle_script::WhenPredicate;

use super::handler::with_payload;
use super::remote::Remote;

/// A `when` in this process; on a payload that is too large for that, in a worker process.
#[derive(Debug)]
pub(super) struct ScriptMatcher {
    pub(super) when: WhenPredicate,
    pub(super) remote: Remote,
    pub(super) spelling: Arc<str>,
    pub(super) codec: Arc<dyn Codec>,
}

impl Matcher for ScriptMatcher {
    fn matches(&self, event: &Event) -> MatchResult {
        with_payload(&*self.codec, event, &self.spelling, |payload| match self.when.fits_in_process(payload) {
            true => self.when.evaluate(&self.spelling, payload),
            false => in_worker(&self.remote, &self.spelling, payload),
        })
    }

    fn subjects(&self) -> SubjectFilter {
        self.when.subjects()
    }

    fn describe(&self) -> String {
        self.when.describe()
    }
}

/// A `when` whose cost is not bounded, in a worker process.
#[derive(Debug)]
pub(super) struct RemoteMatcher {
    pub(super) remote: Remote,
    pub(super) text: Arc<str>,
    pub(super) spelling: Arc<str>,
    pub(super) codec: Arc<dyn Codec>,
}

impl Matcher for RemoteMatcher {
    fn matches(&self, event: &Event) -> MatchResult {
        with_payload(&*self.codec, event, &self.spelling, |payload| in_worker(&self.remote, &self.spelling, payload))
    }

    fn describe(&self) -> String {
        self.text.trim().to_owned()
    }
}

fn in_worker(remote: &Remote, spelling: &str, payload: &Payload) -> MatchResult {
    match remote.matches(spelling, payload.value()) {
        Ok(true) => MatchResult::Yes,
        Ok(false) => MatchResult::No,
        Err(failure) => MatchResult::Failed(failure),
    }
}
