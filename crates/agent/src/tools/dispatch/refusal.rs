//! Why a call did not run, in the words that the model gets.

use crate::turn_context::TurnContext;

/// Why a call did not run, or what it failed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallRefusal {
    /// A hook said no.
    Blocked {
        /// The event, as docker-agent calls it.
        event: &'static str,
        /// Why, in the words of AI Harness.
        reason: String,
        /// Why, in the words of docker-agent.
        user_text: String,
    },
    /// A rule said no.
    Denied(String),
    /// The person said no.
    Rejected,
    /// Somebody has to say yes and nobody is there.
    Unavailable,
    /// The turn was cancelled.
    Cancelled,
    /// A hook ended the run before this call's turn came.
    Skipped,
    /// It cannot be made: no such tool, not allowed, unusable arguments.
    Unusable(String),
    /// The tool ran and failed.
    Failed(String),
}

impl CallRefusal {
    /// The text in the place of the result. A member of a team gets docker-agent's words (docker-agent behaviour,
    /// section 1.4), any other agent those of AI Harness.
    pub(super) fn text(self, turn: &TurnContext, tool: &str) -> String {
        match self {
            Self::Blocked { event, user_text: words, .. } if turn.is_member() => {
                let reason = if words.is_empty() { words } else { format!(" Reason: {words}") };
                format!("The tool call was rejected by a {event} hook.{reason}")
            }
            Self::Blocked { reason, .. } => format!("tool blocked: {reason}"),
            Self::Denied(by) => format!("Tool '{tool}' is denied by {by}."),
            Self::Rejected => String::from("The user rejected the tool call."),
            Self::Unavailable => format!(
                "Tool '{tool}' requires user confirmation but the session is non-interactive. Go on without it, or say \
                 that a permission rule has to allow it."
            ),
            Self::Cancelled => String::from("cancelled before it ran"),
            Self::Skipped => {
                String::from("The tool call was skipped because a post_tool_use hook signalled run termination.")
            }
            Self::Unusable(why) => why,
            Self::Failed(why) => format!("tool error: {why}"),
        }
    }
}
