//! Errors of model calls.

use std::fmt;

/// A model call that returned no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelError {
    /// The kind of error, which decides whether to retry.
    pub kind: ModelErrorKind,
    /// One line for the user, with a next step if there is one.
    pub message: String,
}

/// What kind of error a model call ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelErrorKind {
    /// Retrying may help: overload, a rate limit, a lost connection, a timeout.
    Retryable,
    /// Retrying will not help: a wrong key, an unknown model, a request that the provider rejects.
    Fatal,
    /// The caller cancelled the call.
    Cancelled,
    /// The conversation did not match the script of a [`ScriptModel`](super::ScriptModel).
    Script,
}

impl ModelErrorKind {
    /// The kind's name on the tape.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retryable => "retryable",
            Self::Fatal => "fatal",
            Self::Cancelled => "cancelled",
            Self::Script => "script",
        }
    }
}

impl ModelError {
    /// Creates an error.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Creates an error that a retry may fix.
    pub fn retryable(message: impl Into<String>) -> Self {
        Self::new(ModelErrorKind::Retryable, message)
    }

    /// Creates an error that a retry cannot fix.
    pub fn fatal(message: impl Into<String>) -> Self {
        Self::new(ModelErrorKind::Fatal, message)
    }

    /// Creates the error of a cancelled call.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::new(ModelErrorKind::Cancelled, "the model call was cancelled")
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ModelError {}
