//! `transfer_task`: a task for a sub-agent, whose answer is the result (docker-agent, transfer task tool).

use serde_json::Value;

use super::Nothing;
use crate::delegation::{self, Way};
use crate::tools::text;
use crate::toolsets::set::Row;

pub(super) const TOOL: Row<Nothing> = Row {
    name: "transfer_task",
    description: "Gives a task to another agent of your team, waits, and gives its answer. Say clearly what has to be done and what you expect back: the agent knows nothing else.",
    parameters: super::task_parameters,
    // As there: it changes nothing itself, and each call that the other agent makes is judged by itself.
    is_read_only: true,
    call: |_, arguments, at| {
        let agent = text(arguments, "agent");
        let task = super::task(text(arguments, "task"), text(arguments, "expected_output"))?;
        delegation::may_call(&at.turn.agent, agent)?;
        let delegated = delegation::transfer(at.turn, agent, &task, Way::Waiting);
        at.turn.state.spend(delegated.usage);
        delegated.result.map(|answer| Value::String(answer.text))
    },
};
