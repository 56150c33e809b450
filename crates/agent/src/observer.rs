//! Watching a session while it runs.
//!
//! Hooks and their verdicts are told through the runtime's journal; this is what the agent itself does.

use std::fmt::Debug;

use pintle::Origin;
use pintle::event::TokenUsage;

/// Is told of everything an agent does, while it does it. Calls may come from several threads at once.
pub trait Observer: Send + Sync + Debug {
    /// Something happened to the agent that `origin` names.
    fn observe(&self, origin: &Origin, what: &AgentEvent<'_>);
}

/// What an agent did.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AgentEvent<'a> {
    /// A turn begins with this message, as the hooks left it.
    TurnStarted {
        /// The message.
        message: &'a str,
    },
    /// The model is asked.
    ModelRequested {
        /// The model's name.
        model: &'a str,
        /// Which model call of the turn it is, from 1.
        iteration: u32,
    },
    /// More text of the model's answer arrived. Told only where no hook can change or block the text any more; otherwise
    /// the text comes whole, as [`AgentEvent::Message`].
    Text {
        /// The text.
        text: &'a str,
    },
    /// The agent says something, and every hook that can change or block it has been called. An answer that a hook blocked
    /// is not told.
    Message {
        /// The whole text, as the hooks left it.
        text: &'a str,
        /// Whether it arrived as [`AgentEvent::Text`] before.
        streamed: bool,
    },
    /// The model answered.
    ModelAnswered {
        /// The whole text, as the hooks of `completion.post` left it. Those of `agent.stop` and `turn.end` may still change
        /// or block it: show [`AgentEvent::Message`] to people.
        text: &'a str,
        /// How many tools it calls.
        tool_calls: usize,
        /// The tokens of this call.
        usage: TokenUsage,
    },
    /// A model call failed and is tried again.
    Retried {
        /// What went wrong.
        message: &'a str,
        /// Which try comes next, from 2.
        attempt: u32,
        /// How long that waits.
        delay_ms: u64,
    },
    /// A tool is called; the hooks have not been asked yet.
    ToolCalled {
        /// The provider's id of the call.
        id: &'a str,
        /// The tool.
        name: &'a str,
        /// The arguments as JSON text.
        arguments: &'a str,
    },
    /// A tool call is over.
    ToolReturned {
        /// The provider's id of the call.
        id: &'a str,
        /// The tool.
        name: &'a str,
        /// What the model gets.
        content: &'a str,
        /// Whether it failed or was refused.
        is_error: bool,
    },
    /// A task was handed to another agent.
    Delegated {
        /// The agent.
        agent: &'a str,
        /// The task.
        task: &'a str,
        /// Which attempt it is, from 1.
        attempt: u32,
    },
    /// Hooks did not let the agent stop; this message sends it on.
    Continued {
        /// The message.
        message: &'a str,
    },
    /// The conversation went to another agent of the team.
    AgentSwitched {
        /// The agent that speaks from now on.
        agent: &'a str,
    },
    /// Something a person should know.
    Notice {
        /// The text.
        message: &'a str,
    },
    /// A turn is over.
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

/// An observer that looks away.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn observe(&self, _origin: &Origin, _what: &AgentEvent<'_>) {}
}
