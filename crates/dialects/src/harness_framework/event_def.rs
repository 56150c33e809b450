//! The definitions of the six events.

use pintle_contract::{Event, EventKind, KeySource, LazyValue, PayloadKey};
use serde_json::Value;

use crate::{DialectEvent, event};

/// A Harness Framework event.
pub type FrameworkEventDef = DialectEvent<PayloadKey, FrameworkExtras>;

/// What only the Harness Framework's events have.
#[derive(Debug)]
pub struct FrameworkExtras {
    /// Whether JSON decisions have an effect: on other events they are plain text.
    pub decides: bool,
    /// Whether only events of the main agent are meant. Its child agents have `SubagentStop`.
    pub is_outermost_only: bool,
    /// Whether there is a model left to read the output.
    pub has_reader: bool,
    /// Whether the model must be told of a block separately, because the block is about its last response.
    pub notifies_model_of_block: bool,
}

/// The name of the tool: Claude Code's, for which the scripts were written.
pub(super) const TOOL_NAME: &str = "tool_name";

/// A key whose value is a field of the payload; without it, an empty text.
macro_rules! text_key {
    ($name:expr, $field:literal) => {
        PayloadKey {
            name: $name,
            get: KeySource::Computed(|event| event.payload.field($field).map_or(LazyValue::Text(""), LazyValue::Value)),
        }
    };
}

/// The tool and its arguments.
const CALL: &[PayloadKey] = &[
    text_key!(TOOL_NAME, "name"),
    PayloadKey {
        name: "tool_input",
        get: KeySource::Computed(|event| {
            event.payload.field("args").map_or(LazyValue::Computed(Value::Null), LazyValue::Value)
        }),
    },
];

const TELLS: FrameworkExtras =
    FrameworkExtras { decides: false, is_outermost_only: false, has_reader: true, notifies_model_of_block: false };

/// An event of which only those of the main agent are meant.
const OUTERMOST: FrameworkExtras = FrameworkExtras { is_outermost_only: true, ..TELLS };

/// Every event.
///
/// `Stop` is `turn.end`, not `agent.stop`: it fires once for each final response, and the output of its hooks is for
/// the model, to which it could not be delivered at `agent.stop`.
pub const ROWS: &[FrameworkEventDef] = &[
    event("SessionStart", EventKind::SessionStart, &[], OUTERMOST),
    event("UserPromptSubmit", EventKind::PromptSubmit, &[text_key!("prompt", "prompt")], OUTERMOST),
    event("PreToolUse", EventKind::ToolPre, CALL, FrameworkExtras { decides: true, ..TELLS }),
    event("SubagentStop", EventKind::DelegationPost, &[], TELLS),
    event("Stop", EventKind::TurnEnd, &[], FrameworkExtras { notifies_model_of_block: true, ..OUTERMOST }),
    event("SessionEnd", EventKind::SessionEnd, &[], FrameworkExtras { has_reader: false, ..OUTERMOST }),
];

/// The definition of an event by its name.
pub(super) fn by_name(name: &str) -> Option<&'static FrameworkEventDef> {
    DialectEvent::by_name(ROWS, name)
}

static ELSEWHERE: FrameworkEventDef = event("", EventKind::Custom, &[], TELLS);

/// The definition of an event; an empty one if the framework does not have the event.
pub(super) fn for_event(event: &Event) -> &'static FrameworkEventDef {
    DialectEvent::for_event(ROWS, event).unwrap_or(&ELSEWHERE)
}
