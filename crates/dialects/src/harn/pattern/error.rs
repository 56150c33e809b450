//! What is wrong with a pattern.

use std::fmt;

use pintle_contract::{Diagnostic, Location};

/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError {
    /// What is wrong, one line.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl PatternError {
    pub(in crate::harn) fn new(message: impl Into<String>, help: Option<String>) -> Self {
        Self { message: message.into(), help }
    }

    pub(in crate::harn) fn with_help(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(message, Some(help.into()))
    }

    /// The finding at the place where the pattern was written.
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
