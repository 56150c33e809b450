//! The six events, one row each (The Harness Framework, Lifecycle Events).

use pintle_contract::Event;

use crate::EventMapping;

/// What the framework says of one of its events.
#[derive(Debug)]
pub struct FrameworkEventDef {
    /// Its name.
    pub name: &'static str,
    /// The event's name in the catalogue.
    pub canonical: &'static str,
    /// What its payload has besides the fields of every event.
    pub fields: &'static [FrameworkField],
    /// Whether decisions as JSON mean something: elsewhere they are text like any other.
    pub decides: bool,
    /// Whether it is about the agent that the person talks to alone. An agent below it has `SubagentStop`.
    pub is_outermost_only: bool,
    /// Whether there is a model left that could be told something.
    pub has_reader: bool,
    /// Whether the model has to be told of a block besides, because what is blocked is its own last word.
    pub notifies_model_of_block: bool,
}

/// One field of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameworkField {
    /// `prompt`: what the person wrote.
    Prompt,
    /// `tool_name`: the tool as Claude Code calls it, which is what the scripts were written for.
    ToolName,
    /// `tool_input`: its arguments, under the same names.
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
    canonical: "",
    fields: &[],
    decides: false,
    is_outermost_only: false,
    has_reader: true,
    notifies_model_of_block: false,
};

/// Every event.
///
/// `StopEffect` is `turn.end` and not `agent.stop`: it comes with each response, when that is final, and what its hooks print is
/// for the model, which at `agent.stop` nobody could hand on.
pub const ROWS: &[FrameworkEventDef] = &[
    FrameworkEventDef { name: "SessionStart", canonical: "session.start", is_outermost_only: true, ..TELLS },
    FrameworkEventDef {
        name: "UserPromptSubmit",
        canonical: "prompt.submit",
        fields: &[FrameworkField::Prompt],
        is_outermost_only: true,
        ..TELLS
    },
    FrameworkEventDef {
        name: "PreToolUse",
        canonical: "tool.pre",
        fields: &[FrameworkField::ToolName, FrameworkField::ToolInput],
        decides: true,
        ..TELLS
    },
    FrameworkEventDef { name: "SubagentStop", canonical: "delegation.post", ..TELLS },
    FrameworkEventDef {
        name: "Stop",
        canonical: "turn.end",
        is_outermost_only: true,
        notifies_model_of_block: true,
        ..TELLS
    },
    FrameworkEventDef {
        name: "SessionEnd",
        canonical: "session.end",
        is_outermost_only: true,
        has_reader: false,
        ..TELLS
    },
];

/// The names of the events in the catalogue and in the framework.
pub(super) static EVENTS: [EventMapping; ROWS.len()] = mappings();

#[expect(clippy::indexing_slicing, reason = "evaluated at compile time, where a wrong index is an error")]
const fn mappings() -> [EventMapping; ROWS.len()] {
    let mut mappings = [EventMapping { canonical: "", native: "" }; ROWS.len()];
    let mut at = 0;
    while at < ROWS.len() {
        mappings[at] = EventMapping { canonical: ROWS[at].canonical, native: ROWS[at].name };
        at += 1;
    }
    mappings
}

/// The row of a name.
pub(super) fn by_name(name: &str) -> Option<&'static FrameworkEventDef> {
    ROWS.iter().find(|row| row.name == name)
}

/// The row of an event; one without anything for an event that the framework does not have.
pub(super) fn for_event(event: &Event) -> &'static FrameworkEventDef {
    static ELSEWHERE: FrameworkEventDef = TELLS;
    ROWS.iter().find(|row| row.canonical == event.name.as_str()).unwrap_or(&ELSEWHERE)
}
