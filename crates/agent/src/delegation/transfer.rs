//! Tasks for members of a team.
//!
//! The order of events is that of every delegation, with the change of agents around it: `delegation.pre`,
//! `agent.switch`, the member's own session, `delegation.post`, `delegation.post_verify`, `agent.switch` back. Except for
//! the member's own they are all fired at the hooks of the agent that asked (docker-agent behaviour, sections 6.2
//! and 6.3).

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

/// How a task is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransferMode {
    /// The agent waits, and its conversation is where the work is.
    Waiting,
    /// The agent goes on. Nobody is there to be asked, and no conversation changes hands.
    Background,
}

/// Gives a task to a member of the team and waits for its end.
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
    let Some(team) = parent.shared.team.as_ref() else { return Err(String::from("this agent is in no team")) };
    let id = fire_delegation_pre(turn, &mut request)?;
    // The hooks may have chosen another agent, which must be one that this agent may call all the same.
    let refused = |why: String| attempts::report_refusal(turn, &id, &request, why);
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

/// Whether an agent may give tasks to another one.
///
/// # Errors
/// When it may not, with the names of those that it may.
pub(crate) fn check_call_allowed(parent: &Agent, name: &str) -> Result<(), String> {
    let known = parent.spec.member.as_ref().map(|member| member.sub_agents.as_slice()).unwrap_or_default();
    if known.iter().any(|known| known == name) {
        Ok(())
    } else {
        Err(team::unknown_agent_message(name, known.iter().map(String::as_str)))
    }
}

/// Tells a turn's hooks that another agent has the conversation now. They are told also when the turn was cancelled, so
/// that an audit sees the way back of every way there.
pub(crate) fn fire_agent_switch(turn: &TurnContext, from: &Agent, to: &str, kind: &str) {
    let payload = AgentSwitch {
        from: from.spec.name.clone(),
        to: to.to_owned(),
        kind: kind.to_owned(),
        from_models: from.models(),
    };
    let _ = turn.fire_end(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
}
