//! The predicate that says whether a hook wants an event.

use std::fmt::Debug;

use crate::{Event, Failure};

/// Decides whether a hook wants an event. Pure: no effects, no I/O.
pub trait Matcher: Send + Sync + Debug {
    /// Looks at the event, with the payload as it stands at this hook's turn.
    fn matches(&self, event: &Event) -> MatchResult;

    /// Which subjects can match at all; the engine builds its index from this.
    fn subjects(&self) -> SubjectFilter {
        SubjectFilter::Any
    }

    /// The mark in per cent that a hook of `budget.threshold` waits for, when it waits for one. Hosts fire the event at
    /// these marks besides their own.
    fn threshold_percent(&self) -> Option<f64> {
        None
    }

    /// The matcher as its author wrote it, for people.
    fn describe(&self) -> String;
}

/// What a matcher said.
#[derive(Debug, Clone, PartialEq)]
pub enum MatchResult {
    /// The hook wants the event.
    Yes,
    /// It does not.
    No,
    /// The matcher failed. Where its own code did, the hook is passed over and a warning recorded, unless its author wrote
    /// `on_error: closed` (AI Harness reference, `when`); where it was cut short, by a limit for instance, the hook failed.
    Failed(Failure),
}

/// Which subjects a matcher can match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubjectFilter {
    /// Any subject, and events without one.
    Any,
    /// Only these subjects.
    Only {
        /// The subjects, such as tool names.
        names: Vec<String>,
        /// True when a subject in `names` is all it takes, so that [`Matcher::matches`] need not be called.
        sufficient: bool,
    },
}
