//! The definitions of docker-agent's events.

use pintle_contract::{Event, EventKind, HookInfluence};

use super::encode::keys::{self, DockerKey, ObjectOpening};
use crate::{DialectEvent, event};

/// A docker-agent event, with its keys in groups.
pub type DockerEventDef = DialectEvent<&'static [DockerKey], DockerExtras>;

/// What only docker-agent's events have.
#[derive(Debug)]
pub struct DockerExtras {
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
const TELLS: DockerExtras = DockerExtras {
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
};

/// An event of one tool call.
const OF_TOOL: DockerExtras = DockerExtras { matcher: true, can_block: true, ..TELLS };

/// An event on which hooks can also add context for the model.
const CONTEXT: DockerExtras = DockerExtras { context: ContextReader::Model, ..TELLS };

/// An event on which they can also block.
const PROMPT: DockerExtras = DockerExtras { can_block: true, ..CONTEXT };

/// An event on which newer versions let the user submit text.
const NEW_PROMPT: DockerExtras = DockerExtras { since: DockerAgentVersion::Newest, ..PROMPT };

/// An event that names its agent in every version.
const NAMED: DockerExtras = DockerExtras { opening: &keys::NAMED, ..TELLS };

/// An event about a call of a tool that newer versions have.
const NEW_OF_TOOL: DockerExtras = DockerExtras { since: DockerAgentVersion::Newest, ..OF_TOOL };

/// Every docker-agent event.
pub const ROWS: &[DockerEventDef] = &[
    event(
        "pre_tool_use",
        EventKind::ToolPre,
        &[keys::CALL],
        DockerExtras {
            fails_closed: true,
            rewrites: Some(DockerRewrite::Input),
            decisions: PermissionWords::All,
            ..OF_TOOL
        },
    ),
    event("post_tool_use", EventKind::ToolPost, &[keys::CALL, keys::RESULT], OF_TOOL),
    event(
        "permission_request",
        EventKind::PermissionAsk,
        &[keys::CALL],
        DockerExtras { decisions: PermissionWords::AllowDeny, metadata: true, ..OF_TOOL },
    ),
    event(
        "tool_response_transform",
        EventKind::ToolResult,
        &[keys::CATEGORY, keys::CALL, keys::RESULT],
        DockerExtras { can_block: false, rewrites: Some(DockerRewrite::Response), ..OF_TOOL },
    ),
    event(
        "tool_input_transform",
        EventKind::ToolTransform,
        &[keys::CATEGORY, keys::CALL],
        DockerExtras { rewrites: Some(DockerRewrite::Input), ..NEW_OF_TOOL },
    ),
    event(
        "tool_guard",
        EventKind::ToolGuard,
        &[keys::CATEGORY, keys::CALL],
        DockerExtras { fails_closed: true, decisions: PermissionWords::All, metadata: true, ..NEW_OF_TOOL },
    ),
    event("session_start", EventKind::SessionStart, &[keys::SESSION_START], CONTEXT),
    event("user_prompt_submit", EventKind::PromptSubmit, &[keys::PROMPT], PROMPT),
    event("user_steering_messages_submit", EventKind::PromptSteer, &[keys::STEERING], NEW_PROMPT),
    event("user_followup_submit", EventKind::PromptFollowup, &[keys::PROMPT], NEW_PROMPT),
    event("turn_start", EventKind::IterationStart, &[], CONTEXT),
    event("turn_end", EventKind::IterationEnd, &[keys::TURN_END], NAMED),
    event(
        "before_llm_call",
        EventKind::CompletionPre,
        &[keys::BEFORE_CALL],
        DockerExtras { can_block: true, rewrites: Some(DockerRewrite::Messages), ..NAMED },
    ),
    event("after_llm_call", EventKind::CompletionPost, &[keys::AFTER_CALL], NAMED),
    event("pre_compact", EventKind::CompactPre, &[keys::PRE_COMPACT], PROMPT),
    event(
        "before_compaction",
        EventKind::CompactBefore,
        &[keys::COMPACTION, keys::COMPACTED],
        DockerExtras { can_block: true, decisions: PermissionWords::Deny, summary: true, ..TELLS },
    ),
    event("after_compaction", EventKind::CompactPost, &[keys::COMPACTION, keys::COMPACTION_SUMMARY], TELLS),
    event(
        "subagent_stop",
        EventKind::DelegationPost,
        &[keys::CHILD_END],
        DockerExtras { opening: &keys::CHILD, ..TELLS },
    ),
    event("on_user_input", EventKind::UserInput, &[keys::USER_INPUT], TELLS),
    event("stop", EventKind::AgentStop, &[keys::STOP], NAMED),
    event("notification", EventKind::Notification, &[keys::NOTIFICATION], TELLS),
    event("on_error", EventKind::Error, &[keys::ERROR], TELLS),
    event("on_max_iterations", EventKind::LimitIterations, &[keys::LIMIT], TELLS),
    event("session_end", EventKind::SessionEnd, &[keys::SESSION_END], TELLS),
    event("on_agent_switch", EventKind::AgentSwitch, &[keys::SWITCH], TELLS),
    event("on_session_resume", EventKind::SessionResume, &[keys::RESUME], TELLS),
    event(
        "on_tool_approval_decision",
        EventKind::PermissionReply,
        &[keys::CALL, keys::APPROVAL],
        DockerExtras { matcher: false, can_block: false, ..OF_TOOL },
    ),
    event(
        "worktree_create",
        EventKind::WorktreeCreate,
        &[keys::WORKTREE_FIELDS],
        DockerExtras { can_block: true, context: ContextReader::User, opening: &keys::WORKTREE, ..TELLS },
    ),
];

/// `pre_tool_use` entries with `preempt_yolo: true`, which decide whatever the permission rules say.
pub(super) static PREEMPT: DockerEventDef = event(
    "pre_tool_use",
    EventKind::ToolGuard,
    &[keys::CALL],
    DockerExtras { fails_closed: true, decisions: PermissionWords::All, metadata: true, ..OF_TOOL },
);

/// An event that docker-agent does not have; its hooks receive only the common keys.
static ELSEWHERE: DockerEventDef = event("", EventKind::Custom, &[], TELLS);

/// The definition of an event under the name that a hook's author wrote.
pub(super) fn for_event(event: &Event, event_alias: &str) -> &'static DockerEventDef {
    if event.name.kind() == PREEMPT.canonical && event_alias == PREEMPT.name {
        return &PREEMPT;
    }
    DialectEvent::for_event(ROWS, event).unwrap_or(&ELSEWHERE)
}

/// The definition of an event by docker-agent's name.
pub(super) fn by_name(name: &str) -> Option<&'static DockerEventDef> {
    DialectEvent::by_name(ROWS, name)
}

/// The docker-agent version that a file is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DockerAgentVersion {
    /// The newest contract, which Pintle follows unless a file or a flag says otherwise.
    #[default]
    Newest,
    /// The version of June 2026: `compat: g1`.
    G1,
}

impl DockerAgentVersion {
    /// The values of `compat:` in files and flags.
    pub const WORDS: &'static [(&'static str, Self)] = &[("g1", Self::G1), ("g3", Self::Newest)];
}

#[cfg(test)]
mod tests;
