//! `tool.pre`.

use super::prelude::*;

/// The event definition of `tool.pre`.
pub static ROW: EventDef = EventDef {
    fires_when: "A tool call was validated against its schema and is about to run.",
    subject: Some("name"),
    target: RewriteTarget::Fields(&["name", "args", "arguments"]),
    deny_means: "The tool does not run; the reason is the tool's error result.",
    context: ContextScope::Turn,
    normalize: sync_tool_call,
    ..EventDef::guard("tool.pre")
};

/// The payload of `tool.pre`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ToolPre {
    /// The provider's ID of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text.
    pub arguments: String,
    /// The arguments, decoded and validated.
    pub args: Value,
    /// Why the arguments are invalid; absent if they are valid. A call with invalid arguments does not run unless a
    /// hook repairs it. If the arguments are not a JSON object, `args` is `{}` and `arguments` is the text that the
    /// model wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invalid: Option<String>,
    /// What else is known about the call.
    #[serde(flatten)]
    pub facts: CallFacts,
}

impl From<ToolCall> for ToolPre {
    fn from(call: ToolCall) -> Self {
        let ToolCall { id, name, args, arguments } = call;
        Self { id, name, arguments, args, ..Self::default() }
    }
}
