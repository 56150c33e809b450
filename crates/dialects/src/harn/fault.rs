//! What is wrong with something that a registration names.

use pintle_contract::{Diagnostic, Location};

/// Why a pattern, an event's name or a handler's name is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HarnFault {
    pub(super) code: &'static str,
    /// The message, one line.
    pub(super) message: String,
    /// The next step.
    pub(super) help: Option<String>,
}

impl HarnFault {
    pub(super) fn new(code: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: Some(help.into()) }
    }

    /// A pattern that is invalid.
    pub(super) fn of_pattern(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new("bad_pattern", message, help)
    }

    /// The diagnostic at a location.
    pub(super) fn into_diagnostic(self, location: Location) -> Diagnostic {
        Diagnostic { help: self.help, ..Diagnostic::error(self.code, self.message, location) }
    }
}
