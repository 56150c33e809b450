//! Why a call did not run, and the text for the model.

use crate::observer::ToolCallEnd;
use crate::turn_context::TurnContext;

/// Why a call did not run, or how it failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallRefusal {
    /// A hook denied it, with the text that the agent's system has for it.
    Blocked(String),
    /// A permission rule denied it.
    Denied(String),
    /// The user denied it.
    Rejected,
    /// It needs approval and no user is available, with the reasons of those that ask; empty if only the mode does.
    Unavailable(String),
    /// The turn was cancelled.
    Cancelled,
    /// A hook ended the run before this call's turn came.
    Skipped,
    /// It cannot run: the tool does not exist or is not allowed, or the arguments are invalid.
    Unusable(String),
    /// The tool ran and failed.
    Failed(String),
}

impl CallRefusal {
    /// Why a call does not run whose context is cancelled.
    pub(super) fn cancelled(turn: &TurnContext) -> Self {
        if turn.state.is_stopped() { Self::Skipped } else { Self::Cancelled }
    }

    /// How the call ended, for observers.
    pub(super) fn end(&self) -> ToolCallEnd {
        match self {
            Self::Blocked(_) => ToolCallEnd::Blocked,
            Self::Denied(_) => ToolCallEnd::Denied,
            Self::Rejected => ToolCallEnd::Refused,
            Self::Unavailable(_) => ToolCallEnd::Unapproved,
            Self::Cancelled => ToolCallEnd::Cancelled,
            Self::Skipped => ToolCallEnd::Skipped,
            Self::Unusable(_) => ToolCallEnd::Unusable,
            Self::Failed(_) => ToolCallEnd::Failed,
        }
    }

    /// The text that the model gets as the result.
    pub(super) fn text(self, turn: &TurnContext, tool: &str) -> String {
        match self {
            Self::Blocked(text) => text,
            Self::Denied(by) => format!("Tool '{tool}' is denied by {by}."),
            Self::Rejected => String::from("The user rejected the tool call."),
            Self::Unavailable(reason) => {
                let reason = if reason.is_empty() { reason } else { format!(" It was asked because: {reason}") };
                format!(
                    "Tool '{tool}' requires user confirmation but the session is non-interactive. Go on without it, or \
                     say that a permission rule has to allow it.{reason}"
                )
            }
            Self::Cancelled => String::from("cancelled before it ran"),
            Self::Skipped => turn.rules().wording.skipped_call.to_owned(),
            Self::Unusable(why) => why,
            Self::Failed(why) => format!("tool error: {why}"),
        }
    }
}
