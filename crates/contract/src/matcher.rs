//! Matchers: the conditions under which a hook runs.

use std::fmt::Debug;

use crate::{Event, Failure};

/// Decides whether a hook runs for an event. A matcher has no side effects and does no I/O.
pub trait Matcher: Send + Sync + Debug {
    /// Matches the event, with the payload that this hook would receive.
    fn matches(&self, event: &Event) -> MatchResult;

    /// The subjects that can match; the engine builds its index from them. Default: any subject.
    fn subjects(&self) -> SubjectFilter {
        SubjectFilter::Any
    }

    /// The threshold in per cent at which a hook of `budget.threshold` runs; `None` if the hook sets none. Hosts fire
    /// the event at these thresholds in addition to their own.
    fn threshold_percent(&self) -> Option<f64> {
        None
    }

    /// The matcher as its author wrote it, for messages to the user.
    fn describe(&self) -> String;
}

/// The result of matching one hook against an event.
#[derive(Debug, Clone, PartialEq)]
pub enum MatchResult {
    /// The hook runs.
    Yes,
    /// The hook does not run.
    No,
    /// The matcher failed. If its own code raised an error, the hook is skipped with a warning, unless its author wrote
    /// `on_error: closed`. If the matcher was cut short, for example by a limit, the hook itself fails.
    Failed(Failure),
}

/// The subjects that a matcher can match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubjectFilter {
    /// Any subject, and events without a subject.
    Any,
    /// Only the listed subjects.
    Only {
        /// The subjects, such as tool names.
        names: Vec<String>,
        /// Whether a subject in `names` always matches, so that [`Matcher::matches`] need not be called.
        sufficient: bool,
    },
}
