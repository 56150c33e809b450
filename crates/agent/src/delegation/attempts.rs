//! The attempts of a delegation, each reviewed and verified (the Ralph loop).

use std::sync::Arc;

use pintle::event::{DelegationPost, DelegationPostVerify, TokenUsage};
use pintle::{Event, ScriptSource, ScriptTool};
use serde_json::{Value, json};

use super::child_session::ChildSession;
use super::request::DelegationRequest;
use crate::agent::Agent;
use crate::observer::AgentEvent;
use crate::reminders::ConversationReminders;
use crate::session::{Conversation, TurnOutput, can_review_answers, run_turn};
use crate::tools::join_diagnostics;
use crate::turn_context::{TurnContext, TurnState, redirect};
use crate::verify;

/// Attempts after the first, when nobody says.
const RETRIES: u32 = 2;

/// What follows the reason in the message to a child whose answer was not verified.
const TRY_AGAIN: &str = "The task is not complete. Mend what the reason names, check the result, and answer again.";

/// A task that another agent has.
pub(super) struct DelegatedTask<'a> {
    pub(super) turn: &'a TurnContext,
    pub(super) id: String,
    pub(super) request: DelegationRequest,
    pub(super) child: Arc<Agent>,
    pub(super) verifiers: Vec<ScriptTool>,
    pub(super) redirects: Vec<Value>,
    /// What the child is reminded of.
    pub(super) reminders: Arc<ConversationReminders>,
}

/// The scripts that a delegation must pass: the delegating agent's own, and the request's.
///
/// A request that comes with a script comes with code that the model wrote, so that needs `meta.enabled`.
pub(super) fn compile_verifiers(turn: &TurnContext, request: &DelegationRequest) -> Result<Vec<ScriptTool>, String> {
    let shared = &turn.agent.shared;
    if request.verify.is_some() && !shared.meta.enabled {
        return Err(String::from("`verify` in a request needs `meta.enabled: true`; leave it out"));
    }
    let declared = turn.agent.spec.delegation.verify.clone();
    let given = request.verify.as_deref().map(ScriptSource::without_file);
    let compile = |script: ScriptSource| {
        let fault = |found: Vec<_>| format!("the verify script does not compile: {}", join_diagnostics(&found));
        shared.runtime.compile_verifier("delegation", &script).map_err(fault)
    };
    declared.into_iter().chain(given).map(compile).collect()
}

/// Tells the hooks of `delegation.post` of a delegation that `delegation.pre` announced and that came to nothing. Gives
/// what the model is told.
pub(super) fn report_refusal(turn: &TurnContext, id: &str, request: &DelegationRequest, why: String) -> String {
    let payload = DelegationPost {
        id: id.to_owned(),
        parent_id: turn.state.delegation.clone(),
        agent: request.agent.clone(),
        result: why.clone(),
        response: why.clone(),
        depth: turn.agent.depth + 1,
        is_error: true,
        ..DelegationPost::default()
    };
    let outcome = turn.fire_end(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
    if outcome.is_allowed() { why } else { format!("delegation blocked: {}", outcome.reason_for_model()) }
}

impl DelegatedTask<'_> {
    pub(super) fn run(self, usage: &mut TokenUsage) -> Result<TurnOutput, String> {
        let retries = self.request.max_verify_retries.or(self.turn.agent.spec.delegation.max_verify_retries);
        let attempts = retries.unwrap_or(RETRIES) + 1;
        let mut conversation = Conversation::new(self.turn.agent.shared.unique_name("conversation"));
        conversation.reminders = Arc::clone(&self.reminders);
        self.reminders.inherit(&self.turn_for_attempt(0), &self.turn.state.reminders);
        let life = ChildSession::begin(&self, &mut conversation)?;
        let result = self.run_attempts(&mut conversation, attempts, usage);
        life.end(&self, result.as_ref().map(|_| ()), conversation.usage);
        result
    }

    fn run_attempts(
        &self,
        conversation: &mut Conversation,
        attempts: u32,
        usage: &mut TokenUsage,
    ) -> Result<TurnOutput, String> {
        let mut message = self.request.task.clone();
        let mut reason = String::new();
        for attempt in 1..=attempts {
            self.turn.notify(AgentEvent::Delegated { agent: &self.child.spec.name, task: &message, attempt });
            let answer = self.run_attempt(conversation, &message, attempt, usage)?;
            let answer = self.review(answer, usage)?;
            match self.verify(answer, attempt, attempts)? {
                Ok(answer) => return Ok(answer),
                Err(why) => reason = why,
            }
            message = format!("VERIFICATION FAILED on the previous attempt: {reason}\n\n{TRY_AGAIN}");
        }
        Err(format!("delegation verification failed after {attempts} attempt(s): {reason}"))
    }

    /// Lets the child play one turn. A child that fails ends the delegation; its parent's hooks are still told.
    fn run_attempt(
        &self,
        conversation: &mut Conversation,
        message: &str,
        attempt: u32,
        usage: &mut TokenUsage,
    ) -> Result<TurnOutput, String> {
        self.child.turn.store(attempt, std::sync::atomic::Ordering::Relaxed);
        let turn = self.turn_for_attempt(attempt);
        let before = conversation.usage;
        let result = run_turn(&turn, conversation, message);
        *usage = usage.plus(crate::session::usage_since(before, conversation.usage));
        result.map_err(|fault| {
            let message = format!("delegation to \"{}\" failed: {}", self.child.spec.name, fault.message);
            let payload = DelegationPost {
                is_error: true,
                ..self.to_payload(&TurnOutput { text: message.clone(), ..TurnOutput::default() })
            };
            let outcome = self.turn.fire(&Event::from_payload(&payload, Arc::clone(&self.turn.origin)));
            if outcome.is_allowed() { message } else { format!("delegation blocked: {}", outcome.reason_for_model()) }
        })
    }

    /// A turn of the child. Whoever answers the asks of the delegating agent answers those of the child too.
    pub(super) fn turn_for_attempt(&self, number: u32) -> TurnContext {
        let state = TurnState::new(&self.reminders, Some(self.id.clone()), self.redirects.clone());
        let state = state.in_step(self.turn.step_context.clone()).with_review(can_review_answers(self.turn));
        let scope = &self.turn.scope;
        let mut turn = TurnContext::new(&self.child, number, Arc::clone(&scope.scratch), scope.cancel.clone(), state);
        turn.scope.approver.clone_from(&scope.approver);
        turn.scope.depth = scope.depth;
        turn
    }

    /// Shows the answer to the hooks of `delegation.post`.
    fn review(&self, answer: TurnOutput, usage: &mut TokenUsage) -> Result<TurnOutput, String> {
        let outcome = self.turn.fire(&Event::from_payload(&self.to_payload(&answer), Arc::clone(&self.turn.origin)));
        if !outcome.is_allowed() {
            return Err(format!("delegation blocked: {}", outcome.reason_for_model()));
        }
        if let Some(request) = redirect(&outcome) {
            let delegated = super::run_redirect(self.turn, request, &self.redirects);
            *usage = usage.plus(delegated.usage);
            return delegated.result;
        }
        Ok(if outcome.rewritten { apply_rewrite(answer, outcome.payload.value()) } else { answer })
    }

    /// Asks the scripts and then the hooks; all must be content. The inner error is a reason to try again, the outer one
    /// ends the delegation: a verifier that crashes has verified nothing, and the child cannot mend that.
    fn verify(
        &self,
        answer: TurnOutput,
        attempt: u32,
        max_attempts: u32,
    ) -> Result<Result<TurnOutput, String>, String> {
        let mut reasons = Vec::new();
        for script in &self.verifiers {
            let verdict = verify::run(script, self.verify_input(&answer), self.turn, "delegation")
                .map_err(|why| format!("delegation verification failed: {why}"))?;
            if !verdict.is_verified {
                reasons.push(verdict.reason);
            }
        }
        let shown = self.to_payload(&answer);
        let payload = DelegationPostVerify {
            id: shown.id,
            parent_id: shown.parent_id,
            agent: shown.agent,
            result: shown.result,
            response: shown.response,
            depth: shown.depth,
            tool_calls: shown.tool_calls,
            tool_results: shown.tool_results,
            usage: shown.usage,
            is_error: false,
            attempt,
            max_attempts,
            verified: (!self.verifiers.is_empty()).then_some(reasons.is_empty()),
            reason: (!reasons.is_empty()).then(|| reasons.join("; ")),
        };
        let outcome = self.turn.fire(&Event::from_payload(&payload, Arc::clone(&self.turn.origin)));
        if !outcome.is_allowed() {
            reasons.push(outcome.reason_for_model());
        }
        if !reasons.is_empty() {
            return Ok(Err(reasons.join("; ")));
        }
        Ok(Ok(if outcome.rewritten { apply_rewrite(answer, outcome.payload.value()) } else { answer }))
    }

    fn to_payload(&self, answer: &TurnOutput) -> DelegationPost {
        DelegationPost {
            id: self.id.clone(),
            parent_id: self.turn.state.delegation.clone(),
            agent: self.request.agent.clone(),
            result: answer.text.clone(),
            response: answer.text.clone(),
            depth: self.child.depth,
            tool_calls: answer.tool_calls.clone(),
            tool_results: answer.tool_results.clone(),
            usage: answer.usage,
            is_error: false,
            host: None,
        }
    }

    /// What a verify script is given.
    fn verify_input(&self, answer: &TurnOutput) -> Value {
        json!({
            "id": self.id,
            "agent": self.request.agent,
            "task": self.request.task,
            "response": answer.text,
            "result": answer.text,
            "tool_calls": answer.tool_calls,
            "tool_results": answer.tool_results,
        })
    }
}

/// The answer with what hooks made of it.
fn apply_rewrite(mut answer: TurnOutput, payload: &Value) -> TurnOutput {
    if let Some(text) = payload.get("result").and_then(Value::as_str) {
        text.clone_into(&mut answer.text);
    }
    let list = |name: &str| payload.get(name).cloned().unwrap_or_default();
    if let Ok(tool_calls) = serde_json::from_value(list("tool_calls")) {
        answer.tool_calls = tool_calls;
    }
    if let Ok(tool_results) = serde_json::from_value(list("tool_results")) {
        answer.tool_results = tool_results;
    }
    answer
}
