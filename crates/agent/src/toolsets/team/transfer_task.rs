//! `transfer_task`: another agent of the team works on a task, and its answer is the result.

use serde_json::Value;

use crate::delegation::{self, TransferMode};
use crate::tools::{ToolAccess, ToolDef, text_argument};

pub(super) const TOOL: ToolDef = ToolDef {
    name: "transfer_task",
    description: "Gives a task to another agent of your team, waits, and returns its answer. Describe exactly what to do and what to answer with: the agent knows nothing else.",
    required: &["agent", "task"],
    properties: super::task_properties,
    // As in docker-agent: the tool itself changes nothing, and each call of the other agent is checked on its own.
    access: ToolAccess::ReadOnly,
    call: |_, arguments, at| {
        let agent = text_argument(arguments, "agent");
        let task = super::task_prompt(text_argument(arguments, "task"), text_argument(arguments, "expected_output"))?;
        delegation::check_call_allowed(&at.turn.agent, agent)?;
        let delegated = delegation::transfer(at.turn, agent, &task, TransferMode::Waiting);
        at.turn.state.add_usage(delegated.usage);
        delegated.result.map(|answer| Value::String(answer.text))
    },
};
