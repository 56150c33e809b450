//! The findings of `pintle doctor`.

/// The result of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckStatus {
    /// Everything is as it should be.
    Ok,
    /// Information that the user should know.
    Note,
    /// Hooks do not run, or do not run correctly.
    Problem,
}

impl CheckStatus {
    /// The word in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Problem => "bad",
        }
    }
}

/// A finding of `pintle doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoctorFinding {
    /// The status of the finding.
    pub status: CheckStatus,
    /// The finding, in one line.
    pub text: String,
    /// The next step for the user.
    pub help: Option<String>,
}

impl DoctorFinding {
    /// A finding without a problem.
    pub fn ok(text: impl Into<String>) -> Self {
        Self { status: CheckStatus::Ok, text: text.into(), help: None }
    }

    /// Information that the user should know.
    pub fn note(text: impl Into<String>) -> Self {
        Self { status: CheckStatus::Note, text: text.into(), help: None }
    }

    /// A problem: hooks do not run, or do not run correctly.
    pub fn problem(text: impl Into<String>) -> Self {
        Self { status: CheckStatus::Problem, text: text.into(), help: None }
    }

    /// The finding with a next step.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}
