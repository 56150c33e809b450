//! A turn, from what the person said to the answer.

use std::sync::Arc;

use pintle::Event;
use pintle::event::{ErrorPayload, Notification, TokenUsage, ToolCall, ToolResult, TurnEnd, TurnStart, UserInput};
use serde_json::Value;

use super::loop_detector::LoopDetector;
use super::restore::InterruptedTurn;
use super::text_gate::TextGate;
use super::{Conversation, TurnError, TurnErrorKind, TurnOutput, prompts};
use crate::edits::EditQueue;
use crate::model::ModelMessage;
use crate::observer::AgentEvent;
use crate::recording;
use crate::turn_context::TurnContext;

/// How far a turn has come.
#[derive(Debug, Default)]
pub(super) struct TurnProgress {
    pub(super) iteration: u32,
    pub(super) continuations: u32,
    pub(super) finish_reason: String,
    pub(super) tool_calls: Vec<ToolCall>,
    pub(super) tool_results: Vec<ToolResult>,
    pub(super) is_done: bool,
    pub(super) last_text: String,
    /// What observers know of it.
    pub(super) text: TextGate,
    pub(super) loops: LoopDetector,
    /// Whether the conversation was compacted because the last request was too long.
    pub(super) has_overflowed: bool,
    /// How often an agent's answer sent the conversation to another agent.
    pub(super) forced_handoffs: u32,
    /// Whether hooks were told that the turn begins, and not yet that it is over.
    pub(super) is_open: bool,
}

impl TurnProgress {
    /// What the turn came to. The calls and their results go with it.
    fn take_output(&mut self, text: String, usage: TokenUsage) -> TurnOutput {
        TurnOutput {
            text,
            tool_calls: std::mem::take(&mut self.tool_calls),
            tool_results: std::mem::take(&mut self.tool_results),
            usage,
            stop_reason: self.finish_reason.clone(),
        }
    }
}

/// A turn under way.
pub(super) struct TurnRun<'c> {
    /// The turn, with the agent that is at work now.
    pub(super) turn: TurnContext,
    pub(super) conversation: &'c mut Conversation,
    pub(super) progress: TurnProgress,
    /// What the conversation had cost before.
    pub(super) usage_before: TokenUsage,
    /// The model calls that the turn may make.
    pub(super) limit: u32,
}

/// How a turn begins.
pub(super) enum TurnInput<'a> {
    /// With words for the agent.
    Prompt(&'a str),
    /// It began in another process and was cut off there.
    Interrupted(Box<InterruptedTurn>),
}

/// Plays one turn of an agent, from `prompt.submit` and `turn.start` to `turn.end` and `user.input`.
pub(crate) fn run_turn(
    turn: &TurnContext,
    conversation: &mut Conversation,
    message: &str,
) -> Result<TurnOutput, TurnError> {
    play_turn(turn, conversation, TurnInput::Prompt(message))
}

/// Plays a turn, or the rest of one.
pub(super) fn play_turn(
    turn: &TurnContext,
    conversation: &mut Conversation,
    opening: TurnInput<'_>,
) -> Result<TurnOutput, TurnError> {
    let before = match &opening {
        TurnInput::Interrupted(cut_off) if cut_off.has_begun => cut_off.usage_before,
        _ => {
            recording::record_turn_start(turn);
            conversation.usage
        }
    };
    turn.state.transcript.replace(&conversation.messages);
    let (turn, limit) = (turn.clone(), turn.agent.max_iterations);
    let runtime = Arc::clone(&turn.agent.shared.runtime);
    let began_us = runtime.clock().monotonic_us();
    let elapsed_ms = || runtime.clock().monotonic_us().saturating_sub(began_us) / 1_000;
    let mut run = TurnRun { turn, conversation, progress: TurnProgress::default(), usage_before: before, limit };
    let result = run.play(opening, &elapsed_ms);
    let TurnRun { turn, conversation, mut progress, .. } = run;
    EditQueue::drain(&turn);
    conversation.notes.extend(turn.state.take_persistent());
    match &result {
        Ok(answer) => turn.notify(AgentEvent::TurnEnded { text: &answer.text, usage: answer.usage }),
        Err(fault) => {
            report_error(&turn, fault, progress.iteration);
            if progress.is_open {
                let answer = progress.take_output(String::new(), usage_since(before, conversation.usage));
                let payload = answer.to_payload(turn.scope.logs.take_lines(), elapsed_ms());
                // Nothing is left that its hooks could change or refuse.
                let payload = TurnEnd { error: Some(fault.message.clone()), ..payload };
                let _ = turn.fire_end(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
            }
            turn.notify(AgentEvent::TurnFailed { message: &fault.message });
        }
    }
    if prompts::is_of_person(&turn) {
        let _ = turn.fire_team_end(|| UserInput { reason: String::from("prompt"), message: String::new() });
    }
    let ended = result.as_ref().map_or_else(|fault| fault.message.as_str(), |_| "done");
    recording::record_turn_end(&turn, ended, usage_since(before, conversation.usage));
    conversation.speaker = Some(Arc::clone(&turn.agent));
    result
}

impl TurnRun<'_> {
    fn play(&mut self, opening: TurnInput<'_>, elapsed_ms: &dyn Fn() -> u64) -> Result<TurnOutput, TurnError> {
        let text = match opening {
            TurnInput::Prompt(message) => {
                self.open_turn(message)?;
                self.iterate()?
            }
            TurnInput::Interrupted(cut_off) => self.continue_turn(*cut_off)?,
        };
        EditQueue::drain(&self.turn);
        let answer = self.progress.take_output(text, usage_since(self.usage_before, self.conversation.usage));
        self.progress.is_open = false;
        let turn = &self.turn;
        let payload = answer.to_payload(turn.scope.logs.take_lines(), elapsed_ms());
        let outcome = turn.fire(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
        if !outcome.is_allowed() {
            return Err(TurnError::denied(format!("turn blocked: {}", outcome.reason())));
        }
        let answer = if outcome.rewritten { apply_rewrite(answer, outcome.payload.value()) } else { answer };
        self.progress.text.conclude(&self.turn, &answer.text);
        Ok(answer)
    }

    /// Shows the words to the hooks of `prompt.submit` and `turn.start`, and takes them into the conversation.
    pub(super) fn open_turn(&mut self, message: &str) -> Result<(), TurnError> {
        let message = prompts::submit(&self.turn, message)?;
        self.progress.is_open = true;
        let turn = &self.turn;
        let outcome = turn.fire(&Event::from_payload(&TurnStart(message.clone()), Arc::clone(&turn.origin)));
        if !outcome.is_allowed() {
            return Err(TurnError::denied(format!("turn blocked: {}", outcome.reason())));
        }
        let message = outcome.payload.value().as_str().unwrap_or(&message).to_owned();
        turn.notify(AgentEvent::TurnStarted { message: &message });
        self.conversation.push(turn, ModelMessage::user(message));
        Ok(())
    }
}

/// Tells the hooks of `notification` and `error` what went wrong. That the person cancelled is no error. Nor is a refusal
/// by a hook, except to members of a team: there it ends the run as a runtime error (docker-agent behaviour, section 6.7).
fn report_error(turn: &TurnContext, fault: &TurnError, iteration: u32) {
    let (kind, during, retryable, code) = match fault.kind {
        TurnErrorKind::Failed { source: what, event: during, is_retryable: retryable } => {
            (what, during, retryable, None)
        }
        TurnErrorKind::Denied if turn.is_member() => ("hook", "", false, Some(String::from("hook_blocked"))),
        TurnErrorKind::Denied | TurnErrorKind::Cancelled => return,
    };
    let notice = || Notification {
        kind: String::from("error"),
        level: String::from("error"),
        title: None,
        message: fault.message.clone(),
        host: None,
    };
    let _ = turn.fire_team(notice);
    let payload = ErrorPayload {
        message: fault.message.clone(),
        kind: kind.to_owned(),
        during: during.to_owned(),
        code,
        retryable,
        iteration: (iteration > 0).then_some(iteration),
        host: None,
    };
    let _ = turn.fire(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
}

/// The answer with what the hooks of `turn.end` made of it.
fn apply_rewrite(mut answer: TurnOutput, payload: &Value) -> TurnOutput {
    let list = |name: &str| payload.get(name).cloned().unwrap_or_default();
    if let Some(text) = payload.get("text").and_then(Value::as_str) {
        text.clone_into(&mut answer.text);
    }
    if let Ok(tool_calls) = serde_json::from_value(list("tool_calls")) {
        answer.tool_calls = tool_calls;
    }
    if let Ok(tool_results) = serde_json::from_value(list("tool_results")) {
        answer.tool_results = tool_results;
    }
    answer
}

/// The tokens used between two moments.
pub(crate) fn usage_since(before: TokenUsage, now: TokenUsage) -> TokenUsage {
    TokenUsage::new(
        now.input_tokens.saturating_sub(before.input_tokens),
        now.output_tokens.saturating_sub(before.output_tokens),
    )
}
