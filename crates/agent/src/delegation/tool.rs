//! The tools with which a model delegates.

use std::sync::Arc;

use pintle_host::contract::AgentSpec;
use serde_json::{Value, json};

use crate::model::ModelTool;
use crate::tools::{ToolAccess, ToolDef};
use crate::turn_context::Tool;

/// The delegation tools. The other agent's tool calls are watched one by one.
static TOOLS: [ToolDef; 5] = [
    ToolDef {
        name: "delegate",
        description: "Gives a task to another agent, waits, and returns its answer. The agent knows only the task: include everything it needs.",
        required: &[],
        properties: task_properties,
        access: ToolAccess::Reported,
        call: |_, arguments, at| {
            let delegated = super::delegate(at.turn, arguments);
            at.turn.state.add_usage(delegated.usage);
            delegated.result.map(|answer| completion_text(&answer.text))
        },
    },
    ToolDef {
        name: "delegate_async",
        description: "Gives a task to another agent without waiting, and returns an id for `delegate_status`, `delegate_result` and `delegate_await`.",
        required: &[],
        properties: task_properties,
        access: ToolAccess::Reported,
        call: |_, arguments, at| Ok(json!({"id": at.turn.agent.shared.state.background.start(at.turn, arguments)?})),
    },
    ToolDef {
        name: "delegate_status",
        description: "Returns whether a task of `delegate_async` is `running`, `done` or `failed`.",
        required: &["id"],
        properties: id_properties,
        access: ToolAccess::Reported,
        call: |_, arguments, at| {
            Ok(json!({"status": at.turn.agent.shared.state.background.status(id_argument(arguments))?}))
        },
    },
    ToolDef {
        name: "delegate_result",
        description: "Returns the answer of a finished task of `delegate_async`.",
        required: &["id"],
        properties: id_properties,
        access: ToolAccess::Reported,
        call: |_, arguments, at| {
            at.turn
                .agent
                .shared
                .state
                .background
                .result(at.turn, id_argument(arguments))
                .map(|text| completion_text(&text))
        },
    },
    ToolDef {
        name: "delegate_await",
        description: "Waits until a task of `delegate_async` ends and returns its answer.",
        required: &["id"],
        properties: id_properties,
        access: ToolAccess::Reported,
        call: |_, arguments, at| {
            at.turn
                .agent
                .shared
                .state
                .background
                .wait_for_answer(at.turn, id_argument(arguments))
                .map(|text| completion_text(&text))
        },
    },
];

/// The delegation tools for an agent that may delegate to these agents.
pub(super) fn tools(agents: &[Arc<AgentSpec>]) -> impl Iterator<Item = Arc<dyn Tool>> {
    let known: Vec<String> = agents.iter().map(|agent| format!("{}: {}", agent.name, agent.description)).collect();
    let known = if known.is_empty() { String::new() } else { format!(" Agents: {}", known.join("; ")) };
    TOOLS.iter().map(move |def| -> Arc<dyn Tool> {
        let takes_task = (def.properties)().get("task").is_some();
        let description = format!("{}{}", def.description, if takes_task { known.as_str() } else { "" });
        def.build(Arc::new(ModelTool { description, ..def.to_definition() }), None, &Arc::new(()))
    })
}

/// Whether a tool belongs to each agent itself and cannot be passed to others.
pub(super) fn is_own(name: &str) -> bool {
    name == crate::tools::DoneTool::NAME || TOOLS.iter().any(|def| def.name == name)
}

fn completion_text(text: &str) -> Value {
    Value::String(format!("DELEGATION COMPLETE: {text}"))
}

fn id_argument(arguments: &Value) -> &str {
    arguments.get("id").and_then(Value::as_str).unwrap_or_default()
}

fn task_properties() -> Value {
    json!({
        "agent": {"type": "string", "description": "The agent. Leave it out to describe a new one here."},
        "task": {"type": "string", "description": "What it has to do, with everything it needs to know."},
        "prompt": {"type": "string", "description": "The same as `task`."},
        "model": {"type": "string", "description": "Another model of the same provider."},
        "tools": {"type": "array", "description": "Names of your tools that the agent may use."},
        "system_prompt": {"type": "string", "description": "How it should behave."},
        "verify": {"type": "string", "description": "Starlark source of `run(result)`, which returns whether the answer is good."},
        "max_verify_retries": {"type": "integer", "minimum": 0, "maximum": 10, "description": "Attempts after a failed verification. Default 2."},
    })
}

fn id_properties() -> Value {
    json!({"id": {"type": "string", "description": "The id that `delegate_async` returned."}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_that_a_project_cannot_have_are_those_of_the_loop() {
        let names: Vec<&str> = TOOLS.iter().map(|def| def.name).collect();
        assert_eq!(names, pintle_host::contract::DELEGATION_TOOLS);
        assert_eq!(crate::tools::DoneTool::NAME, pintle_host::contract::DONE_TOOL);
    }
}
