//! What can go wrong in a model call.

use std::fmt;

/// A model call that gave no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelError {
    /// What the caller can do about it.
    pub kind: ModelErrorKind,
    /// One line for people, with a next step where there is one.
    pub message: String,
}

/// What the caller of a model can do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelErrorKind {
    /// Try again after a while: overload, a rate limit, a lost connection, no answer in time.
    Retryable,
    /// Trying again will not help: a wrong key, an unknown model, a request that the provider refuses.
    Fatal,
    /// The caller raised the cancel flag.
    Cancelled,
    /// The conversation left the script of a [`ScriptModel`](super::ScriptModel).
    Script,
}

impl ModelErrorKind {
    /// The kind in a word, as the tape has it.
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
    /// Makes an error.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// An error that trying again may cure.
    pub fn retryable(message: impl Into<String>) -> Self {
        Self::new(ModelErrorKind::Retryable, message)
    }

    /// An error that trying again will not cure.
    pub fn fatal(message: impl Into<String>) -> Self {
        Self::new(ModelErrorKind::Fatal, message)
    }

    /// The caller wanted no answer any more.
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
