//! Tools with which the members of a team call each other.

pub(super) mod background;

mod handoff;
mod transfer_task;

use std::sync::Arc;

use pintle_host::contract::MemberSpec;
use serde_json::{Value, json};

use crate::tools::build_tools;
use crate::turn_context::Tool;

/// The tools of a member that depend on which agents it may call.
pub(crate) fn team_tools(member: &MemberSpec) -> Vec<Arc<dyn Tool>> {
    let mut tools = Vec::new();
    if !member.sub_agents.is_empty() {
        tools.extend(build_tools("transfer", &[transfer_task::TOOL], ()));
    }
    if !member.handoffs.is_empty() {
        tools.extend(build_tools("handoff", &[handoff::TOOL], ()));
    }
    tools
}

/// The arguments of a tool that gives a task to another agent.
fn task_properties() -> Value {
    json!({
        "agent": {"type": "string", "description": "The agent's name."},
        "task": {"type": "string", "description": "What it has to do, with everything it needs to know."},
        "expected_output": {"type": "string", "description": "What its answer should contain."},
    })
}

/// The task as the other agent receives it.
fn task_prompt(task: &str, expected_output: &str) -> Result<String, String> {
    match (task.trim(), expected_output.trim()) {
        ("", _) => Err(String::from("`task` is empty; describe what the agent has to do")),
        (task, "") => Ok(task.to_owned()),
        (task, expected) => Ok(format!("{task}\n\nExpected output: {expected}")),
    }
}
