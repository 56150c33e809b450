//! The result of one example.

use pintle_agent::TranscriptLine;
use pintle_host::Diagnostic;
use pintle_host::contract::Location;
use serde::Serialize;

use super::expectation::ActualDecision;

/// What an example belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::commands) enum TestKind {
    /// A hook, which is judged alone.
    Example,
    /// A case file, judged by all hooks.
    Case,
    /// A rule of a pack.
    Rule,
    /// A scenario file, played in the agent loop under all hooks.
    Scenario,
}

impl TestKind {
    /// Whether all hooks decide together, so that it depends on which of them are trusted.
    pub(super) fn is_of_all_hooks(self) -> bool {
        matches!(self, Self::Case | Self::Scenario)
    }
}

/// Whether an example holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands) enum TestStatus {
    Holds,
    /// It does not hold: what differs.
    Fails(Vec<String>),
    /// It could not be run.
    NotRun(String),
    /// It was only listed.
    Listed,
}

/// One example with its result.
#[derive(Debug, Clone)]
pub(in crate::commands) struct TestResult {
    pub(super) kind: TestKind,
    /// The hook or the rule that must decide; `None` if any may.
    pub(super) hook: Option<String>,
    pub(super) name: String,
    pub(super) event: String,
    pub(super) expect: String,
    pub(super) location: Location,
    pub(super) status: TestStatus,
    pub(super) actual: Option<ActualDecision>,
    /// Of a scenario that fails, what happened up to the first difference.
    pub(super) transcript: Vec<TranscriptLine>,
    /// What hooks said, for the model and for the user: rules name themselves there.
    pub(super) said: Vec<String>,
}

impl TestResult {
    /// The diagnostic of an example that does not hold or was not run.
    pub(in crate::commands) fn diagnostic(&self) -> Option<Diagnostic> {
        let of = self.hook.as_deref().map(|hook| format!(" of `{hook}`")).unwrap_or_default();
        let what = match self.kind {
            TestKind::Case => "case",
            TestKind::Scenario => "scenario",
            TestKind::Example | TestKind::Rule => "example",
        };
        match &self.status {
            TestStatus::Fails(problems) => {
                // What differs later in a scenario mostly follows from what differed first.
                let problem = match (self.kind, problems.as_slice()) {
                    (TestKind::Scenario, [first, _, ..]) => format!("{first} (and {} more)", problems.len() - 1),
                    _ => problems.join("; "),
                };
                let message = format!("the {what} `{}`{of} fails: {problem}", self.name);
                Some(Diagnostic::error("example_fails", message, self.location.clone()).help(self.next_step()))
            }
            TestStatus::NotRun(why) => {
                let message = format!("the {what} `{}`{of} was not run: {why}", self.name);
                let help = "review the project with `pintle trust`, or name its path to run its hooks this time";
                Some(Diagnostic::error("example_not_run", message, self.location.clone()).help(help))
            }
            TestStatus::Holds | TestStatus::Listed => None,
        }
    }

    /// Whether it was run, and not left out because its hooks are not trusted.
    pub(in crate::commands) fn has_run(&self) -> bool {
        !matches!(self.status, TestStatus::NotRun(_) | TestStatus::Listed)
    }

    /// Where the example is.
    pub(in crate::commands) fn location(&self) -> &Location {
        &self.location
    }

    /// The decision if the example holds; what differs if it does not.
    pub(in crate::commands) fn summary(&self) -> Result<&str, String> {
        match &self.status {
            TestStatus::Fails(problems) => Err(problems.join("; ")),
            TestStatus::NotRun(why) => Err(why.clone()),
            TestStatus::Holds | TestStatus::Listed => Ok(&self.expect),
        }
    }

    fn next_step(&self) -> String {
        match self.kind {
            TestKind::Rule => String::from(
                "this is a defect in Pintle; report it, and guard the call with a hook of your own until then",
            ),
            TestKind::Example => String::from("correct the hook, or what the example expects of it"),
            TestKind::Scenario => {
                String::from("correct the hooks or the scenario; `pintle test` shows what happened before")
            }
            TestKind::Case => {
                String::from("correct the hooks or the case; `pintle try --explain` shows who judges a call")
            }
        }
    }

    /// Whether a text is part of what the example is called.
    pub(super) fn contains(&self, text: &str) -> bool {
        let path = self.location.path().map(|path| path.display().to_string());
        let texts = [path.as_deref(), self.hook.as_deref(), Some(self.name.as_str()), Some(self.event.as_str())];
        texts.into_iter().flatten().any(|own| own.contains(text))
    }
}
