//! What is wrong with hooks that cannot be loaded.

use std::fmt;
use std::path::Path;

/// Everything that keeps a runtime from being built, or a hook from being registered: each fault with its place and its
/// next step.
#[derive(Clone, PartialEq, Eq)]
pub struct LoadReport(Vec<Diagnostic>);

impl LoadReport {
    pub(crate) fn new(diagnostics: Vec<pintle_host::Diagnostic>) -> Self {
        Self(diagnostics.into_iter().map(Diagnostic).collect())
    }

    /// The diagnostics, at least one of which is an error.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.0
    }
}

impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            diagnostic.fmt(f)?;
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

/// A message about a hook or its file. As a text it is `path:line:column: severity: message`, which editors can parse, and
/// a line with the next step.
#[derive(Clone, PartialEq, Eq)]
pub struct Diagnostic(pintle_host::Diagnostic);

impl Diagnostic {
    /// Whether it is an error, and not a warning or a note.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.0.severity == pintle_host::Severity::Error
    }

    /// A stable identifier, such as `unknown_event`.
    #[must_use]
    pub fn code(&self) -> &str {
        self.0.code
    }

    /// What is wrong, in one line.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The next step.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.0.location.path()
    }

    /// The line and column in the file, from 1.
    #[must_use]
    pub fn line_column(&self) -> Option<(usize, usize)> {
        let (line, column) = self.0.location.line_column()?;
        Some((line, column))
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)?;
        match self.help() {
            Some(help) => write!(f, "\nhelp: {help}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
