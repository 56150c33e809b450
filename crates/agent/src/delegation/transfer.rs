//! Tasks for members of a team.
//!
//! The events are those of every delegation, with `agent.switch` around the member's work: `delegation.pre`,
//! `agent.switch`, the member's own session, `delegation.post`, `delegation.post_verify`, `agent.switch` back. All but
//! the member's own events are fired at the hooks of the agent that delegates.

use std::sync::Arc;

use pintle::Event;
use pintle::event::{AgentSwitch, TokenUsage};
use serde_json::json;

use super::attempts::{self, DelegatedTask};
use super::request::DelegationRequest;
use super::{DelegationResult, fire_delegation_pre};
use crate::agent::Agent;
use crate::persona;
use crate::session::TurnOutput;
use crate::team;
use crate::turn_context::TurnContext;

/// How a task is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransferMode {
    /// The agent waits, and the conversation switches to the member.
    Waiting,
    /// The agent continues. No user is available for approvals, and the conversation does not switch.
    Background,
}

/// Gives a task to a member of the team and waits until it ends.
pub(crate) fn transfer(turn: &TurnContext, agent: &str, task: &str, way: TransferMode) -> DelegationResult {
    let mut usage = TokenUsage::default();
    let result = perform(turn, DelegationRequest::for_agent(agent, task), way, &mut usage);
    DelegationResult { result, usage }
}

fn perform(
    turn: &TurnContext,
    mut request: DelegationRequest,
    way: TransferMode,
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
    let kind = if way == TransferMode::Waiting { "task" } else { "background" };
    let payload = || json!({"task": request.task.clone(), "delegation": id.clone()});
    persona::emit_handoff(turn, kind, &child.spec.name, request.task.lines().next().unwrap_or_default(), payload);
    if way == TransferMode::Waiting {
        fire_agent_switch(turn, parent, &child.spec.name, "delegation");
    }
    let child_of = Arc::clone(&child);
    let (redirects, reminders) = (Vec::new(), Arc::default());
    let task = DelegatedTask { turn, id, request, child: child_of, verifiers, redirects, reminders };
    let result = task.run(usage);
    if way == TransferMode::Waiting {
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
        Err(team::unknown_agent_message(name, known.iter().map(String::as_str)))
    }
}

/// Fires `agent.switch`, because another agent has the conversation now. It fires even if the turn was cancelled, so
/// that every switch has its switch back in an audit.
pub(crate) fn fire_agent_switch(turn: &TurnContext, from: &Agent, to: &str, kind: &str) {
    let payload = AgentSwitch {
        from: from.spec.name.clone(),
        to: to.to_owned(),
        kind: kind.to_owned(),
        from_models: from.models(),
    };
    let _ = turn.fire_end(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
}
