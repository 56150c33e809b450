//! What keeps a runtime from being built, or a hook from being registered.

use std::fmt;

use pintle_contract::Diagnostic;

/// The reason why hooks were not registered, by a call or while a runtime was built: every diagnostic about it, each a line
/// and one with its next step.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadReport {
    diagnostics: Vec<Diagnostic>,
}

impl LoadReport {
    /// The diagnostics, at least one of which is an error.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

impl From<Vec<Diagnostic>> for LoadReport {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self { diagnostics }
    }
}

impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.diagnostics.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            diagnostic.fmt(f)?;
            if let Some(help) = &diagnostic.help {
                write!(f, "\nhelp: {help}")?;
            }
        }
        Ok(())
    }
}

/// The same text, so that what `unwrap` prints can be read.
impl fmt::Debug for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for LoadReport {}
