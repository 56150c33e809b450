//! Delegation: an agent hands a task to another one.
//!
//! The other agent runs under every hook and every policy of the agents above it, and its own. The order of events is
//! that of the documents: `delegation.pre`, the child's own turn, `delegation.post`, then the `verify` script and
//! `delegation.post_verify`. An attempt that fails verification goes back to the same child, which keeps its
//! conversation, until no attempt is left.

mod attempts;
mod background;
mod beside;
mod bounds;
mod child;
mod life;
mod request;
mod slots;
mod tool;
mod transfer;

use std::sync::Arc;

use pintle::Event;
use pintle::event::{DelegationPre, TokenUsage};
use serde_json::Value;

use crate::agent::Agent;
use crate::session::Answer;
use crate::turn::Turn;

pub(crate) use background::Background;
pub(crate) use bounds::Bounds;
pub(crate) use slots::Slots;
pub(crate) use tool::tools;
pub(crate) use transfer::{Way, may_call, switched, transfer};

use attempts::Task;
use request::Request;

/// Redirects of hooks that may follow each other.
const MAX_REDIRECTS: usize = 8;

/// What a delegation came to, and what it cost either way.
#[derive(Debug, Clone)]
pub(crate) struct Delegated {
    pub(crate) result: Result<Answer, String>,
    pub(crate) usage: TokenUsage,
}

/// Hands a task to another agent because the model asked for it.
pub(crate) fn delegate(turn: &Turn, request: &Value) -> Delegated {
    run(turn, request, turn.state.redirects.clone())
}

/// Hands a task to another agent because a hook asked for it, and spends what that costs on this turn.
pub(crate) fn redirect(turn: &Turn, request: &Value) -> Result<Answer, String> {
    let delegated = redirected(turn, request, &turn.state.redirects);
    turn.state.spend(delegated.usage);
    delegated.result
}

/// A hook that redirects to the same request twice would do so forever.
fn redirected(turn: &Turn, request: &Value, before: &[Value]) -> Delegated {
    let refused = |why: &str| Delegated { result: Err(why.to_owned()), usage: TokenUsage::default() };
    if before.contains(request) {
        return refused("control-flow hook cycle detected: a hook delegates the same request again");
    }
    if before.len() >= MAX_REDIRECTS {
        return refused("control-flow hook budget exhausted: hooks delegated 8 times in a row");
    }
    let mut redirects = before.to_vec();
    redirects.push(request.clone());
    run(turn, request, redirects)
}

fn run(turn: &Turn, request: &Value, redirects: Vec<Value>) -> Delegated {
    let mut usage = TokenUsage::default();
    let result = Request::read(request).and_then(|request| perform(turn, request, redirects, &mut usage));
    Delegated { result, usage }
}

fn perform(turn: &Turn, mut request: Request, redirects: Vec<Value>, usage: &mut TokenUsage) -> Result<Answer, String> {
    let parent = &turn.agent;
    let id = announce(turn, &mut request)?;
    let refused = |why: String| attempts::refused(turn, &id, &request, why);
    let verifiers = attempts::verifiers(turn, &request).map_err(refused)?;
    let child: Arc<Agent> = child::of(turn, &request).map_err(refused)?;
    let Some(_slot) = parent.slots.take(&turn.scope.cancel) else { return Err(refused(String::from("cancelled"))) };
    Task { turn, id, request, child, verifiers, redirects, reminders: Arc::default() }.run(usage)
}

/// Asks the hooks of `delegation.pre`, takes over what they rewrote, and gives the delegation its id.
fn announce(turn: &Turn, request: &mut Request) -> Result<String, String> {
    let parent = &turn.agent;
    if parent.depth >= parent.bounds.max_depth {
        return Err(format!("delegation depth limit reached: agents may delegate {} deep", parent.bounds.max_depth));
    }
    let id = parent.shared.unique("delegation");
    let payload = request.payload(&id, turn.state.delegation.clone(), parent.depth + 1);
    let outcome = turn.fire(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
    if !outcome.is_allowed() {
        return Err(format!("delegation blocked: {}", outcome.reason_for_model()));
    }
    if outcome.rewritten {
        let fault = |fault: serde_json::Error| format!("delegation.pre modify payload: {fault}");
        let rewritten: DelegationPre = serde_json::from_value(outcome.payload.into_value()).map_err(fault)?;
        *request = Request::of_payload(rewritten);
    }
    Ok(id)
}
