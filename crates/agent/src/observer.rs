//! Observers, which watch a session while it runs.
//!
//! Hooks and their verdicts are reported through the runtime's journal; an observer sees what the agent itself does.

use std::fmt::Debug;

use pintle_host::Origin;
use pintle_host::event::TokenUsage;

/// Receives everything an agent does while it happens. Calls may come from several threads at once.
pub trait Observer: Send + Sync + Debug {
    /// Reports something that the agent named by `origin` did.
    fn observe(&self, origin: &Origin, event: &AgentEvent<'_>);
}

/// What an agent did.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AgentEvent<'a> {
    /// A turn begins with this message, after the rewrites of hooks.
    TurnStarted {
        /// The message.
        message: &'a str,
    },
    /// The model is called.
    ModelRequested {
        /// The model's name.
        model: &'a str,
        /// Which model call of the turn it is, from 1.
        iteration: u32,
    },
    /// More text of the model's answer arrived. Reported only if no hook can still change or block the text; otherwise
    /// the text arrives at once, as [`AgentEvent::Message`].
    Text {
        /// The text.
        text: &'a str,
    },
    /// The agent's answer, after every hook that can change or block it has been called. A blocked answer is not
    /// reported.
    Message {
        /// The whole text, after the rewrites of hooks.
        text: &'a str,
        /// Whether the text has already been reported as [`AgentEvent::Text`].
        streamed: bool,
    },
    /// The model answered.
    ModelAnswered {
        /// The whole text, after the rewrites of `completion.post` hooks. The hooks of `agent.stop` and `turn.end` may
        /// still change or block it: show [`AgentEvent::Message`] to the user instead.
        text: &'a str,
        /// How many tools it calls.
        tool_calls: usize,
        /// The tokens of this call.
        usage: TokenUsage,
    },
    /// A model call failed and is retried.
    Retried {
        /// What went wrong.
        message: &'a str,
        /// The number of the next attempt, from 2.
        attempt: u32,
        /// How long to wait before it.
        delay_ms: u64,
    },
    /// A tool call begins; its hooks have not been called yet.
    ToolCalled {
        /// The provider's id of the call.
        id: &'a str,
        /// The tool.
        name: &'a str,
        /// The arguments as JSON text.
        arguments: &'a str,
    },
    /// A tool call ended.
    ToolReturned {
        /// The provider's id of the call.
        id: &'a str,
        /// The tool.
        name: &'a str,
        /// The result for the model.
        content: &'a str,
        /// Whether the result is an error, after the rewrites of hooks.
        is_error: bool,
        /// How the call ended, whatever hooks made of its result.
        end: ToolCallEnd,
    },
    /// A task was handed to another agent.
    Delegated {
        /// The agent.
        agent: &'a str,
        /// The task.
        task: &'a str,
        /// The number of the attempt, from 1.
        attempt: u32,
    },
    /// Hooks did not let the agent stop; it continues with this message.
    Continued {
        /// The message.
        message: &'a str,
    },
    /// The conversation switched to another agent of the team.
    AgentSwitched {
        /// The agent that answers from now on.
        agent: &'a str,
    },
    /// A notice for the user.
    Notice {
        /// The text.
        message: &'a str,
    },
    /// A turn ended.
    TurnEnded {
        /// The answer.
        text: &'a str,
        /// The tokens of the turn's model calls.
        usage: TokenUsage,
    },
    /// A turn failed.
    TurnFailed {
        /// Why.
        message: &'a str,
    },
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolCallEnd {
    /// The tool ran and returned a result.
    Returned,
    /// The tool ran and failed.
    Failed,
    /// A hook denied the call before it ran.
    Blocked,
    /// A permission rule or the permission mode denied the call.
    Denied,
    /// The user refused the call.
    Refused,
    /// The call needed approval, and no user was available.
    Unapproved,
    /// The call could not run: the tool does not exist or is not allowed, or the arguments are invalid.
    Unusable,
    /// The turn was cancelled before the call ran.
    Cancelled,
    /// A hook ended the run before the call's turn came.
    Skipped,
    /// The session was interrupted before the call returned, so its end is unknown.
    Interrupted,
}

/// An observer that ignores everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn observe(&self, _origin: &Origin, _event: &AgentEvent<'_>) {}
}
