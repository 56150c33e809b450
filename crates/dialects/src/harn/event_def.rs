//! The definitions of the Harn events that Pintle fires.

use pintle_contract::{Event, EventKind, FailurePolicy, HookInfluence, PayloadKey};

use super::encode;
use crate::{DialectEvent, event};

/// A Harn event.
pub type HarnEventDef = DialectEvent<PayloadKey, HarnExtras>;

/// What only Harn's events have.
#[derive(Debug)]
pub struct HarnExtras {
    /// The functions that register its hooks.
    pub surface: HarnSurface,
    /// Whether a hook can veto it. Its failed hooks then deny.
    pub veto: bool,
    /// Whether `decision` has an effect.
    pub decides: bool,
    /// The rewrite target of its hooks.
    pub rewrites: Option<HarnRewrite>,
    /// A string that a hook may return instead of nothing.
    pub empty_word: Option<&'static str>,
    /// The path that a pattern without an operator is matched with; `None` if there is none.
    pub subject: Option<&'static str>,
    /// Whether that path is the catalogue's subject, so that hooks are indexed by it.
    pub(super) indexed: bool,
}

/// The functions that register the hooks of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HarnSurface {
    /// `register_tool_hook`.
    Tool,
    /// `register_persona_hook` and `register_step_hook`.
    Persona,
    /// `register_session_hook`.
    Session,
}

impl HarnSurface {
    /// The function that registers its hooks.
    #[must_use]
    pub fn function(self) -> &'static str {
        match self {
            Self::Tool => "register_tool_hook",
            Self::Persona => "register_persona_hook",
            Self::Session => "register_session_hook",
        }
    }
}

/// The rewrite target of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HarnRewrite {
    /// The arguments of a tool call: `{args}`.
    Arguments,
    /// The result of a tool call: a string, or `{result}`.
    Result,
    /// The arguments of a step, a list: `{args}` or `{modify}`.
    StepArguments,
    /// The output of a step: `{output}`, `{result}` or `{modify}`.
    Output,
}

impl HarnEventDef {
    /// The lower-case name of a session event, such as `user_prompt_submit`.
    #[must_use]
    pub fn snake_name(&self) -> String {
        to_snake_case(self.name)
    }

    /// The default failure policy: an event with a veto fails closed.
    #[must_use]
    pub fn on_failure(&self) -> FailurePolicy {
        if self.veto { FailurePolicy::Closed } else { FailurePolicy::Open }
    }

    /// The most that a hook can influence the event.
    pub(super) fn influence(&self) -> HookInfluence {
        match (self.rewrites, self.veto || self.decides) {
            (Some(_), _) => HookInfluence::Shapes,
            (None, true) => HookInfluence::MayChange,
            (None, false) => HookInfluence::Observes,
        }
    }

    /// The paths of the payload, in order; the keys of a table follow it, such as `tool.name`.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        encode::paths(self)
    }

    /// The keys of the payload, in order.
    pub(super) fn all_keys(&self) -> impl Iterator<Item = &'static PayloadKey> {
        encode::EVERYWHERE.iter().chain(self.keys)
    }
}

impl HarnExtras {
    /// The event with the path that a pattern without an operator is matched with.
    const fn with_subject(self, subject: &'static str) -> Self {
        Self { subject: Some(subject), ..self }
    }

    /// The same for a path that is the catalogue's subject.
    const fn indexed_by(self, subject: &'static str) -> Self {
        Self { indexed: true, ..self.with_subject(subject) }
    }
}

/// A session event on which hooks can only observe.
const TELLS: HarnExtras = HarnExtras {
    surface: HarnSurface::Session,
    veto: false,
    decides: false,
    rewrites: None,
    empty_word: None,
    subject: None,
    indexed: false,
};

/// An event of one tool.
const OF_TOOL: HarnExtras = TELLS.indexed_by("tool.name");

/// An event of a step, or of a persona.
const OF_PERSONA: HarnExtras = HarnExtras { surface: HarnSurface::Persona, ..TELLS };

/// Every Harn event.
pub const ROWS: &[HarnEventDef] = &[
    event(
        "PreToolUse",
        EventKind::ToolPre,
        encode::PRE_TOOL,
        HarnExtras { surface: HarnSurface::Tool, veto: true, rewrites: Some(HarnRewrite::Arguments), ..OF_TOOL },
    ),
    event(
        "PostToolUse",
        EventKind::ToolPost,
        encode::POST_TOOL,
        HarnExtras { surface: HarnSurface::Tool, rewrites: Some(HarnRewrite::Result), ..OF_TOOL },
    ),
    event(
        "PreStep",
        EventKind::StepPre,
        encode::PRE_STEP,
        HarnExtras {
            veto: true,
            rewrites: Some(HarnRewrite::StepArguments),
            empty_word: Some("Allow"),
            ..OF_PERSONA.with_subject("target")
        },
    ),
    event(
        "PostStep",
        EventKind::StepPost,
        encode::POST_STEP,
        HarnExtras {
            rewrites: Some(HarnRewrite::Output),
            empty_word: Some("Pass"),
            ..OF_PERSONA.with_subject("target")
        },
    ),
    event(
        "OnApprovalRequested",
        EventKind::ApprovalRequested,
        encode::APPROVAL,
        OF_PERSONA.indexed_by("approval.name"),
    ),
    event("OnHandoffEmitted", EventKind::HandoffEmitted, encode::HANDOFF, OF_PERSONA.indexed_by("handoff.to")),
    event("OnPersonaPaused", EventKind::PersonaPaused, encode::PAUSE, OF_PERSONA.with_subject("persona")),
    event("OnPersonaResumed", EventKind::PersonaResumed, encode::PAUSE, OF_PERSONA.with_subject("persona")),
    event("OnBudgetThreshold", EventKind::BudgetThreshold, encode::BUDGET, OF_PERSONA.indexed_by("budget.kind")),
    event("SessionStart", EventKind::SessionStart, encode::START, TELLS),
    event("SessionEnd", EventKind::SessionEnd, encode::END, TELLS),
    event("UserPromptSubmit", EventKind::PromptSubmit, encode::PROMPT, HarnExtras { veto: true, ..TELLS }),
    event("PreCompact", EventKind::CompactPre, encode::PRE_COMPACT, HarnExtras { veto: true, ..TELLS }),
    event("PostCompact", EventKind::CompactPost, encode::POST_COMPACT, TELLS),
    event("PostTurn", EventKind::IterationPost, encode::POST_TURN, TELLS),
    event(
        "PermissionAsked",
        EventKind::PermissionAsk,
        encode::PERMISSION,
        HarnExtras { veto: true, decides: true, ..OF_TOOL },
    ),
    event("PermissionReplied", EventKind::PermissionReply, encode::REPLY, OF_TOOL),
    event("FileEdited", EventKind::FileEdited, encode::FILE, TELLS.indexed_by("path")),
    event("SessionError", EventKind::SessionError, encode::ERROR, TELLS),
    event("SessionIdle", EventKind::SessionIdle, encode::IDLE, TELLS),
    event("PreFinish", EventKind::FinishPre, encode::PRE_FINISH, TELLS),
    event("OnUnsettledDetected", EventKind::FinishUnsettled, encode::UNSETTLED, TELLS),
    event("PostFinish", EventKind::FinishPost, encode::POST_FINISH, TELLS),
    event("PreAgentTurn", EventKind::TurnStart, encode::PRE_AGENT_TURN, TELLS),
    event("PostAgentTurn", EventKind::TurnEnd, encode::POST_AGENT_TURN, TELLS),
];

/// Converts a name to snake case.
pub(super) fn to_snake_case(name: &str) -> String {
    let mut spelled = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !spelled.is_empty() {
            spelled.push('_');
        }
        spelled.push(letter.to_ascii_lowercase());
    }
    spelled
}

/// The definition of an event; `None` if Harn does not have it.
pub(super) fn for_event(event: &Event) -> Option<&'static HarnEventDef> {
    DialectEvent::for_event(ROWS, event)
}
