//! The definitions of the six events.

use pintle_contract::{Event, EventKind};

use crate::{EventNames, event_mappings};

/// The definition of a Harness Framework event.
#[derive(Debug)]
pub struct FrameworkEventDef {
    /// Its name.
    pub name: &'static str,
    /// The event in the catalogue.
    pub canonical: EventKind,
    /// The payload fields in addition to those of every event.
    pub fields: &'static [FrameworkField],
    /// Whether JSON decisions have an effect: on other events they are plain text.
    pub decides: bool,
    /// Whether only events of the main agent are meant. Its child agents have `SubagentStop`.
    pub is_outermost_only: bool,
    /// Whether there is a model left to read the output.
    pub has_reader: bool,
    /// Whether the model must be told of a block separately, because the block is about its last response.
    pub notifies_model_of_block: bool,
}

/// One field of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameworkField {
    /// `prompt`: the user's prompt.
    Prompt,
    /// `tool_name`: the tool by Claude Code's name, for which the scripts were written.
    ToolName,
    /// `tool_input`: its arguments, by Claude Code's names.
    ToolInput,
}

impl FrameworkField {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::ToolName => "tool_name",
            Self::ToolInput => "tool_input",
        }
    }
}

const TELLS: FrameworkEventDef = FrameworkEventDef {
    name: "",
    canonical: EventKind::Custom,
    fields: &[],
    decides: false,
    is_outermost_only: false,
    has_reader: true,
    notifies_model_of_block: false,
};

/// Every event.
///
/// `Stop` is `turn.end`, not `agent.stop`: it fires once for each final response, and the output of its hooks is for
/// the model, to which it could not be delivered at `agent.stop`.
pub const ROWS: &[FrameworkEventDef] = &[
    FrameworkEventDef { name: "SessionStart", canonical: EventKind::SessionStart, is_outermost_only: true, ..TELLS },
    FrameworkEventDef {
        name: "UserPromptSubmit",
        canonical: EventKind::PromptSubmit,
        fields: &[FrameworkField::Prompt],
        is_outermost_only: true,
        ..TELLS
    },
    FrameworkEventDef {
        name: "PreToolUse",
        canonical: EventKind::ToolPre,
        fields: &[FrameworkField::ToolName, FrameworkField::ToolInput],
        decides: true,
        ..TELLS
    },
    FrameworkEventDef { name: "SubagentStop", canonical: EventKind::DelegationPost, ..TELLS },
    FrameworkEventDef {
        name: "Stop",
        canonical: EventKind::TurnEnd,
        is_outermost_only: true,
        notifies_model_of_block: true,
        ..TELLS
    },
    FrameworkEventDef {
        name: "SessionEnd",
        canonical: EventKind::SessionEnd,
        is_outermost_only: true,
        has_reader: false,
        ..TELLS
    },
];

/// The canonical and native names of the events.
pub(super) static NAMES: EventNames = EventNames::only(&event_mappings!(ROWS), &[]);

/// The definition of an event by its name.
pub(super) fn by_name(name: &str) -> Option<&'static FrameworkEventDef> {
    ROWS.iter().find(|def| def.name == name)
}

/// The definition of an event; an empty one if the framework does not have the event.
pub(super) fn for_event(event: &Event) -> &'static FrameworkEventDef {
    static ELSEWHERE: FrameworkEventDef = TELLS;
    ROWS.iter().find(|def| def.canonical == event.name.kind()).unwrap_or(&ELSEWHERE)
}
