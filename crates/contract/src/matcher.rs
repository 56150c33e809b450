//! Matchers: the conditions under which a hook runs.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};

use crate::{Event, Failure};

/// Decides whether a hook runs for an event. A matcher has no side effects and does no I/O.
pub trait Matcher: Send + Sync + Debug {
    /// Matches the event, with the payload that this hook would receive.
    fn matches(&self, event: &Event) -> MatchResult;

    /// The subjects that can match; the engine builds its index from them. Default: any subject.
    fn subjects(&self) -> SubjectFilter {
        SubjectFilter::Any
    }

    /// The subjects as the hook's author wrote them, for messages. Default: those of [`subjects`](Self::subjects).
    fn written_subjects(&self) -> SubjectFilter {
        self.subjects()
    }

    /// Whether a subject alone passes the matcher's pattern for subjects; `None` if it has none. Default: `None`.
    fn accepts_subject(&self, _subject: &str) -> Option<bool> {
        None
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SubjectFilter {
    /// Any subject, and events without a subject.
    Any,
    /// Only the listed subjects.
    Only {
        /// Subjects that always match, such as tool names: for them [`Matcher::matches`] need not be called.
        certain: Vec<String>,
        /// Subjects that may match.
        possible: Vec<String>,
    },
}

impl SubjectFilter {
    /// Only these subjects match, and each of them always does.
    #[must_use]
    pub fn certain(names: Vec<String>) -> Self {
        Self::Only { certain: names, possible: Vec::new() }
    }

    /// Only these subjects may match.
    #[must_use]
    pub fn possible(names: Vec<String>) -> Self {
        Self::Only { certain: Vec::new(), possible: names }
    }

    /// The subjects that can match; `None` if any can.
    #[must_use]
    pub fn names(&self) -> Option<impl Iterator<Item = &str>> {
        match self {
            Self::Any => None,
            Self::Only { certain, possible } => Some(certain.iter().chain(possible).map(String::as_str)),
        }
    }
}
