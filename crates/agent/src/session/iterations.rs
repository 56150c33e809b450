//! A turn, from what the person said to the answer.

use std::sync::Arc;

use pintle::Event;
use pintle::event::{ErrorPayload, Notification, TokenUsage, ToolCall, ToolResult, TurnEnd, TurnStart, UserInput};
use serde_json::Value;

use super::looping::Loops;
use super::restore::CutOff;
use super::text_gate::TextGate;
use super::{Answer, Conversation, Fault, FaultKind, prompts};
use crate::edits::Edits;
use crate::model::Message;
use crate::observe::Happening;
use crate::taping;
use crate::turn::Turn;

/// How far a turn has come.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) iteration: u32,
    pub(super) continuations: u32,
    pub(super) finish_reason: String,
    pub(super) tool_calls: Vec<ToolCall>,
    pub(super) tool_results: Vec<ToolResult>,
    pub(super) is_done: bool,
    pub(super) last_text: String,
    /// What observers know of it.
    pub(super) text: TextGate,
    pub(super) loops: Loops,
    /// Whether the conversation was compacted because the last request was too long.
    pub(super) has_overflowed: bool,
    /// How often an agent's answer sent the conversation to another agent.
    pub(super) forced_handoffs: u32,
    /// Whether hooks were told that the turn begins, and not yet that it is over.
    pub(super) is_open: bool,
}

impl Progress {
    /// What the turn came to. The calls and their results go with it.
    fn answer(&mut self, text: String, usage: TokenUsage) -> Answer {
        Answer {
            text,
            tool_calls: std::mem::take(&mut self.tool_calls),
            tool_results: std::mem::take(&mut self.tool_results),
            usage,
            stop_reason: self.finish_reason.clone(),
        }
    }
}

/// A turn under way.
pub(super) struct Run<'c> {
    /// The turn, with the agent that is at work now.
    pub(super) turn: Turn,
    pub(super) conversation: &'c mut Conversation,
    pub(super) progress: Progress,
    /// What the conversation had cost before.
    pub(super) before: TokenUsage,
    /// The model calls that the turn may make.
    pub(super) limit: u32,
}

/// How a turn begins.
pub(super) enum Opening<'a> {
    /// With words for the agent.
    Words(&'a str),
    /// It began in another process and was cut off there.
    CutOff(Box<CutOff>),
}

/// Plays one turn of an agent, from `prompt.submit` and `turn.start` to `turn.end` and `user.input`.
pub(crate) fn run_turn(turn: &Turn, conversation: &mut Conversation, message: &str) -> Result<Answer, Fault> {
    play(turn, conversation, Opening::Words(message))
}

/// Plays a turn, or the rest of one.
pub(super) fn play(turn: &Turn, conversation: &mut Conversation, opening: Opening<'_>) -> Result<Answer, Fault> {
    let before = match &opening {
        Opening::CutOff(cut_off) if cut_off.has_begun => cut_off.before,
        _ => {
            taping::turn_begins(turn);
            conversation.usage
        }
    };
    turn.state.transcript.replace(&conversation.messages);
    let (turn, limit) = (turn.clone(), turn.agent.max_iterations);
    let runtime = Arc::clone(&turn.agent.shared.runtime);
    let began_us = runtime.clock().monotonic_us();
    let elapsed_ms = || runtime.clock().monotonic_us().saturating_sub(began_us) / 1_000;
    let mut run = Run { turn, conversation, progress: Progress::default(), before, limit };
    let result = run.play(opening, &elapsed_ms);
    let Run { turn, conversation, mut progress, .. } = run;
    Edits::drain(&turn);
    conversation.notes.extend(turn.state.take_persistent());
    match &result {
        Ok(answer) => turn.tell(Happening::TurnEnded { text: &answer.text, usage: answer.usage }),
        Err(fault) => {
            raise(&turn, fault, progress.iteration);
            if progress.is_open {
                let answer = progress.answer(String::new(), since(before, conversation.usage));
                let payload = answer.payload(turn.scope.logs.take_lines(), elapsed_ms());
                // Nothing is left that its hooks could change or refuse.
                let payload = TurnEnd { error: Some(fault.message.clone()), ..payload };
                let _ = turn.fire_end(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
            }
            turn.tell(Happening::TurnFailed { message: &fault.message });
        }
    }
    if prompts::is_of_person(&turn) {
        let _ = turn.fire_end_of(|| UserInput { reason: String::from("prompt"), message: String::new() });
    }
    let ended = result.as_ref().map_or_else(|fault| fault.message.as_str(), |_| "done");
    taping::turn_ends(&turn, ended, since(before, conversation.usage));
    conversation.speaker = Some(Arc::clone(&turn.agent));
    result
}

impl Run<'_> {
    fn play(&mut self, opening: Opening<'_>, elapsed_ms: &dyn Fn() -> u64) -> Result<Answer, Fault> {
        let text = match opening {
            Opening::Words(message) => {
                self.open(message)?;
                self.iterate()?
            }
            Opening::CutOff(cut_off) => self.go_on(*cut_off)?,
        };
        Edits::drain(&self.turn);
        let answer = self.progress.answer(text, since(self.before, self.conversation.usage));
        self.progress.is_open = false;
        let turn = &self.turn;
        let payload = answer.payload(turn.scope.logs.take_lines(), elapsed_ms());
        let outcome = turn.fire(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
        if !outcome.is_allowed() {
            return Err(Fault::denied(format!("turn blocked: {}", outcome.reason())));
        }
        let answer = if outcome.rewritten { taken_over(answer, outcome.payload.value()) } else { answer };
        self.progress.text.conclude(&self.turn, &answer.text);
        Ok(answer)
    }

    /// Shows the words to the hooks of `prompt.submit` and `turn.start`, and takes them into the conversation.
    pub(super) fn open(&mut self, message: &str) -> Result<(), Fault> {
        let message = prompts::submitted(&self.turn, message)?;
        self.progress.is_open = true;
        let turn = &self.turn;
        let outcome = turn.fire(&Event::from_payload(&TurnStart(message.clone()), Arc::clone(&turn.origin)));
        if !outcome.is_allowed() {
            return Err(Fault::denied(format!("turn blocked: {}", outcome.reason())));
        }
        let message = outcome.payload.value().as_str().unwrap_or(&message).to_owned();
        turn.tell(Happening::TurnStarted { message: &message });
        self.conversation.push(turn, Message::user(message));
        Ok(())
    }
}

/// Tells the hooks of `notification` and `error` what went wrong. That the person cancelled is no error. Nor is a refusal
/// by a hook, except to members of a team: there it ends the run as a runtime error (docker-agent behaviour, section 6.7).
fn raise(turn: &Turn, fault: &Fault, iteration: u32) {
    let (kind, during, retryable, code) = match fault.kind {
        FaultKind::Failed { what, during, retryable } => (what, during, retryable, None),
        FaultKind::Denied if turn.is_member() => ("hook", "", false, Some(String::from("hook_blocked"))),
        FaultKind::Denied | FaultKind::Cancelled => return,
    };
    let notice = || Notification {
        kind: String::from("error"),
        level: String::from("error"),
        title: None,
        message: fault.message.clone(),
        host: None,
    };
    let _ = turn.fire_of(notice);
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
fn taken_over(mut answer: Answer, payload: &Value) -> Answer {
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
pub(crate) fn since(before: TokenUsage, now: TokenUsage) -> TokenUsage {
    TokenUsage::new(
        now.input_tokens.saturating_sub(before.input_tokens),
        now.output_tokens.saturating_sub(before.output_tokens),
    )
}
