//! The definitions of the Harn events that Pintle fires.

use pintle_contract::{Event, EventKind, FailurePolicy, HookInfluence, PayloadKey};

use super::encode::keys;
use crate::{EventNames, event_mappings};

/// The definition of a Harn event.
#[derive(Debug)]
pub struct HarnEventDef {
    /// The event's name in Harn.
    pub name: &'static str,
    /// The event in the catalogue.
    pub canonical: EventKind,
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
    /// The keys of the payload in addition to those of every event, in order.
    pub(super) keys: &'static [PayloadKey],
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
        keys::paths(self)
    }

    /// The keys of the payload, in order.
    pub(super) fn all_keys(&self) -> impl Iterator<Item = &'static PayloadKey> {
        keys::EVERYWHERE.iter().chain(self.keys)
    }
}

/// A session event on which hooks can only observe.
const TELLS: HarnEventDef = HarnEventDef {
    name: "",
    canonical: EventKind::Custom,
    surface: HarnSurface::Session,
    veto: false,
    decides: false,
    rewrites: None,
    empty_word: None,
    subject: None,
    indexed: false,
    keys: &[],
};

/// An event of one tool.
const OF_TOOL: HarnEventDef = HarnEventDef { subject: Some("tool.name"), indexed: true, ..TELLS };

/// An event of a step, or of a persona.
const OF_PERSONA: HarnEventDef = HarnEventDef { surface: HarnSurface::Persona, ..TELLS };

/// Every Harn event.
pub const ROWS: &[HarnEventDef] = &[
    HarnEventDef {
        name: "PreToolUse",
        canonical: EventKind::ToolPre,
        surface: HarnSurface::Tool,
        veto: true,
        rewrites: Some(HarnRewrite::Arguments),
        keys: keys::PRE_TOOL,
        ..OF_TOOL
    },
    HarnEventDef {
        name: "PostToolUse",
        canonical: EventKind::ToolPost,
        surface: HarnSurface::Tool,
        rewrites: Some(HarnRewrite::Result),
        keys: keys::POST_TOOL,
        ..OF_TOOL
    },
    HarnEventDef {
        name: "PreStep",
        canonical: EventKind::StepPre,
        veto: true,
        rewrites: Some(HarnRewrite::StepArguments),
        empty_word: Some("Allow"),
        subject: Some("target"),
        keys: keys::PRE_STEP,
        ..OF_PERSONA
    },
    HarnEventDef {
        name: "PostStep",
        canonical: EventKind::StepPost,
        rewrites: Some(HarnRewrite::Output),
        empty_word: Some("Pass"),
        subject: Some("target"),
        keys: keys::POST_STEP,
        ..OF_PERSONA
    },
    HarnEventDef {
        name: "OnApprovalRequested",
        canonical: EventKind::ApprovalRequested,
        subject: Some("approval.name"),
        indexed: true,
        keys: keys::APPROVAL,
        ..OF_PERSONA
    },
    HarnEventDef {
        name: "OnHandoffEmitted",
        canonical: EventKind::HandoffEmitted,
        subject: Some("handoff.to"),
        indexed: true,
        keys: keys::HANDOFF,
        ..OF_PERSONA
    },
    HarnEventDef {
        name: "OnPersonaPaused",
        canonical: EventKind::PersonaPaused,
        subject: Some("persona"),
        keys: keys::PAUSE,
        ..OF_PERSONA
    },
    HarnEventDef {
        name: "OnPersonaResumed",
        canonical: EventKind::PersonaResumed,
        subject: Some("persona"),
        keys: keys::PAUSE,
        ..OF_PERSONA
    },
    HarnEventDef {
        name: "OnBudgetThreshold",
        canonical: EventKind::BudgetThreshold,
        subject: Some("budget.kind"),
        indexed: true,
        keys: keys::BUDGET,
        ..OF_PERSONA
    },
    HarnEventDef { name: "SessionStart", canonical: EventKind::SessionStart, keys: keys::START, ..TELLS },
    HarnEventDef { name: "SessionEnd", canonical: EventKind::SessionEnd, keys: keys::END, ..TELLS },
    HarnEventDef {
        name: "UserPromptSubmit",
        canonical: EventKind::PromptSubmit,
        veto: true,
        keys: keys::PROMPT,
        ..TELLS
    },
    HarnEventDef { name: "PreCompact", canonical: EventKind::CompactPre, veto: true, keys: keys::PRE_COMPACT, ..TELLS },
    HarnEventDef { name: "PostCompact", canonical: EventKind::CompactPost, keys: keys::POST_COMPACT, ..TELLS },
    HarnEventDef { name: "PostTurn", canonical: EventKind::IterationPost, keys: keys::POST_TURN, ..TELLS },
    HarnEventDef {
        name: "PermissionAsked",
        canonical: EventKind::PermissionAsk,
        veto: true,
        decides: true,
        keys: keys::PERMISSION,
        ..OF_TOOL
    },
    HarnEventDef { name: "PermissionReplied", canonical: EventKind::PermissionReply, keys: keys::REPLY, ..OF_TOOL },
    HarnEventDef {
        name: "FileEdited",
        canonical: EventKind::FileEdited,
        subject: Some("path"),
        indexed: true,
        keys: keys::FILE,
        ..TELLS
    },
    HarnEventDef { name: "SessionError", canonical: EventKind::SessionError, keys: keys::ERROR, ..TELLS },
    HarnEventDef { name: "SessionIdle", canonical: EventKind::SessionIdle, keys: keys::IDLE, ..TELLS },
    HarnEventDef { name: "PreFinish", canonical: EventKind::FinishPre, keys: keys::PRE_FINISH, ..TELLS },
    HarnEventDef { name: "OnUnsettledDetected", canonical: EventKind::FinishUnsettled, keys: keys::UNSETTLED, ..TELLS },
    HarnEventDef { name: "PostFinish", canonical: EventKind::FinishPost, keys: keys::POST_FINISH, ..TELLS },
    HarnEventDef { name: "PreAgentTurn", canonical: EventKind::TurnStart, keys: keys::PRE_AGENT_TURN, ..TELLS },
    HarnEventDef { name: "PostAgentTurn", canonical: EventKind::TurnEnd, keys: keys::POST_AGENT_TURN, ..TELLS },
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

/// The canonical and native names of the events.
pub(super) static NAMES: EventNames = EventNames::only(&event_mappings!(ROWS), &[]);

/// The definition of an event; `None` if Harn does not have it.
pub(super) fn for_event(event: &Event) -> Option<&'static HarnEventDef> {
    let canonical = event.name.kind();
    ROWS.iter().find(|def| def.canonical == canonical)
}
