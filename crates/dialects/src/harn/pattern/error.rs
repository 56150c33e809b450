//! Errors in patterns.

use std::fmt;

use pintle_contract::{Diagnostic, Location};

/// Why a pattern is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError {
    /// The message, one line.
    pub message: String,
    /// The next step.
    pub help: Option<String>,
}

impl PatternError {
    pub(in crate::harn) fn new(message: impl Into<String>, help: Option<String>) -> Self {
        Self { message: message.into(), help }
    }

    pub(in crate::harn) fn with_help(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(message, Some(help.into()))
    }

    /// The diagnostic at the location of the pattern.
    #[must_use]
    pub fn into_diagnostic(self, location: Location) -> Diagnostic {
        Diagnostic { help: self.help, ..Diagnostic::error("bad_pattern", self.message, location) }
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for PatternError {}
