//! A turn: the user's message, the model calls, the answer.

use pintle_contract::event::{
    AgentStop, CompletionPost, CompletionPre, DelegationPost, EventPayload, PromptFollowup, PromptSteer, PromptSubmit,
    TurnEnd, TurnStart,
};
use pintle_contract::{HookId, Outcome};
use serde_json::Value;

use super::life::{AnswerChange, LifeHost, ReviewedEvent, fire_if_heard, is_refusal, pass, pass_answer};

/// The decision of hooks on an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerDecision {
    /// The answer is accepted, with these changes.
    Accept(AnswerChange),
    /// The agent has to do something else.
    Reject(AnswerRejection),
}

/// Why an answer is not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerRejection {
    /// The reasons with the names of the hooks, for the user.
    pub reason: String,
    /// The hooks that rejected it, in their order.
    pub hooks: Vec<HookId>,
    /// What follows.
    pub next: AfterRejection,
}

/// What follows an answer that is not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AfterRejection {
    /// The agent continues with this message.
    Continue(String),
    /// A hook failed. It told the agent nothing to act on, and the agent cannot repair it: the turn ends.
    Fail,
    /// A hook ends the run, for this reason.
    EndRun(String),
}

/// Shows hooks a prompt (`prompt.submit`), and returns what they left of it.
///
/// # Errors
/// With the refusal, if hooks deny it.
pub fn submit_prompt<H: LifeHost>(host: &mut H, prompt: PromptSubmit) -> Result<String, H::Refusal> {
    let text = prompt.prompt.clone();
    let outcome = pass(host, || prompt)?.outcome;
    Ok(changed_text(outcome.as_ref(), "prompt").unwrap_or(text))
}

/// Begins a turn with a message (`turn.start`), and returns what hooks left of it.
///
/// # Errors
/// With the refusal, if hooks deny the turn.
pub fn begin_turn<H: LifeHost>(host: &mut H, message: String) -> Result<String, H::Refusal> {
    let outcome = pass(host, || TurnStart(message.clone()))?.outcome;
    let changed = outcome.as_ref().and_then(|outcome| outcome.payload.value().as_str());
    Ok(changed.map_or(message, str::to_owned))
}

/// Shows hooks the messages that the user sent while the agent works (`prompt.steer`), and returns what they left.
///
/// # Errors
/// With the refusal, if hooks deny them.
pub fn steer<H: LifeHost>(host: &mut H, messages: Vec<String>) -> Result<Vec<String>, H::Refusal> {
    let outcome = pass(host, || PromptSteer { messages: messages.clone() })?.outcome;
    let Some(outcome) = outcome.filter(|outcome| outcome.rewritten) else { return Ok(messages) };
    let listed = outcome.payload.field("messages").and_then(Value::as_array);
    Ok(listed.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// Shows hooks a prompt that waited for the turn before it (`prompt.followup`), and returns what they left of it.
///
/// # Errors
/// With the refusal, if hooks deny it.
pub fn follow_up<H: LifeHost>(host: &mut H, prompt: String, waiting: u32) -> Result<String, H::Refusal> {
    let outcome = pass(host, || PromptFollowup { prompt: prompt.clone(), waiting })?.outcome;
    Ok(changed_text(outcome.as_ref(), "prompt").unwrap_or(prompt))
}

/// Shows hooks a request to the model (`completion.pre`). It is built only if it is shown.
///
/// # Errors
/// With the refusal, if hooks deny it.
pub fn review_request<H: LifeHost>(
    host: &mut H,
    request: impl FnOnce() -> CompletionPre,
) -> Result<ReviewedEvent<CompletionPre>, H::Refusal> {
    pass(host, request)
}

/// Shows hooks the model's reply (`completion.post`). It is built only if it is shown.
///
/// # Errors
/// With the refusal, if hooks deny it.
pub fn review_reply<H: LifeHost>(
    host: &mut H,
    reply: impl FnOnce() -> CompletionPost,
) -> Result<ReviewedEvent<CompletionPost>, H::Refusal> {
    pass(host, reply)
}

/// Asks hooks whether the agent may stop with this answer (`agent.stop`).
///
/// # Errors
/// If the host was cancelled.
pub fn review_answer<H: LifeHost>(host: &mut H, answer: AgentStop) -> Result<AnswerDecision, H::Refusal> {
    judge(host, answer, "response")
}

/// Asks hooks whether an agent that works for another may stop with this answer (`delegation.post`), in a host whose
/// agents continue then.
///
/// # Errors
/// If the host was cancelled.
pub fn review_delegated_answer<H: LifeHost>(
    host: &mut H,
    answer: DelegationPost,
) -> Result<AnswerDecision, H::Refusal> {
    judge(host, answer, "response")
}

/// Ends a turn (`turn.end`), and returns what hooks change about its answer.
///
/// # Errors
/// With the refusal, if hooks deny the answer.
pub fn end_turn<H: LifeHost>(host: &mut H, end: TurnEnd) -> Result<AnswerChange, H::Refusal> {
    pass_answer(host, || end, "text")
}

fn judge<H: LifeHost, P: EventPayload>(host: &mut H, payload: P, text: &str) -> Result<AnswerDecision, H::Refusal> {
    let Some(outcome) = fire_if_heard(host, || payload)? else {
        return Ok(AnswerDecision::Accept(AnswerChange::default()));
    };
    if !is_refusal(host, &outcome) {
        return Ok(AnswerDecision::Accept(AnswerChange::from_outcome(&outcome, text)));
    }
    let next = match outcome.stop_reason() {
        Some(reason) => AfterRejection::EndRun(reason),
        None if outcome.is_failed() => AfterRejection::Fail,
        None => AfterRejection::Continue(outcome.reason_for_model()),
    };
    Ok(AnswerDecision::Reject(AnswerRejection { reason: outcome.reason(), hooks: outcome.deciding_hooks(), next }))
}

fn changed_text(outcome: Option<&Outcome>, field: &str) -> Option<String> {
    outcome?.payload.field(field).and_then(Value::as_str).map(str::to_owned)
}
