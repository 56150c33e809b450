//! `handoff`: another agent of the team continues the conversation.

use serde_json::{Value, json};

use crate::delegation::unknown_agent_message;
use crate::tools::{ToolAccess, ToolDef, text_argument};

pub(super) const TOOL: ToolDef = ToolDef {
    name: "handoff",
    description: "Hands the conversation over to another agent of your team, which continues it from here.",
    required: &["agent"],
    properties: || json!({"agent": {"type": "string", "description": "The agent's name."}}),
    access: ToolAccess::ReadOnly,
    call: |_, arguments, at| {
        let (agent, name) = (&at.turn.agent, text_argument(arguments, "agent"));
        let known = agent.spec.member.as_ref().map(|member| member.handoffs.as_slice()).unwrap_or_default();
        if !known.iter().any(|known| known == name) {
            return Err(unknown_agent_message(name, known.iter().map(String::as_str)));
        }
        at.turn.state.request_handoff(name)?;
        // The other agent reads this as the result of a call that it did not make.
        Ok(Value::String(format!(
            "The agent {} handed off the conversation to {name}. From here on {name} answers, with only its own tools \
             and agents: those of earlier agents in the conversation are not available to it.",
            agent.spec.name
        )))
    },
};
