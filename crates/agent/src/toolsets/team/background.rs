//! `background_agents`: background tasks of other agents of the team.

use serde_json::{Value, json};

use crate::delegation::{self, TransferMode};
use crate::tools::{ToolAccess, ToolDef, build_tools, text_argument};
use crate::toolsets::set::Toolset;

static TOOLS: [ToolDef; 4] = [
    ToolDef {
        name: "run_background_agent",
        description: "Gives a task to another agent of your team and returns a task ID at once. The agent cannot ask the user for permission.",
        required: &["agent", "task"],
        properties: super::task_properties,
        access: ToolAccess::Reported,
        call: |_, arguments, at| {
            let (turn, agent) = (at.turn, text_argument(arguments, "agent").to_owned());
            let task =
                super::task_prompt(text_argument(arguments, "task"), text_argument(arguments, "expected_output"))?;
            delegation::check_call_allowed(&turn.agent, &agent)?;
            let told = format!("Agent: {agent}\nTask: {task}");
            let (name, given) = (agent.clone(), task.clone());
            let id = turn.agent.shared.state.background.start_team_task(turn, &agent, move |turn| {
                delegation::transfer(turn, &name, &given, TransferMode::Background)
            })?;
            Ok(Value::String(format!("Background agent task started with ID: {id}\n{told}")))
        },
    },
    ToolDef {
        name: "list_background_agents",
        description: "Lists the background tasks with their status.",
        required: &[],
        properties: || json!({}),
        access: ToolAccess::ReadOnly,
        call: |_, _arguments, at| Ok(Value::String(at.turn.agent.shared.state.background.list(at.turn))),
    },
    ToolDef {
        name: "view_background_agent",
        description: "Shows the status of a background task, and its answer if it has ended.",
        required: &["task_id"],
        properties: task_id,
        access: ToolAccess::ReadOnly,
        call: |_, arguments, at| {
            at.turn.agent.shared.state.background.view(at.turn, text_argument(arguments, "task_id")).map(Value::String)
        },
    },
    ToolDef {
        name: "stop_background_agent",
        description: "Stops a background task.",
        required: &["task_id"],
        properties: task_id,
        access: ToolAccess::Reported,
        call: |_, arguments, at| {
            at.turn.agent.shared.state.background.stop(text_argument(arguments, "task_id")).map(Value::String)
        },
    },
];

pub(in crate::toolsets) fn open() -> Toolset {
    Toolset {
        tools: build_tools("transfer", &TOOLS, ()),
        instruction: String::from(
            "With `run_background_agent` several tasks can run while you continue; `view_background_agent` shows the \
             progress of one. Tasks that still run when the session ends are stopped.",
        ),
        ..Toolset::default()
    }
}

fn task_id() -> Value {
    json!({"task_id": {"type": "string", "description": "The ID that `run_background_agent` returned."}})
}
