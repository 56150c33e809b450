//! `agent.stop`: decides whether the agent may stop with this answer.
//!
//! It fires each time an answer is about to be accepted, in every exit mode. If a hook denies, the agent continues with
//! the reason as its next message, within the turn's limit of model calls. A redirect (`delegate(request)`) runs
//! another agent and uses its answer; `agent.stop` does not fire again, because it has already fired for that agent.
//!
//! If a hook fails closed, the agent gets no reason to act on and cannot fix the hook: the answer is not
//! accepted, and the turn ends.

use std::sync::Arc;

use pintle::Event;
use pintle::event::{AgentStop, TokenUsage};
use serde_json::Value;

use super::{TurnProgress, usage_since};
use crate::conversation::Conversation;
use crate::turn_context::{TurnContext, redirect};
use crate::turn_error::TurnError;

/// The decision on an answer.
pub(super) enum StopDecision {
    /// The answer is accepted, after the rewrites of hooks.
    Accept(String),
    /// The agent continues with this message.
    Continue(String),
}

/// Fires `agent.stop`.
pub(super) fn check_stop(
    turn: &TurnContext,
    conversation: &mut Conversation,
    progress: &mut TurnProgress,
    text: String,
    before: TokenUsage,
) -> Result<StopDecision, TurnError> {
    let payload = AgentStop {
        id: conversation.id.clone(),
        parent_id: turn.state.delegation.clone(),
        finish_reason: progress.finish_reason.clone(),
        iteration: progress.iteration,
        response: text.clone(),
        tool_calls: progress.tool_calls.clone(),
        tool_results: progress.tool_results.clone(),
        usage: usage_since(before, conversation.usage),
        done: progress.is_done,
        continuations: progress.continuations,
        last_user_message: conversation.last_user_message().map(|said| said.content.clone()),
        ..AgentStop::default()
    };
    let outcome = turn.fire(&Event::from_payload(&payload.with_aliases(), Arc::clone(&turn.origin)));
    if !outcome.is_allowed() {
        if turn.agent.spec.exit.block_fails_turn {
            return Err(TurnError::denied(format!("agent stop blocked: {}", outcome.reason())));
        }
        if outcome.is_failed() {
            let message = format!("the answer was not accepted: {}", outcome.reason());
            return Err(TurnError::failed("hook", message).with_event("agent.stop"));
        }
        let said: Vec<&str> = outcome.reasons.iter().map(|reason| reason.text.as_str()).collect();
        return Ok(StopDecision::Continue(said.join("; ")));
    }
    if let Some(request) = redirect(&outcome) {
        let answer = (turn.agent.shared.ports.redirect)(turn, request);
        conversation.usage = conversation.usage.plus(turn.state.take_usage());
        let answer = answer.map_err(|why| TurnError::failed("delegation", why).with_event("agent.stop"))?;
        progress.tool_calls.extend(answer.tool_calls);
        progress.tool_results.extend(answer.tool_results);
        return Ok(StopDecision::Accept(answer.text));
    }
    if !outcome.rewritten {
        return Ok(StopDecision::Accept(text));
    }
    let fields = outcome.payload.value();
    let list = |name: &str| fields.get(name).cloned().unwrap_or_default();
    if let Ok(tool_calls) = serde_json::from_value(list("tool_calls")) {
        progress.tool_calls = tool_calls;
    }
    if let Ok(tool_results) = serde_json::from_value(list("tool_results")) {
        progress.tool_results = tool_results;
    }
    Ok(StopDecision::Accept(fields.get("response").and_then(Value::as_str).map_or(text, str::to_owned)))
}
