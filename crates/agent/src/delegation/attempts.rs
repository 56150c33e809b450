//! The attempts of a delegation: each one is reviewed and verified (the Ralph loop).

use std::sync::Arc;

use pintle_host::Event;
use pintle_host::ScriptTool;
use pintle_host::contract::ScriptSource;
use pintle_host::event::{DelegationPost, DelegationPostVerify, TokenUsage};
use pintle_host::lifecycle::{AnswerChange, review_result, verify_result};
use serde_json::{Value, json};

use super::child_session::ChildSession;
use super::request::DelegationRequest;
use crate::completion::can_review_answers;
use crate::conversation::Conversation;
use crate::observer::AgentEvent;
use crate::reminders::ConversationReminders;
use crate::session_state::TurnOutput;
use crate::tools::join_diagnostics;
use crate::turn_context::{Agent, TurnContext, TurnState};
use crate::turn_life::{TurnLife, apply_change};
use crate::turn_loop::{run_turn, usage_since};
use crate::verify;

/// The default number of attempts after the first.
const RETRIES: u32 = 2;

/// Follows the reason in the message to a child whose answer failed verification.
const TRY_AGAIN: &str = "The task is not complete. Fix the problem named above, check the result, and answer again.";

/// A task delegated to a child agent.
pub(super) struct DelegatedTask<'a> {
    pub(super) turn: &'a TurnContext,
    pub(super) id: String,
    pub(super) request: DelegationRequest,
    pub(super) child: Arc<Agent>,
    pub(super) verifiers: Vec<ScriptTool>,
    pub(super) redirects: Vec<Value>,
    /// The reminders queued for the child.
    pub(super) reminders: Arc<ConversationReminders>,
}

/// Compiles the verify scripts of a delegation: the delegating agent's own and the request's.
///
/// The model wrote the script in a request, so it requires `meta.enabled`.
pub(super) fn compile_verifiers(turn: &TurnContext, request: &DelegationRequest) -> Result<Vec<ScriptTool>, String> {
    let shared = &turn.agent.shared;
    if request.verify.is_some() && !shared.meta.enabled {
        return Err(String::from("`verify` in a request requires `meta.enabled: true`; leave it out"));
    }
    let declared = turn.agent.spec.delegation.verify.clone();
    let given = request.verify.as_deref().map(ScriptSource::without_file);
    let compile = |script: ScriptSource| {
        let error = |found: Vec<_>| format!("the verify script does not compile: {}", join_diagnostics(&found));
        shared.runtime.compile_verifier("delegation", &script).map_err(error)
    };
    declared.into_iter().chain(given).map(compile).collect()
}

/// Fires `delegation.post` for a delegation that `delegation.pre` announced and that was then refused. Returns the text
/// for the model.
pub(super) fn report_refusal(turn: &TurnContext, id: &str, request: &DelegationRequest, reason: String) -> String {
    let payload = DelegationPost {
        id: id.to_owned(),
        parent_id: turn.state.delegation.clone(),
        agent: request.agent.clone(),
        result: reason.clone(),
        response: reason.clone(),
        depth: turn.agent.depth + 1,
        is_error: true,
        ..DelegationPost::default()
    };
    let outcome = turn.fire_end(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
    if outcome.is_allowed() { reason } else { format!("delegation blocked: {}", outcome.reason_for_model()) }
}

impl DelegatedTask<'_> {
    pub(super) fn run(self, usage: &mut TokenUsage) -> Result<TurnOutput, String> {
        let retries = self.request.max_verify_retries.or(self.turn.agent.spec.delegation.max_verify_retries);
        let attempts = retries.unwrap_or(RETRIES) + 1;
        let mut conversation = Conversation::new(self.turn.agent.shared.unique_name("conversation"));
        conversation.reminders = Arc::clone(&self.reminders);
        let (child, passed) = (self.turn_for_attempt(0), self.turn.state.reminders.inheritable());
        child.change_reminders(&self.reminders, |held| {
            passed.into_iter().map(|reminder| held.inherit(reminder, child.origin.turn)).collect()
        });
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

    /// Runs one turn of the child. If it fails, the delegation ends; the parent's `delegation.post` hooks still run.
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
        *usage = usage.plus(usage_since(before, conversation.usage));
        result.map_err(|error| {
            let message = format!("delegation to \"{}\" failed: {}", self.child.spec.name, error.message_for_model());
            let payload = DelegationPost {
                is_error: true,
                ..self.to_payload(&TurnOutput { text: message.clone(), ..TurnOutput::default() })
            };
            match review_result(&mut TurnLife::new(self.turn), payload) {
                Ok(_) => message,
                Err(refusal) => refusal.message,
            }
        })
    }

    /// The context for one attempt of the child, with the delegating agent's approver.
    pub(super) fn turn_for_attempt(&self, number: u32) -> TurnContext {
        let state = TurnState::new(&self.reminders, Some(self.id.clone()), self.redirects.clone());
        let state = state.in_step(self.turn.step_context.clone()).with_review(can_review_answers(self.turn));
        let scope = &self.turn.scope;
        let mut turn = TurnContext::new(&self.child, number, Arc::clone(&scope.scratch), scope.cancel.clone(), state);
        turn.scope.approver.clone_from(&scope.approver);
        turn.scope.cause = scope.cause;
        turn
    }

    /// Fires `delegation.post` with the answer.
    fn review(&self, answer: TurnOutput, usage: &mut TokenUsage) -> Result<TurnOutput, String> {
        let change = review_result(&mut TurnLife::new(self.turn), self.to_payload(&answer));
        let change = change.map_err(|refusal| refusal.message)?;
        if let Some(request) = &change.redirect {
            let delegated = super::run_redirect(self.turn, request, &self.redirects);
            *usage = usage.plus(delegated.usage);
            return delegated.result;
        }
        Ok(apply_change(answer, change))
    }

    /// Runs the verify scripts and then the hooks; all must accept. The inner error is a reason to try again. The outer
    /// one ends the delegation: if a verify script crashes, the child cannot fix that.
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
        let change = match verify_result(&mut TurnLife::new(self.turn), payload) {
            Ok(change) => change,
            Err(refusal) => {
                reasons.push(refusal.message);
                AnswerChange::default()
            }
        };
        if reasons.is_empty() { Ok(Ok(apply_change(answer, change))) } else { Ok(Err(reasons.join("; "))) }
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

    /// The argument of a verify script.
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
