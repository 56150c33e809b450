//! The events of docker-agent, one row each (docker-agent behaviour, section 1.1).

use pintle_contract::{Event, HookInfluence};

use super::Compat;
use super::encode::keys::{self, Key, Opening};
use crate::Mapping;

/// What docker-agent says of one of its events.
#[derive(Debug)]
pub struct Row {
    /// The event's name in docker-agent.
    pub name: &'static str,
    /// The event's name in the catalogue.
    pub canonical: &'static str,
    /// The oldest version that has it.
    pub since: Compat,
    /// Whether its hooks stand below entries with a `matcher`, rather than in a flat list.
    pub matcher: bool,
    /// Whether a hook can block it.
    pub blocks: bool,
    /// Whether a failed hook blocks it, whatever `on_error` says.
    pub fails_closed: bool,
    /// What a hook can rewrite. Rewriting hooks run one after the other.
    pub rewrites: Option<Rewrites>,
    /// Which words of `permission_decision` have a meaning.
    pub decisions: Decisions,
    /// Whether `metadata` reaches the permission prompt.
    pub metadata: bool,
    /// Who reads `additional_context` and plain text.
    pub context: Context,
    /// Whether a hook can write the summary of a compaction.
    pub summary: bool,
    /// How the object on standard input begins.
    pub(super) opening: &'static Opening,
    /// The other keys of that object, in order.
    pub(super) keys: &'static [&'static [Key]],
}

impl Row {
    /// The keys of the object on a hook's standard input besides those that every event has, in their order, and whether
    /// the first version sends them too.
    pub fn input_keys(&self) -> impl Iterator<Item = (&'static str, bool)> {
        self.keys.iter().copied().flatten().map(|key| (key.name, key.since == Compat::G1))
    }

    /// The most that a hook can do to it.
    pub(super) fn influence(&self) -> HookInfluence {
        let changes = self.blocks || self.rewrites.is_some() || self.decisions != Decisions::Nothing || self.summary;
        if changes { HookInfluence::Shapes } else { HookInfluence::Observes }
    }
}

/// What a hook can rewrite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewrites {
    /// The arguments of a tool call: `updated_input`.
    Input,
    /// The conversation that is sent to the model: `updated_messages`.
    Messages,
    /// The result of a tool call: `updated_tool_response`.
    Response,
}

/// Which words of `permission_decision` have a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decisions {
    /// None.
    Nothing,
    /// `deny`.
    Deny,
    /// `allow` and `deny`; `ask` is no opinion, because somebody is about to be asked anyway.
    AllowDeny,
    /// `allow`, `ask` and `deny`.
    All,
}

/// Who reads a hook's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// Nobody.
    Nobody,
    /// The model.
    Model,
    /// The person, on the terminal.
    Person,
}

/// An event that only tells.
const TELLS: Row = Row {
    name: "",
    canonical: "",
    since: Compat::G1,
    matcher: false,
    blocks: false,
    fails_closed: false,
    rewrites: None,
    decisions: Decisions::Nothing,
    metadata: false,
    context: Context::Nobody,
    summary: false,
    opening: &keys::PLAIN,
    keys: &[],
};

/// An event of one tool call.
const OF_TOOL: Row = Row { matcher: true, blocks: true, keys: &[keys::CALL], ..TELLS };

/// An event at which a person says something.
const PROMPT: Row = Row { blocks: true, context: Context::Model, ..TELLS };

/// Every event.
pub const ROWS: &[Row] = &[
    Row {
        name: "pre_tool_use",
        canonical: "tool.pre",
        fails_closed: true,
        rewrites: Some(Rewrites::Input),
        decisions: Decisions::All,
        ..OF_TOOL
    },
    Row { name: "post_tool_use", canonical: "tool.post", keys: &[keys::CALL, keys::RESULT], ..OF_TOOL },
    Row {
        name: "permission_request",
        canonical: "permission.ask",
        decisions: Decisions::AllowDeny,
        metadata: true,
        ..OF_TOOL
    },
    Row {
        name: "tool_response_transform",
        canonical: "tool.result",
        blocks: false,
        rewrites: Some(Rewrites::Response),
        keys: &[keys::CATEGORY, keys::CALL, keys::RESULT],
        ..OF_TOOL
    },
    Row {
        name: "tool_input_transform",
        canonical: "tool.transform",
        since: Compat::Newest,
        rewrites: Some(Rewrites::Input),
        keys: &[keys::CATEGORY, keys::CALL],
        ..OF_TOOL
    },
    Row {
        name: "tool_guard",
        canonical: "tool.guard",
        since: Compat::Newest,
        fails_closed: true,
        decisions: Decisions::All,
        metadata: true,
        keys: &[keys::CATEGORY, keys::CALL],
        ..OF_TOOL
    },
    Row {
        name: "session_start",
        canonical: "session.start",
        context: Context::Model,
        keys: &[keys::SESSION_START],
        ..TELLS
    },
    Row { name: "user_prompt_submit", canonical: "prompt.submit", keys: &[keys::PROMPT], ..PROMPT },
    Row {
        name: "user_steering_messages_submit",
        canonical: "prompt.steer",
        since: Compat::Newest,
        keys: &[keys::STEERING],
        ..PROMPT
    },
    Row {
        name: "user_followup_submit",
        canonical: "prompt.followup",
        since: Compat::Newest,
        keys: &[keys::PROMPT],
        ..PROMPT
    },
    Row { name: "turn_start", canonical: "iteration.start", context: Context::Model, ..TELLS },
    Row { name: "turn_end", canonical: "iteration.end", opening: &keys::NAMED, keys: &[keys::TURN_END], ..TELLS },
    Row {
        name: "before_llm_call",
        canonical: "completion.pre",
        blocks: true,
        rewrites: Some(Rewrites::Messages),
        opening: &keys::NAMED,
        keys: &[keys::BEFORE_CALL],
        ..TELLS
    },
    Row {
        name: "after_llm_call",
        canonical: "completion.post",
        opening: &keys::NAMED,
        keys: &[keys::AFTER_CALL],
        ..TELLS
    },
    Row {
        name: "pre_compact",
        canonical: "compact.pre",
        blocks: true,
        context: Context::Model,
        keys: &[keys::PRE_COMPACT],
        ..TELLS
    },
    Row {
        name: "before_compaction",
        canonical: "compact.before",
        blocks: true,
        decisions: Decisions::Deny,
        summary: true,
        keys: &[keys::COMPACTION, keys::COMPACTED],
        ..TELLS
    },
    Row {
        name: "after_compaction",
        canonical: "compact.post",
        keys: &[keys::COMPACTION, keys::COMPACTION_SUMMARY],
        ..TELLS
    },
    Row {
        name: "subagent_stop",
        canonical: "delegation.post",
        opening: &keys::CHILD,
        keys: &[keys::CHILD_END],
        ..TELLS
    },
    Row { name: "on_user_input", canonical: "user.input", keys: &[keys::USER_INPUT], ..TELLS },
    Row { name: "stop", canonical: "agent.stop", opening: &keys::NAMED, keys: &[keys::STOP], ..TELLS },
    Row { name: "notification", canonical: "notification", keys: &[keys::NOTIFICATION], ..TELLS },
    Row { name: "on_error", canonical: "error", keys: &[keys::ERROR], ..TELLS },
    Row { name: "on_max_iterations", canonical: "limit.iterations", keys: &[keys::LIMIT], ..TELLS },
    Row { name: "session_end", canonical: "session.end", keys: &[keys::SESSION_END], ..TELLS },
    Row { name: "on_agent_switch", canonical: "agent.switch", keys: &[keys::SWITCH], ..TELLS },
    Row { name: "on_session_resume", canonical: "session.resume", keys: &[keys::RESUME], ..TELLS },
    Row {
        name: "on_tool_approval_decision",
        canonical: "permission.reply",
        matcher: false,
        blocks: false,
        keys: &[keys::CALL, keys::APPROVAL],
        ..OF_TOOL
    },
    Row {
        name: "worktree_create",
        canonical: "worktree.create",
        blocks: true,
        context: Context::Person,
        opening: &keys::WORKTREE,
        keys: &[keys::WORKTREE_FIELDS],
        ..TELLS
    },
];

/// The lane of `pre_tool_use` entries with `preempt_yolo: true`: they judge whatever the permission rules say.
pub(super) static PREEMPT: Row = Row {
    name: "pre_tool_use",
    canonical: "tool.guard",
    fails_closed: true,
    decisions: Decisions::All,
    metadata: true,
    ..OF_TOOL
};

/// An event that docker-agent does not have; its hooks can only be told the common keys.
static ELSEWHERE: Row = TELLS;

/// The names of the events in the catalogue and in docker-agent.
pub(super) static EVENTS: [Mapping; ROWS.len()] = mappings();

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler, which refuses a wrong index")]
const fn mappings() -> [Mapping; ROWS.len()] {
    let mut mappings = [Mapping { canonical: "", native: "" }; ROWS.len()];
    let mut at = 0;
    while at < ROWS.len() {
        mappings[at] = Mapping { canonical: ROWS[at].canonical, native: ROWS[at].name };
        at += 1;
    }
    mappings
}

/// The row of an event under the name that a hook's author wrote.
pub(super) fn of_event(event: &Event, spelling: &str) -> &'static Row {
    let canonical = event.name.as_str();
    if canonical == PREEMPT.canonical && spelling == PREEMPT.name {
        return &PREEMPT;
    }
    ROWS.iter().find(|row| row.canonical == canonical).unwrap_or(&ELSEWHERE)
}

/// The row of a name in docker-agent.
pub(super) fn named(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name)
}

#[cfg(test)]
mod tests;
