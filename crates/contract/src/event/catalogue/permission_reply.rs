//! `permission.reply`.

use super::prelude::*;
use crate::event::EventKind;

/// The event definition of `permission.reply`.
pub static ROW: EventDef = EventDef {
    fires_when: "The permission to run a tool call has been granted or denied.",
    subject: Some("name"),
    ..EventDef::observe("permission.reply")
};

/// What the decision on a tool call is based on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PermissionBasis {
    /// A hook of `tool.transform`.
    #[serde(rename = "tool.transform")]
    ToolTransform,
    /// A hook of `tool.guard`.
    #[serde(rename = "tool.guard")]
    ToolGuard,
    /// A hook of `tool.pre`.
    #[serde(rename = "tool.pre")]
    ToolPre,
    /// A hook of `permission.ask`.
    #[serde(rename = "permission.ask")]
    PermissionAsk,
    /// A permission rule.
    Rule,
    /// No rule or mode is declared, so every call runs.
    #[default]
    Undeclared,
    /// The tool declares itself read-only.
    ReadOnly,
    /// The mode `balanced`.
    Balanced,
    /// The mode `restricted`.
    Restricted,
    /// The mode `autonomous`.
    Autonomous,
    /// The user's answer to this call.
    Once,
    /// The user's answer, for this and every later call of the tool with the same arguments.
    Tool,
    /// The user's answer, for every call of the session.
    Session,
    /// An earlier answer of the user that covers this call.
    Earlier,
    /// No user is available to answer.
    Unavailable,
    /// The turn was cancelled.
    Cancelled,
}

impl PermissionBasis {
    /// What decided, see [`PermissionReply::source`].
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Self::ToolTransform | Self::ToolGuard | Self::ToolPre | Self::PermissionAsk => "hook",
            Self::Rule | Self::Undeclared | Self::ReadOnly | Self::Balanced | Self::Restricted | Self::Autonomous => {
                "rule"
            }
            Self::Once | Self::Tool | Self::Session | Self::Earlier => "person",
            Self::Unavailable => "resolver",
            Self::Cancelled => "cancelled",
        }
    }

    /// The event whose hook decided, if a hook did.
    #[must_use]
    pub const fn event(self) -> Option<EventKind> {
        match self {
            Self::ToolTransform => Some(EventKind::ToolTransform),
            Self::ToolGuard => Some(EventKind::ToolGuard),
            Self::ToolPre => Some(EventKind::ToolPre),
            Self::PermissionAsk => Some(EventKind::PermissionAsk),
            _ => None,
        }
    }
}

/// The payload of `permission.reply`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PermissionReply {
    /// The provider's ID of the call.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// `allow` or `deny`.
    pub decision: String,
    /// What decided: `person` (the user), `hook`, `rule`, `resolver` (the host's approver) or `cancelled`.
    pub source: String,
    /// The reason; empty if none was given.
    pub reason: String,
    /// Whether the decision also applies to later calls of the session.
    pub remember: bool,
    /// What the decision is based on: the event of the hook, the rule or mode, or how far the user's answer goes.
    pub detail: PermissionBasis,
    /// The arguments of the call, decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Value>,
    /// The safety label that the call was given before: `safe`, `destructive` or `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safety_label: Option<String>,
    /// What else is known about the call.
    #[serde(flatten)]
    pub facts: CallFacts,
}
