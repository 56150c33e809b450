//! The host of an agent's life, and what it does with one event.

use std::marker::PhantomData;

use pintle_contract::event::{
    CompactBefore, CompactPost, CompactPre, DelegationPost, DelegationPostVerify, DelegationPre, EventKind,
    EventPayload, ToolCall, ToolResult,
};
use pintle_contract::{Decision, DispatchId, Effect, Outcome};
use pintle_tools::UnmappableArguments;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A host that fires the events of an agent's life.
pub trait LifeHost {
    /// Why the agent does not go on.
    type Refusal;

    /// Whether an event is fired: a hook listens to it, or the host records it even without hooks.
    fn hears(&self, kind: EventKind) -> bool;

    /// Fires an event, and applies the effects of its outcome.
    ///
    /// # Errors
    /// If the host was cancelled.
    fn fire<P: EventPayload>(&mut self, payload: &P) -> Result<Outcome, Self::Refusal>;

    /// The refusal for an outcome that denies an event.
    fn refuse(&mut self, kind: EventKind, outcome: &Outcome) -> Self::Refusal;

    /// Whether the host passes open questions of hooks on to its user. Default: no, an open question denies.
    fn passes_asks_on(&self) -> bool {
        false
    }
}

/// What hooks left of an event that they did not deny.
#[derive(Debug)]
pub struct ReviewedEvent<P> {
    /// The outcome; `None` if the event was not fired.
    pub outcome: Option<Outcome>,
    payload: PhantomData<P>,
}

impl<P: DeserializeOwned> ReviewedEvent<P> {
    /// The dispatch of the event.
    #[must_use]
    pub fn dispatch(&self) -> Option<DispatchId> {
        self.outcome.as_ref().map(|outcome| outcome.dispatch)
    }

    /// The payload as hooks changed it; `None` if they changed nothing.
    ///
    /// # Errors
    /// If the changed payload no longer fits the event.
    pub fn into_rewritten(self) -> Result<Option<P>, HookChangeError> {
        let Some(outcome) = self.outcome.filter(|outcome| outcome.rewritten) else { return Ok(None) };
        Ok(Some(serde_json::from_value(outcome.payload.into_value())?))
    }
}

/// What hooks change about an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnswerChange {
    /// The request of a hook that hands the task to another agent.
    pub redirect: Option<Value>,
    /// Another text.
    pub text: Option<String>,
    /// Other tool calls.
    pub tool_calls: Option<Vec<ToolCall>>,
    /// Other results of tools.
    pub tool_results: Option<Vec<ToolResult>>,
}

impl AnswerChange {
    /// The change in an outcome, whose payload has the text in the field `text`.
    pub(crate) fn from_outcome(outcome: &Outcome, text: &str) -> Self {
        let redirect = outcome.effects.iter().find_map(|(_, effect)| match effect {
            Effect::Delegate(request) => Some(request.clone()),
            _ => None,
        });
        if !outcome.rewritten {
            return Self { redirect, ..Self::default() };
        }
        let field = |name: &str| outcome.payload.field(name);
        Self {
            redirect,
            text: field(text).and_then(Value::as_str).map(str::to_owned),
            tool_calls: field("tool_calls").and_then(|list| serde_json::from_value(list.clone()).ok()),
            tool_results: field("tool_results").and_then(|list| serde_json::from_value(list.clone()).ok()),
        }
    }
}

/// Whether an outcome keeps the host from going on.
pub(crate) fn is_refusal<H: LifeHost>(host: &H, outcome: &Outcome) -> bool {
    match outcome.decision {
        Decision::Allow => false,
        Decision::Ask => !host.passes_asks_on(),
        Decision::Deny => true,
    }
}

/// Fires an event, if the host hears it.
///
/// # Errors
/// With the refusal, if hooks deny it.
pub fn pass<H: LifeHost, P: EventPayload>(
    host: &mut H,
    payload: impl FnOnce() -> P,
) -> Result<ReviewedEvent<P>, H::Refusal> {
    let outcome = fire_if_heard(host, payload)?;
    if let Some(outcome) = outcome.as_ref().filter(|outcome| is_refusal(host, outcome)) {
        return Err(host.refuse(P::KIND, outcome));
    }
    Ok(ReviewedEvent { outcome, payload: PhantomData })
}

/// Fires an event, if the host hears it, and returns what hooks change about the answer in its field `text`.
pub(crate) fn pass_answer<H: LifeHost, P: EventPayload>(
    host: &mut H,
    payload: impl FnOnce() -> P,
    text: &str,
) -> Result<AnswerChange, H::Refusal> {
    let outcome = pass(host, payload)?.outcome;
    Ok(outcome.map_or_else(AnswerChange::default, |outcome| AnswerChange::from_outcome(&outcome, text)))
}

pub(crate) fn fire_if_heard<H: LifeHost, P: EventPayload>(
    host: &mut H,
    payload: impl FnOnce() -> P,
) -> Result<Option<Outcome>, H::Refusal> {
    if host.hears(P::KIND) { host.fire(&payload()).map(Some) } else { Ok(None) }
}

/// The reason why a change of hooks cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HookChangeError {
    /// The changed payload no longer fits its event.
    #[error(transparent)]
    Payload(#[from] serde_json::Error),
    /// The agent's words cannot express a changed task.
    #[error(transparent)]
    Task(#[from] UnmappableArguments),
}

/// Shows hooks a task before another agent gets it (`delegation.pre`).
///
/// # Errors
/// With the refusal, if hooks deny it.
pub fn review_task<H: LifeHost>(host: &mut H, task: DelegationPre) -> Result<ReviewedEvent<DelegationPre>, H::Refusal> {
    pass(host, || task)
}

/// Shows hooks the result of a delegation (`delegation.post`), and returns what they change about it.
///
/// # Errors
/// With the refusal, if hooks deny it.
pub fn review_result<H: LifeHost>(host: &mut H, result: DelegationPost) -> Result<AnswerChange, H::Refusal> {
    pass_answer(host, || result, "result")
}

/// Asks hooks whether a result does what the task asks (`delegation.post_verify`), and returns what they change.
///
/// # Errors
/// With the refusal, if hooks deny it: the other agent tries again.
pub fn verify_result<H: LifeHost>(host: &mut H, result: DelegationPostVerify) -> Result<AnswerChange, H::Refusal> {
    pass_answer(host, || result, "result")
}

/// What hooks want of a compaction that they do not deny.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompactionPlan {
    /// The summary that a hook supplies; without one, the host writes it.
    pub summary: Option<String>,
    /// What the summary must keep.
    pub instructions: Vec<String>,
}

/// Asks hooks before a conversation is compacted: `compact.pre` may steer the summary, `compact.before` may supply it.
///
/// # Errors
/// With the refusal, if hooks deny the compaction.
pub fn plan_compaction<H: LifeHost>(
    host: &mut H,
    pre: impl FnOnce() -> CompactPre,
    before: impl FnOnce() -> CompactBefore,
) -> Result<CompactionPlan, H::Refusal> {
    let steered = pass(host, pre)?.outcome;
    let instructions = steered.into_iter().flat_map(|outcome| outcome.effects).filter_map(|(_, effect)| match effect {
        Effect::Context(text) => Some(text),
        _ => None,
    });
    let instructions = instructions.collect();
    let supplied = pass(host, before)?.outcome;
    let summary = supplied.into_iter().flat_map(|outcome| outcome.effects).find_map(|(_, effect)| match effect {
        Effect::Summary(text) if !text.trim().is_empty() => Some(text),
        _ => None,
    });
    Ok(CompactionPlan { summary, instructions })
}

/// Tells hooks about a compaction (`compact.post`). It has happened, so they cannot deny it.
///
/// # Errors
/// If the host was cancelled.
pub fn report_compaction<H: LifeHost>(host: &mut H, post: impl FnOnce() -> CompactPost) -> Result<(), H::Refusal> {
    super::life::fire_if_heard(host, post).map(drop)
}
