//! `agent.stop`: decides whether the agent may stop with this answer.
//!
//! It fires each time an answer is about to be accepted, in every exit mode. If a hook denies, the agent continues with
//! the reason as its next message, within the turn's limit of model calls. A redirect (`delegate(request)`) runs
//! another agent and uses its answer; `agent.stop` does not fire again, because it has already fired for that agent.
//!
//! If a hook fails closed, the agent gets no reason to act on and cannot fix the hook: the answer is not
//! accepted, and the turn ends.

use pintle_host::EventKind;
use pintle_host::event::{AgentStop, TokenUsage};
use pintle_host::lifecycle::{AfterRejection, AnswerDecision, AnswerRejection, review_answer};

use super::{TurnProgress, usage_since};
use crate::conversation::Conversation;
use crate::turn_context::TurnContext;
use crate::turn_error::TurnError;
use crate::turn_life::TurnLife;

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
    let change = match review_answer(&mut TurnLife::new(turn), payload)? {
        AnswerDecision::Accept(change) => change,
        AnswerDecision::Reject(rejection) => return continue_after(turn, rejection),
    };
    if let Some(request) = &change.redirect {
        let answer = (turn.agent.shared.ports.redirect)(turn, request);
        conversation.usage = conversation.usage.plus(turn.state.take_usage());
        let answer = answer.map_err(|why| TurnError::failed("delegation", why).with_event(EventKind::AgentStop))?;
        progress.tool_calls.extend(answer.tool_calls);
        progress.tool_results.extend(answer.tool_results);
        return Ok(StopDecision::Accept(answer.text));
    }
    if let Some(tool_calls) = change.tool_calls {
        progress.tool_calls = tool_calls;
    }
    if let Some(tool_results) = change.tool_results {
        progress.tool_results = tool_results;
    }
    Ok(StopDecision::Accept(change.text.unwrap_or(text)))
}

/// What follows an answer that hooks do not accept.
fn continue_after(turn: &TurnContext, rejection: AnswerRejection) -> Result<StopDecision, TurnError> {
    let AnswerRejection { reason, next, .. } = rejection;
    if turn.agent.spec.exit.block_fails_turn {
        let error = TurnError::denied(format!("agent stop blocked: {reason}"));
        return Err(match next {
            AfterRejection::Continue(message) => error.with_message_for_model(format!("agent stop blocked: {message}")),
            AfterRejection::Fail | AfterRejection::EndRun(_) => error,
        });
    }
    match next {
        AfterRejection::Continue(message) => Ok(StopDecision::Continue(message)),
        AfterRejection::EndRun(why) => Err(TurnError::denied(if why.trim().is_empty() { reason } else { why })),
        AfterRejection::Fail => {
            let message = format!("the answer was not accepted: {reason}");
            Err(TurnError::failed("hook", message).with_event(EventKind::AgentStop))
        }
    }
}
