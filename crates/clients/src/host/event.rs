//! Describes an event as a host reports it, before it becomes canonical events.

use serde_json::Value;

/// An event that a host reports.
#[derive(Debug, Clone, PartialEq)]
pub struct HostEvent {
    /// The session, turn and agent that fired the event.
    pub context: HostEventContext,
    /// The data of the event.
    pub data: HostEventData,
}

/// The session, turn and agent that fired an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostEventContext {
    /// The host's ID of the session.
    pub session: String,
    /// The type of the agent; empty for the main agent.
    pub agent: String,
    /// The host's ID of the subagent; empty for the main agent.
    pub run: String,
    /// The absolute path of the working directory; empty if the host does not send it, which means that of the process.
    pub cwd: String,
    /// The file with the conversation.
    pub transcript_path: Option<String>,
    /// The permission mode of the session, by the host's name.
    pub permission_mode: Option<String>,
    /// The host's ID of the turn or prompt.
    pub turn_id: Option<String>,
    /// The model, by the host's name.
    pub model: Option<String>,
}

/// A native tool call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostToolCall {
    /// The host's ID of the call; empty if it has none.
    pub id: String,
    /// The host's name of the tool.
    pub name: String,
    /// The arguments in the host's form.
    pub input: Value,
}

/// The data of a host event.
#[derive(Debug, Clone, PartialEq)]
pub enum HostEventData {
    /// A session starts, resumes, or is cleared or compacted.
    SessionStart {
        /// `startup`, `resume`, `clear` or `compact`, or the host's own word.
        source: String,
    },
    /// A session ended.
    SessionEnd {
        /// The host's word for the reason.
        reason: String,
    },
    /// The user sent a prompt.
    Prompt {
        /// The text of the prompt.
        text: String,
        /// The origin of the prompt if it is not from the user.
        source: Option<String>,
    },
    /// A tool is about to run, or the user is about to be asked about it; the event definition says which.
    BeforeTool(HostToolCall),
    /// A tool finished.
    AfterTool {
        /// The call.
        call: HostToolCall,
        /// The result in the host's form.
        response: Value,
        /// Whether the call failed.
        is_error: bool,
        /// The duration in milliseconds.
        duration_ms: Option<u64>,
    },
    /// The host denied a tool call by itself.
    PermissionDenied {
        /// The call.
        call: HostToolCall,
        /// Why it was denied.
        reason: String,
    },
    /// The host changed a file.
    FileEdited {
        /// The path of the file.
        path: String,
    },
    /// All tool calls of one model response finished: calls with their results.
    Batch(Vec<(HostToolCall, Value)>),
    /// A subagent is about to start.
    SubagentStart {
        /// The type of the agent.
        agent: String,
        /// The host's ID of the subagent.
        id: String,
        /// Its task, if the host sends it.
        task: String,
    },
    /// A subagent is about to return its answer.
    SubagentStop {
        /// The type of the agent.
        agent: String,
        /// The host's ID of the subagent.
        id: String,
        /// Its answer.
        answer: String,
        /// Whether a hook already made it continue.
        is_continuation: bool,
    },
    /// The agent is about to return the final answer of the turn.
    Stop {
        /// The answer.
        answer: String,
        /// Whether a hook already made it continue.
        is_continuation: bool,
    },
    /// The agent encountered an error.
    AgentError {
        /// The host's word for the kind of error.
        kind: String,
        /// The error message.
        message: String,
        /// Whether the host says that a retry may succeed.
        is_retryable: bool,
    },
    /// The conversation is about to be compacted.
    CompactBefore {
        /// `auto` or `manual`.
        trigger: String,
        /// The user's instructions for the summary.
        instructions: Option<String>,
    },
    /// The conversation was compacted.
    CompactAfter {
        /// `auto` or `manual`.
        trigger: String,
        /// The summary, if the host sends it.
        summary: String,
    },
    /// The host notifies the user.
    Notification {
        /// The host's word for the kind of notification.
        kind: String,
        /// The title.
        title: Option<String>,
        /// The text.
        message: String,
    },
    /// A model is about to be called, or responded: the host's request, and the response if there is one.
    Model {
        /// The request in the host's form.
        request: Value,
        /// The response in the host's form; null before the call.
        response: Value,
    },
    /// An event without a canonical counterpart.
    Other,
}
