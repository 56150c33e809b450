//! `when` as the engine asks it.

use std::sync::Arc;

use pintle_contract::{Codec, Event, Match, Matcher, Payload, Subjects};
use pintle_script::When;

use super::handler::with_payload;
use super::remote::Remote;

/// A `when` in this process.
#[derive(Debug)]
pub(super) struct ScriptMatcher {
    pub(super) when: When,
    pub(super) spelling: Arc<str>,
    pub(super) codec: Arc<dyn Codec>,
}

impl Matcher for ScriptMatcher {
    fn matches(&self, event: &Event) -> Match {
        with_payload(&*self.codec, event, &self.spelling, |payload| self.when.test(&self.spelling, payload))
    }

    fn subjects(&self) -> Subjects {
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
    fn matches(&self, event: &Event) -> Match {
        let ask = |payload: &Payload| self.remote.matches(&self.spelling, payload.value());
        let answer = with_payload(&*self.codec, event, &self.spelling, ask);
        match answer {
            Ok(true) => Match::Yes,
            Ok(false) => Match::No,
            Err(failure) => Match::Failed(failure),
        }
    }

    fn describe(&self) -> String {
        self.text.trim().to_owned()
    }
}
