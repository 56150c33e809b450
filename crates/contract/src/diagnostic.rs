//! Findings about what people wrote.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Location;

/// One finding: what, where, why, and the next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable short name for machines, such as `unknown_event`.
    pub code: &'static str,
    /// What is wrong: lower case, one line, no full stop.
    pub message: String,
    /// Where.
    pub location: Location,
    /// What to do about it.
    pub help: Option<String>,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably not what was meant; it still runs.
    Warning,
    /// It does not run.
    Error,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: &'static str, message: impl Into<String>, location: Location) -> Self {
        Self { severity: Severity::Error, code, message: message.into(), location, help: None }
    }

    /// A warning at a place.
    pub fn warning(code: &'static str, message: impl Into<String>, location: Location) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message, location) }
    }

    /// A note at a place.
    pub fn note(code: &'static str, message: impl Into<String>, location: Location) -> Self {
        Self { severity: Severity::Note, ..Self::error(code, message, location) }
    }

    /// Adds the next step.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// `path:line:column: severity: message`, the form editors understand.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(path), Some((line, column))) = (self.location.path(), self.location.line_column()) {
            write!(f, "{}:{line}:{column}: ", path.display())?;
        }
        write!(f, "{}: {}", self.severity, self.message)
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}
