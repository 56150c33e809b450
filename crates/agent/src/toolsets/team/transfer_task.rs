//! `transfer_task`: a task for a sub-agent, whose answer is the result (docker-agent, transfer task tool).

use serde_json::Value;

use super::NoTeamState;
use crate::delegation::{self, TransferMode};
use crate::tools::text_argument;
use crate::toolsets::set::ToolDef;

pub(super) const TOOL: ToolDef<NoTeamState> = ToolDef {
    name: "transfer_task",
    description: "Gives a task to another agent of your team, waits, and gives its answer. Say clearly what has to be done and what you expect back: the agent knows nothing else.",
    parameters: super::task_parameters,
    // As there: it changes nothing itself, and each call that the other agent makes is judged by itself.
    is_read_only: true,
    call: |_, arguments, at| {
        let agent = text_argument(arguments, "agent");
        let task = super::task_prompt(text_argument(arguments, "task"), text_argument(arguments, "expected_output"))?;
        delegation::check_call_allowed(&at.turn.agent, agent)?;
        let delegated = delegation::transfer(at.turn, agent, &task, TransferMode::Waiting);
        at.turn.state.add_usage(delegated.usage);
        delegated.result.map(|answer| Value::String(answer.text))
    },
};
