//! Errors of commands, for people.

use std::fmt::Display;

/// Why a command failed. Nothing in it holds a token or the password of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetError {
    /// Whether the input is invalid, rather than something outside of it.
    pub is_input: bool,
    /// What failed and why: one line, lower case, no full stop.
    pub message: String,
    /// The next step.
    pub help: Option<String>,
}

impl FleetError {
    /// Something outside of the command's input failed.
    pub fn failure(message: impl Display) -> Self {
        Self { is_input: false, message: message.to_string(), help: None }
    }

    /// The command's input is invalid.
    pub fn invalid_input(message: impl Display) -> Self {
        Self { is_input: true, ..Self::failure(message) }
    }

    /// Adds the next step.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// An error with its causes in one line.
pub(crate) fn error_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        let more = source.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = source.source();
    }
    text
}
