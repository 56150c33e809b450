//! Errors of turns and sessions.

use std::fmt;

use pintle_host::contract::RefusalWording;
use pintle_host::event::iteration_end::IterationEndReason;
use pintle_host::{EventKind, Outcome};

use crate::model::{ModelError, ModelErrorKind};
use crate::turn_context::TurnContext;

/// The error of a turn or session without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnError {
    /// The kind of error.
    pub kind: TurnErrorKind,
    /// One line for the user.
    pub message: String,
    /// The same for another agent's model, which learns why and not from which hook; `None` if it is the same.
    message_for_model: Option<String>,
    /// The stop reason, if it differs from the kind's.
    stop_reason: Option<&'static str>,
}

/// What kind of error a turn failed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnErrorKind {
    /// A hook denied.
    Denied,
    /// The caller cancelled.
    Cancelled,
    /// Something failed; the fields are those of the `error` event.
    Failed {
        /// What failed: `model`, `hook`, `delegation`, `limit`, `session` or `config`.
        source: &'static str,
        /// The event during or after which it happened, if there is one.
        event: Option<EventKind>,
        /// Whether a retry may help.
        is_retryable: bool,
    },
}

impl TurnError {
    pub(crate) fn denied(message: impl Into<String>) -> Self {
        Self { kind: TurnErrorKind::Denied, message: message.into(), message_for_model: None, stop_reason: None }
    }

    pub(crate) fn cancelled() -> Self {
        Self {
            kind: TurnErrorKind::Cancelled,
            message: String::from("cancelled"),
            message_for_model: None,
            stop_reason: None,
        }
    }

    pub(crate) fn failed(subject: &'static str, message: impl Into<String>) -> Self {
        let kind = TurnErrorKind::Failed { source: subject, event: None, is_retryable: false };
        Self { kind, message: message.into(), message_for_model: None, stop_reason: None }
    }

    pub(crate) fn with_event(mut self, event: EventKind) -> Self {
        if let TurnErrorKind::Failed { event: during, .. } = &mut self.kind {
            *during = Some(event);
        }
        self
    }

    /// A hook denied something.
    pub(crate) fn from_denial(turn: &TurnContext, subject: &str, outcome: &Outcome) -> Self {
        Self::from_refusal(&turn.rules().wording, subject, outcome)
    }

    /// A hook denied something that every system calls so.
    pub(crate) fn blocked(subject: &str, outcome: &Outcome) -> Self {
        Self::from_refusal(&RefusalWording::default(), subject, outcome)
    }

    fn from_refusal(wording: &RefusalWording, subject: &str, outcome: &Outcome) -> Self {
        Self::denied(wording.turn_denied_by(subject, outcome))
            .with_message_for_model(wording.turn_denied_for_model(subject, outcome))
    }

    pub(crate) fn with_message_for_model(mut self, message: String) -> Self {
        self.message_for_model = Some(message);
        self
    }

    /// The message for another agent's model.
    pub(crate) fn message_for_model(&self) -> &str {
        self.message_for_model.as_deref().unwrap_or(&self.message)
    }

    /// Sets a specific stop reason.
    pub(crate) fn with_stop_reason(mut self, reason: &'static str) -> Self {
        self.stop_reason = Some(reason);
        self
    }

    /// Why the turn stopped, as one word: `user_prompt_submit_blocked`, `hook_denied`, `cancelled`, or what failed,
    /// such as `model_error`.
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

    /// The reason for `iteration.end`.
    pub(crate) fn iteration_reason(&self) -> IterationEndReason {
        match self.kind {
            TurnErrorKind::Denied => IterationEndReason::Blocked,
            TurnErrorKind::Cancelled => IterationEndReason::Cancelled,
            TurnErrorKind::Failed { .. } => IterationEndReason::Error,
        }
    }

    /// Whether a hook denied.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        self.kind == TurnErrorKind::Denied
    }

    /// The value of `status` in `session.error`.
    pub(crate) fn status(&self) -> &'static str {
        match self.kind {
            TurnErrorKind::Denied => "blocked",
            TurnErrorKind::Cancelled => "cancelled",
            TurnErrorKind::Failed { .. } => "failed",
        }
    }

    /// The value of `reason` in `session.end`.
    pub(crate) fn end_reason(&self) -> &'static str {
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
        let kind =
            TurnErrorKind::Failed { source: "model", event: Some(EventKind::CompletionPre), is_retryable: retryable };
        Self { kind, message: error.message, message_for_model: None, stop_reason: None }
    }
}

impl fmt::Display for TurnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TurnError {}
