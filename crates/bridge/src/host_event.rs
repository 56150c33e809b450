//! What a host told, before it becomes canonical events.

use serde_json::Value;

/// What a host told at one point of its agent's life.
#[derive(Debug, Clone, PartialEq)]
pub struct HostEvent {
    /// Whose life.
    pub context: HostEventContext,
    /// Which point, and its data.
    pub data: HostEventData,
}

/// Whose life it is about: what a host says with every event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostEventContext {
    /// The host's id of the session.
    pub session: String,
    /// The kind of agent; empty for the one that the person talks to.
    pub agent: String,
    /// The host's id of the subagent; empty for the agent that the person talks to.
    pub run: String,
    /// The absolute path of the working directory; empty when the host does not say, which means the process's own.
    pub cwd: String,
    /// The file with the conversation.
    pub transcript_path: Option<String>,
    /// How the session asks for permission, in the host's words.
    pub permission_mode: Option<String>,
    /// The host's id of the turn or prompt.
    pub turn_id: Option<String>,
    /// The model, in the host's words.
    pub model: Option<String>,
}

/// A tool call in the host's own terms.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostToolCall {
    /// The host's id of the call; empty when it has none.
    pub id: String,
    /// The host's name of the tool.
    pub name: String,
    /// The arguments in the host's form.
    pub input: Value,
}

/// A point of an agent's life, and its data.
#[derive(Debug, Clone, PartialEq)]
pub enum HostEventData {
    /// A session begins, goes on, or begins anew.
    SessionStart {
        /// `startup`, `resume`, `clear` or `compact`, or the host's own word.
        source: String,
    },
    /// A session is over.
    SessionEnd {
        /// The host's word for why.
        reason: String,
    },
    /// A person sent a prompt.
    Prompt {
        /// What the person wrote.
        text: String,
        /// Where it came from when not from the person.
        source: Option<String>,
    },
    /// A tool is about to run, or a person is about to be asked about it; the row says which.
    BeforeTool(HostToolCall),
    /// A tool is over.
    AfterTool {
        /// The call.
        call: HostToolCall,
        /// What it gave, in the host's form.
        response: Value,
        /// Whether it failed.
        is_error: bool,
        /// How long it took, in milliseconds.
        duration_ms: Option<u64>,
    },
    /// All tools of one answer of the model are over: calls and what each gave.
    Batch(Vec<(HostToolCall, Value)>),
    /// A subagent is about to work.
    SubagentStart {
        /// The kind of agent.
        agent: String,
        /// The host's id of it.
        id: String,
        /// Its task, when the host says.
        task: String,
    },
    /// A subagent is about to give its answer.
    SubagentStop {
        /// The kind of agent.
        agent: String,
        /// The host's id of it.
        id: String,
        /// Its answer.
        answer: String,
        /// Whether a hook already sent it on.
        is_continuation: bool,
    },
    /// The agent is about to give its final answer of the turn.
    Stop {
        /// The answer.
        answer: String,
        /// Whether a hook already sent it on.
        is_continuation: bool,
    },
    /// The agent met an error.
    AgentError {
        /// The host's word for its kind.
        kind: String,
        /// What went wrong.
        message: String,
    },
    /// The conversation is about to be compacted.
    CompactBefore {
        /// `auto` or `manual`.
        trigger: String,
        /// What the person wants to be kept.
        instructions: Option<String>,
    },
    /// The conversation was compacted.
    CompactAfter {
        /// `auto` or `manual`.
        trigger: String,
        /// The summary, when the host says.
        summary: String,
    },
    /// The person is told something.
    Notification {
        /// The host's word for its kind.
        kind: String,
        /// The heading.
        title: Option<String>,
        /// The text.
        message: String,
    },
    /// A model is about to be called, or answered: the host's request, and its answer when there is one.
    Model {
        /// The request in the host's form.
        request: Value,
        /// The answer in the host's form; null before.
        response: Value,
    },
    /// Something that no canonical event is about.
    Other,
}
