//! Diagnostics: messages about the files that users wrote.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Location;

/// A message about a user's file: what is wrong, where, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How severe the problem is.
    pub severity: Severity,
    /// A stable identifier for programs, such as `unknown_event`.
    pub code: &'static str,
    /// What is wrong: lower case, one line, no full stop.
    pub message: String,
    /// Where the problem is.
    pub location: Location,
    /// The next step for the user.
    pub help: Option<String>,
}

/// How severe a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// For information only.
    Note,
    /// Probably a mistake; the file is still used.
    Warning,
    /// The hook or file cannot be used.
    Error,
}

impl Diagnostic {
    /// Creates an error.
    pub fn error(code: &'static str, message: impl Into<String>, location: Location) -> Self {
        Self { severity: Severity::Error, code, message: message.into(), location, help: None }
    }

    /// Creates a warning.
    pub fn warning(code: &'static str, message: impl Into<String>, location: Location) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message, location) }
    }

    /// Creates a note.
    pub fn note(code: &'static str, message: impl Into<String>, location: Location) -> Self {
        Self { severity: Severity::Note, ..Self::error(code, message, location) }
    }

    /// Adds the next step for the user.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Formats as `path:line:column: severity: message`, which editors can parse.
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
