//! The error of hooks that were not registered.

use std::fmt;

use pintle_contract::Diagnostic;

/// The reason why hooks were not registered, by a call or while a runtime was built: every diagnostic about it, one line
/// each.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegistrationError {
    diagnostics: Vec<Diagnostic>,
}

impl RegistrationError {
    /// The diagnostics, at least one of which is an error.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

impl From<Vec<Diagnostic>> for RegistrationError {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self { diagnostics }
    }
}

impl fmt::Display for RegistrationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.diagnostics.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            diagnostic.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for RegistrationError {}
