//! Tasks for members of a team.
//!
//! The events are those of every delegation, with `agent.switch` around the member's work: `delegation.pre`,
//! `agent.switch`, the member's own session, `delegation.post`, `delegation.post_verify`, `agent.switch` back. All but
//! the member's own events are fired at the hooks of the agent that delegates.

use std::sync::Arc;

use pintle_host::contract::suggest_nearest;
use pintle_host::event::TokenUsage;
use serde_json::json;

use super::attempts::{self, DelegatedTask};
use super::fire_delegation_pre;
use super::request::DelegationRequest;
use crate::handoff_events::{emit_handoff, fire_agent_switch};
use crate::session_state::{DelegationResult, TurnOutput};
use crate::turn_context::{Agent, TurnContext};

/// How a task is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransferMode {
    /// The agent waits, and the conversation switches to the member.
    Waiting,
    /// The agent continues. No user is available for approvals, and the conversation does not switch.
    Background,
}

/// Gives a task to a member of the team and waits until it ends.
pub(crate) fn transfer(turn: &TurnContext, agent: &str, task: &str, mode: TransferMode) -> DelegationResult {
    let mut usage = TokenUsage::default();
    let result = perform(turn, DelegationRequest::for_agent(agent, task), mode, &mut usage);
    DelegationResult { result, usage }
}

fn perform(
    turn: &TurnContext,
    mut request: DelegationRequest,
    mode: TransferMode,
    usage: &mut TokenUsage,
) -> Result<TurnOutput, String> {
    let parent = &turn.agent;
    let Some(team) = parent.shared.team.as_ref() else { return Err(String::from("this agent is not part of a team")) };
    let id = fire_delegation_pre(turn, &mut request)?;
    // Hooks may have chosen another agent, which this agent must be allowed to call as well.
    let refused = |reason: String| attempts::report_refusal(turn, &id, &request, reason);
    check_call_allowed(parent, &request.agent).map_err(refused)?;
    let verifiers = attempts::compile_verifiers(turn, &request).map_err(refused)?;
    let child = team.as_child(parent, &request.agent).map_err(refused)?;
    let Some(_slot) = parent.slots.acquire(&turn.scope.cancel) else { return Err(refused(String::from("cancelled"))) };
    let kind = if mode == TransferMode::Waiting { "task" } else { "background" };
    let payload = || json!({"task": request.task.clone(), "delegation": id.clone()});
    emit_handoff(turn, kind, &child.spec.name, request.task.lines().next().unwrap_or_default(), payload);
    if mode == TransferMode::Waiting {
        fire_agent_switch(turn, parent, &child.spec.name, "delegation");
    }
    let child_of = Arc::clone(&child);
    let (redirects, reminders) = (Vec::new(), Arc::default());
    let task = DelegatedTask { turn, id, request, child: child_of, verifiers, redirects, reminders };
    let result = task.run(usage);
    if mode == TransferMode::Waiting {
        fire_agent_switch(turn, &child, &parent.spec.name, "delegation_return");
    }
    result
}

/// Checks whether an agent may give tasks to another one.
///
/// # Errors
/// When it may not; the message lists the agents that it may call.
pub(crate) fn check_call_allowed(parent: &Agent, name: &str) -> Result<(), String> {
    let known = parent.spec.member.as_ref().map(|member| member.sub_agents.as_slice()).unwrap_or_default();
    if known.iter().any(|known| known == name) {
        Ok(())
    } else {
        Err(unknown_agent_message(name, known.iter().map(String::as_str)))
    }
}

/// The error for the model when an agent does not exist.
pub(crate) fn unknown_agent_message<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let hint = match suggest_nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => match known.collect::<Vec<_>>().as_slice() {
            [] => String::from("there are no agents to call"),
            names => format!("the agents are: {}", names.join(", ")),
        },
    };
    format!("agent `{name}` does not exist or cannot be called; {hint}")
}
