//! Why a turn or a session did not come to an answer.

use std::fmt;

use pintle::Outcome;

use crate::model::{ModelError, ModelErrorKind};
use crate::turn_context::{TurnContext, denial_text};

/// Why a turn or a session did not come to an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnError {
    /// What kind of thing it was.
    pub kind: TurnErrorKind,
    /// One line for people.
    pub message: String,
    /// Why the turn stopped, where that has a word of its own.
    stop_reason: Option<&'static str>,
}

/// Kinds of faults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnErrorKind {
    /// A hook said no.
    Denied,
    /// The caller cancelled.
    Cancelled,
    /// Something could not be done; the words are those of the `error` event.
    Failed {
        /// What failed: `model`, `hook`, `delegation`, `limit`, `session` or `config`.
        source: &'static str,
        /// The event during or after which it happened.
        event: &'static str,
        /// Whether trying again may help.
        is_retryable: bool,
    },
}

impl TurnError {
    pub(crate) fn denied(message: impl Into<String>) -> Self {
        Self { kind: TurnErrorKind::Denied, message: message.into(), stop_reason: None }
    }

    pub(crate) fn cancelled() -> Self {
        Self { kind: TurnErrorKind::Cancelled, message: String::from("cancelled"), stop_reason: None }
    }

    pub(crate) fn failed(what: &'static str, message: impl Into<String>) -> Self {
        let kind = TurnErrorKind::Failed { source: what, event: "", is_retryable: false };
        Self { kind, message: message.into(), stop_reason: None }
    }

    pub(crate) fn with_event(mut self, event: &'static str) -> Self {
        if let TurnErrorKind::Failed { event: during, .. } = &mut self.kind {
            *during = event;
        }
        self
    }

    /// A hook said no to something. A member of a team says so in the hook's own words.
    pub(crate) fn from_denial(turn: &TurnContext, what: &str, outcome: &Outcome) -> Self {
        if turn.is_member() {
            return Self::denied(denial_text(outcome));
        }
        Self::denied(format!("{what} blocked: {}", outcome.reason()))
    }

    /// Gives the reason for the stop a word of its own.
    pub(super) fn with_stop_reason(mut self, reason: &'static str) -> Self {
        self.stop_reason = Some(reason);
        self
    }

    /// Why the turn stopped, as one word: `user_prompt_submit_blocked`, `hook_denied`, `cancelled`, or what failed, such
    /// as `model_error`.
    #[must_use]
    pub fn stop_reason(&self) -> &'static str {
        let of_kind = match self.kind {
            TurnErrorKind::Denied => "hook_denied",
            TurnErrorKind::Cancelled => "cancelled",
            TurnErrorKind::Failed { source: what, .. } => match what {
                "model" => "model_error",
                "hook" => "hook_error",
                "delegation" => "delegation_error",
                "limit" => "limit_reached",
                "config" => "config_error",
                _ => "session_error",
            },
        };
        self.stop_reason.unwrap_or(of_kind)
    }

    /// Why an iteration that ends with this fault ends (docker-agent behaviour, section 6.4).
    pub(super) fn iteration_reason(&self) -> &'static str {
        match self.kind {
            TurnErrorKind::Denied => "hook_blocked",
            TurnErrorKind::Cancelled => "canceled",
            TurnErrorKind::Failed { .. } => "error",
        }
    }

    /// Whether a hook said no.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        self.kind == TurnErrorKind::Denied
    }

    /// How a session that ends with this fault ends, in the words of `session.error`.
    pub(crate) fn status(&self) -> &'static str {
        match self.kind {
            TurnErrorKind::Denied => "blocked",
            TurnErrorKind::Cancelled => "cancelled",
            TurnErrorKind::Failed { .. } => "failed",
        }
    }

    /// Why a session that ends with this fault ends.
    pub(super) fn end_reason(&self) -> &'static str {
        match self.kind {
            TurnErrorKind::Denied => "blocked",
            TurnErrorKind::Cancelled => "cancelled",
            TurnErrorKind::Failed { .. } => "error",
        }
    }
}

impl From<ModelError> for TurnError {
    fn from(error: ModelError) -> Self {
        let retryable = match error.kind {
            ModelErrorKind::Cancelled => return Self::cancelled(),
            ModelErrorKind::Retryable => true,
            ModelErrorKind::Fatal | ModelErrorKind::Script => false,
        };
        let kind = TurnErrorKind::Failed { source: "model", event: "completion.pre", is_retryable: retryable };
        Self { kind, message: error.message, stop_reason: None }
    }
}

impl fmt::Display for TurnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TurnError {}
