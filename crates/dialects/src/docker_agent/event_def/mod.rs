//! The definitions of docker-agent's events.

use pintle_contract::{Event, EventKind, HookInfluence};

use super::DockerAgentVersion;
use super::encode::keys::{self, DockerKey, ObjectOpening};
use crate::{EventNames, event_mappings};

/// The definition of a docker-agent event.
#[derive(Debug)]
pub struct DockerEventDef {
    /// The event's name in docker-agent.
    pub name: &'static str,
    /// The event in the catalogue.
    pub canonical: EventKind,
    /// The oldest version that has the event.
    pub since: DockerAgentVersion,
    /// Whether its hooks are in entries with a `matcher`, not in a flat list.
    pub matcher: bool,
    /// Whether a hook can block the event.
    pub can_block: bool,
    /// Whether a failed hook blocks the event, whatever `on_error` says.
    pub fails_closed: bool,
    /// The rewrite target of its hooks. Rewriting hooks run one after the other.
    pub rewrites: Option<DockerRewrite>,
    /// Which values of `permission_decision` have an effect.
    pub decisions: PermissionWords,
    /// Whether `metadata` reaches the permission prompt.
    pub metadata: bool,
    /// The reader of `additional_context` and plain text.
    pub context: ContextReader,
    /// Whether a hook can write the summary of a compaction.
    pub summary: bool,
    /// The first keys of the object on standard input.
    pub(super) opening: &'static ObjectOpening,
    /// The other keys of that object, in order.
    pub(super) keys: &'static [&'static [DockerKey]],
}

impl DockerEventDef {
    /// The keys of the object on a hook's standard input in addition to those of every event, in their order, and
    /// whether the first version also sends them.
    pub fn input_keys(&self) -> impl Iterator<Item = (&'static str, bool)> {
        self.keys.iter().copied().flatten().map(|key| (key.name, key.since == DockerAgentVersion::G1))
    }

    /// The most that a hook can influence the event.
    pub(super) fn influence(&self) -> HookInfluence {
        let changes =
            self.can_block || self.rewrites.is_some() || self.decisions != PermissionWords::Nothing || self.summary;
        if changes { HookInfluence::Shapes } else { HookInfluence::Observes }
    }
}

/// The rewrite target of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DockerRewrite {
    /// The arguments of a tool call: `updated_input`.
    Input,
    /// The messages for the model: `updated_messages`.
    Messages,
    /// The result of a tool call: `updated_tool_response`.
    Response,
}

/// Which values of `permission_decision` have an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermissionWords {
    /// None of them.
    Nothing,
    /// `deny`.
    Deny,
    /// `allow` and `deny`; `ask` means no opinion, because the user is about to be asked anyway.
    AllowDeny,
    /// `allow`, `ask` and `deny`.
    All,
}

/// The reader of a hook's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextReader {
    /// No one; it is ignored.
    NoReader,
    /// The model, as context.
    Model,
    /// The user, on the terminal.
    User,
}

/// An event on which hooks can only observe.
const TELLS: DockerEventDef = DockerEventDef {
    name: "",
    canonical: EventKind::Custom,
    since: DockerAgentVersion::G1,
    matcher: false,
    can_block: false,
    fails_closed: false,
    rewrites: None,
    decisions: PermissionWords::Nothing,
    metadata: false,
    context: ContextReader::NoReader,
    summary: false,
    opening: &keys::PLAIN,
    keys: &[],
};

/// An event of one tool call.
const OF_TOOL: DockerEventDef = DockerEventDef { matcher: true, can_block: true, keys: &[keys::CALL], ..TELLS };

/// An event on which the user submits text.
const PROMPT: DockerEventDef = DockerEventDef { can_block: true, context: ContextReader::Model, ..TELLS };

/// Every docker-agent event.
pub const ROWS: &[DockerEventDef] = &[
    DockerEventDef {
        name: "pre_tool_use",
        canonical: EventKind::ToolPre,
        fails_closed: true,
        rewrites: Some(DockerRewrite::Input),
        decisions: PermissionWords::All,
        ..OF_TOOL
    },
    DockerEventDef {
        name: "post_tool_use",
        canonical: EventKind::ToolPost,
        keys: &[keys::CALL, keys::RESULT],
        ..OF_TOOL
    },
    DockerEventDef {
        name: "permission_request",
        canonical: EventKind::PermissionAsk,
        decisions: PermissionWords::AllowDeny,
        metadata: true,
        ..OF_TOOL
    },
    DockerEventDef {
        name: "tool_response_transform",
        canonical: EventKind::ToolResult,
        can_block: false,
        rewrites: Some(DockerRewrite::Response),
        keys: &[keys::CATEGORY, keys::CALL, keys::RESULT],
        ..OF_TOOL
    },
    DockerEventDef {
        name: "tool_input_transform",
        canonical: EventKind::ToolTransform,
        since: DockerAgentVersion::Newest,
        rewrites: Some(DockerRewrite::Input),
        keys: &[keys::CATEGORY, keys::CALL],
        ..OF_TOOL
    },
    DockerEventDef {
        name: "tool_guard",
        canonical: EventKind::ToolGuard,
        since: DockerAgentVersion::Newest,
        fails_closed: true,
        decisions: PermissionWords::All,
        metadata: true,
        keys: &[keys::CATEGORY, keys::CALL],
        ..OF_TOOL
    },
    DockerEventDef {
        name: "session_start",
        canonical: EventKind::SessionStart,
        context: ContextReader::Model,
        keys: &[keys::SESSION_START],
        ..TELLS
    },
    DockerEventDef { name: "user_prompt_submit", canonical: EventKind::PromptSubmit, keys: &[keys::PROMPT], ..PROMPT },
    DockerEventDef {
        name: "user_steering_messages_submit",
        canonical: EventKind::PromptSteer,
        since: DockerAgentVersion::Newest,
        keys: &[keys::STEERING],
        ..PROMPT
    },
    DockerEventDef {
        name: "user_followup_submit",
        canonical: EventKind::PromptFollowup,
        since: DockerAgentVersion::Newest,
        keys: &[keys::PROMPT],
        ..PROMPT
    },
    DockerEventDef { name: "turn_start", canonical: EventKind::IterationStart, context: ContextReader::Model, ..TELLS },
    DockerEventDef {
        name: "turn_end",
        canonical: EventKind::IterationEnd,
        opening: &keys::NAMED,
        keys: &[keys::TURN_END],
        ..TELLS
    },
    DockerEventDef {
        name: "before_llm_call",
        canonical: EventKind::CompletionPre,
        can_block: true,
        rewrites: Some(DockerRewrite::Messages),
        opening: &keys::NAMED,
        keys: &[keys::BEFORE_CALL],
        ..TELLS
    },
    DockerEventDef {
        name: "after_llm_call",
        canonical: EventKind::CompletionPost,
        opening: &keys::NAMED,
        keys: &[keys::AFTER_CALL],
        ..TELLS
    },
    DockerEventDef {
        name: "pre_compact",
        canonical: EventKind::CompactPre,
        can_block: true,
        context: ContextReader::Model,
        keys: &[keys::PRE_COMPACT],
        ..TELLS
    },
    DockerEventDef {
        name: "before_compaction",
        canonical: EventKind::CompactBefore,
        can_block: true,
        decisions: PermissionWords::Deny,
        summary: true,
        keys: &[keys::COMPACTION, keys::COMPACTED],
        ..TELLS
    },
    DockerEventDef {
        name: "after_compaction",
        canonical: EventKind::CompactPost,
        keys: &[keys::COMPACTION, keys::COMPACTION_SUMMARY],
        ..TELLS
    },
    DockerEventDef {
        name: "subagent_stop",
        canonical: EventKind::DelegationPost,
        opening: &keys::CHILD,
        keys: &[keys::CHILD_END],
        ..TELLS
    },
    DockerEventDef { name: "on_user_input", canonical: EventKind::UserInput, keys: &[keys::USER_INPUT], ..TELLS },
    DockerEventDef {
        name: "stop",
        canonical: EventKind::AgentStop,
        opening: &keys::NAMED,
        keys: &[keys::STOP],
        ..TELLS
    },
    DockerEventDef { name: "notification", canonical: EventKind::Notification, keys: &[keys::NOTIFICATION], ..TELLS },
    DockerEventDef { name: "on_error", canonical: EventKind::Error, keys: &[keys::ERROR], ..TELLS },
    DockerEventDef { name: "on_max_iterations", canonical: EventKind::LimitIterations, keys: &[keys::LIMIT], ..TELLS },
    DockerEventDef { name: "session_end", canonical: EventKind::SessionEnd, keys: &[keys::SESSION_END], ..TELLS },
    DockerEventDef { name: "on_agent_switch", canonical: EventKind::AgentSwitch, keys: &[keys::SWITCH], ..TELLS },
    DockerEventDef { name: "on_session_resume", canonical: EventKind::SessionResume, keys: &[keys::RESUME], ..TELLS },
    DockerEventDef {
        name: "on_tool_approval_decision",
        canonical: EventKind::PermissionReply,
        matcher: false,
        can_block: false,
        keys: &[keys::CALL, keys::APPROVAL],
        ..OF_TOOL
    },
    DockerEventDef {
        name: "worktree_create",
        canonical: EventKind::WorktreeCreate,
        can_block: true,
        context: ContextReader::User,
        opening: &keys::WORKTREE,
        keys: &[keys::WORKTREE_FIELDS],
        ..TELLS
    },
];

/// `pre_tool_use` entries with `preempt_yolo: true`, which decide whatever the permission rules say.
pub(super) static PREEMPT: DockerEventDef = DockerEventDef {
    name: "pre_tool_use",
    canonical: EventKind::ToolGuard,
    fails_closed: true,
    decisions: PermissionWords::All,
    metadata: true,
    ..OF_TOOL
};

/// An event that docker-agent does not have; its hooks receive only the common keys.
static ELSEWHERE: DockerEventDef = TELLS;

/// The canonical and native names of the events.
pub(super) static NAMES: EventNames = EventNames::only(&event_mappings!(ROWS), &[]);

/// The definition of an event under the name that a hook's author wrote.
pub(super) fn for_event(event: &Event, spelling: &str) -> &'static DockerEventDef {
    let canonical = event.name.kind();
    if canonical == PREEMPT.canonical && spelling == PREEMPT.name {
        return &PREEMPT;
    }
    ROWS.iter().find(|def| def.canonical == canonical).unwrap_or(&ELSEWHERE)
}

/// The definition of an event by docker-agent's name.
pub(super) fn by_name(name: &str) -> Option<&'static DockerEventDef> {
    ROWS.iter().find(|def| def.name == name)
}

#[cfg(test)]
mod tests;
