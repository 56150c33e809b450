//! Delegation: an agent gives a task to another agent.
//!
//! The child runs under its own hooks and policies and those of every agent above it. The order of events is
//! `delegation.pre`, the child's turn, `delegation.post`, then the `verify` scripts and `delegation.post_verify`. An
//! attempt that fails verification goes back to the same child, which keeps its conversation, until no attempt is left.

mod attempts;
mod background;
mod background_tools;
mod child;
mod child_session;
mod new_agent;
mod request;
mod tool;
mod transfer;

use std::sync::Arc;

use pintle_host::event::TokenUsage;
use pintle_host::lifecycle::review_task;
use serde_json::Value;

use crate::session_state::{DelegationResult, TurnOutput};
use crate::turn_context::{Agent, TurnContext};
use crate::turn_life::TurnLife;

pub(crate) use new_agent::{new_root, share_overlay};
pub(crate) use transfer::{TransferMode, check_call_allowed, transfer, unknown_agent_message};

use attempts::DelegatedTask;
use request::DelegationRequest;

/// The maximum number of redirects by hooks in a row.
const MAX_REDIRECTS: usize = 8;

/// Delegates a task on behalf of the model.
pub(crate) fn delegate(turn: &TurnContext, request: &Value) -> DelegationResult {
    run_request(turn, request, turn.state.redirects.clone())
}

/// Delegates a task on behalf of a hook, and counts its usage on this turn.
pub(crate) fn redirect(turn: &TurnContext, request: &Value) -> Result<TurnOutput, String> {
    let delegated = run_redirect(turn, request, &turn.state.redirects);
    turn.state.add_usage(delegated.usage);
    delegated.result
}

/// Runs a redirect. A hook that redirects to the same request a second time would do so forever, so that is refused.
fn run_redirect(turn: &TurnContext, request: &Value, before: &[Value]) -> DelegationResult {
    let refused = |reason: &str| DelegationResult { result: Err(reason.to_owned()), usage: TokenUsage::default() };
    if before.contains(request) {
        return refused("control-flow hook cycle detected: a hook delegates the same request again");
    }
    if before.len() >= MAX_REDIRECTS {
        return refused("control-flow hook budget exhausted: hooks delegated 8 times in a row");
    }
    let mut redirects = before.to_vec();
    redirects.push(request.clone());
    run_request(turn, request, redirects)
}

fn run_request(turn: &TurnContext, request: &Value, redirects: Vec<Value>) -> DelegationResult {
    let mut usage = TokenUsage::default();
    let result =
        DelegationRequest::from_value(request).and_then(|request| perform(turn, request, redirects, &mut usage));
    DelegationResult { result, usage }
}

fn perform(
    turn: &TurnContext,
    mut request: DelegationRequest,
    redirects: Vec<Value>,
    usage: &mut TokenUsage,
) -> Result<TurnOutput, String> {
    let parent = &turn.agent;
    let id = fire_delegation_pre(turn, &mut request)?;
    let refused = |reason: String| attempts::report_refusal(turn, &id, &request, reason);
    let verifiers = attempts::compile_verifiers(turn, &request).map_err(refused)?;
    let child: Arc<Agent> = child::create(turn, &request).map_err(refused)?;
    let Some(_slot) = parent.slots.acquire(&turn.scope.cancel) else { return Err(refused(String::from("cancelled"))) };
    DelegatedTask { turn, id, request, child, verifiers, redirects, reminders: Arc::default() }.run(usage)
}

/// Fires `delegation.pre`, applies the rewrites, and returns the id of the delegation.
fn fire_delegation_pre(turn: &TurnContext, request: &mut DelegationRequest) -> Result<String, String> {
    let parent = &turn.agent;
    if parent.depth >= parent.bounds.max_depth {
        return Err(format!("delegation depth limit reached: agents may delegate {} deep", parent.bounds.max_depth));
    }
    let id = parent.shared.unique_name("delegation");
    let payload = request.to_payload(&id, turn.state.delegation.clone(), parent.depth + 1);
    let reviewed = review_task(&mut TurnLife::new(turn), payload).map_err(|refusal| refusal.message)?;
    let rewritten = reviewed.into_rewritten().map_err(|error| format!("delegation.pre modify payload: {error}"))?;
    if let Some(payload) = rewritten {
        *request = DelegationRequest::from_payload(payload);
    }
    Ok(id)
}
