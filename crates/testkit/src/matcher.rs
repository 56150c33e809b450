//! Matchers for tests.

use std::fmt;
use std::sync::Arc;

use pintle_contract::{Event, Failure, FailureKind, MatchResult, Matcher, SubjectFilter};

type MatcherPredicate = dyn Fn(&Event) -> MatchResult + Send + Sync;

/// A matcher that calls a closure, and that cannot be indexed.
pub struct ClosureMatcher(Box<MatcherPredicate>);

impl ClosureMatcher {
    /// Creates a matcher from a closure.
    pub fn new(predicate: impl Fn(&Event) -> MatchResult + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self(Box::new(predicate)))
    }
}

impl Matcher for ClosureMatcher {
    fn matches(&self, event: &Event) -> MatchResult {
        (self.0)(event)
    }

    fn describe(&self) -> String {
        String::from("a closure")
    }
}

impl fmt::Debug for ClosureMatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClosureMatcher")
    }
}

/// A matcher for exact subjects, which can be indexed. It fails on events without a subject.
#[derive(Debug, Clone)]
pub struct SubjectMatcher {
    names: Vec<String>,
    is_sufficient: bool,
}

impl SubjectMatcher {
    /// Matches these subjects; only the index decides.
    pub fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> Arc<Self> {
        Arc::new(Self { names: names.into_iter().map(str::to_owned).collect(), is_sufficient: true })
    }

    /// Matches these subjects; the matcher is called in addition to the index.
    pub fn new_checked<'n>(names: impl IntoIterator<Item = &'n str>) -> Arc<Self> {
        Arc::new(Self { names: names.into_iter().map(str::to_owned).collect(), is_sufficient: false })
    }
}

impl Matcher for SubjectMatcher {
    fn matches(&self, event: &Event) -> MatchResult {
        match event.subject() {
            None => MatchResult::Failed(Failure::new(FailureKind::Error, "the payload has no subject")),
            Some(subject) if self.names.iter().any(|name| name == subject) => MatchResult::Yes,
            Some(_) => MatchResult::No,
        }
    }

    fn subjects(&self) -> SubjectFilter {
        if self.is_sufficient {
            SubjectFilter::certain(self.names.clone())
        } else {
            SubjectFilter::possible(self.names.clone())
        }
    }

    fn describe(&self) -> String {
        format!("subject in {:?}", self.names)
    }
}
