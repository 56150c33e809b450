//! `turn.start`.

use super::prelude::*;

/// The event definition of `turn.start`.
pub static ROW: EventDef = EventDef {
    fires_when: "A turn starts, before the model is called and before the message enters the conversation.",
    target: RewriteTarget::Whole,
    deny_means: "The turn fails and the message never enters the conversation: `turn blocked: <reason>`.",
    context: ContextScope::Turn,
    normalize,
    ..EventDef::guard("turn.start")
};

/// The payload of `turn.start`: the user's message as a plain JSON string.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct TurnStart(pub String);

/// The message must stay a text.
fn normalize(event: &'static str, _before: &Value, after: &mut Value) -> Result<(), EventPayloadError> {
    if after.is_string() { Ok(()) } else { Err(EventPayloadError::PayloadType { event, expected: "a string" }) }
}
