//! Runs a turn, from the user's message to the answer.

mod batch;
mod iteration;
mod iteration_loop;
mod limit;
mod loop_detector;
mod prompts;
mod stop;

use std::sync::Arc;

use pintle_host::event::{ErrorPayload, Notification, TokenUsage, ToolCall, ToolResult, TurnEnd, UserInput};
use pintle_host::{Event, EventKind, lifecycle};

use crate::completion::TextGate;
use crate::conversation::Conversation;
use crate::model::ModelMessage;
use crate::observer::AgentEvent;
use crate::recording;
use crate::session_state::TurnOutput;
use crate::turn_context::TurnContext;
use crate::turn_error::{TurnError, TurnErrorKind};
use crate::turn_life::{TurnLife, apply_change};

use loop_detector::LoopDetector;

/// The progress of a turn.
#[derive(Debug, Default)]
pub(crate) struct TurnProgress {
    pub(crate) iteration: u32,
    pub(crate) continuations: u32,
    pub(crate) finish_reason: String,
    pub(crate) tool_calls: Vec<ToolCall>,
    pub(crate) tool_results: Vec<ToolResult>,
    pub(crate) is_done: bool,
    pub(crate) last_text: String,
    /// What observers have received of it.
    pub(crate) text: TextGate,
    pub(crate) loops: LoopDetector,
    /// Whether the conversation was compacted because the last request was too long.
    pub(crate) has_overflowed: bool,
    /// How often a forced hand-off happened.
    pub(crate) forced_handoffs: u32,
    /// Whether the turn's first events have fired and its last ones have not.
    pub(crate) is_open: bool,
}

impl TurnProgress {
    /// The turn's output. Takes the calls and their results.
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

/// A running turn.
pub(crate) struct TurnRun<'c> {
    /// The context of the turn, with the active agent.
    pub(crate) turn: TurnContext,
    pub(crate) conversation: &'c mut Conversation,
    pub(crate) progress: TurnProgress,
    /// The conversation's usage before the turn.
    pub(crate) usage_before: TokenUsage,
    /// The maximum number of model calls.
    pub(crate) limit: u32,
}

/// How a turn begins.
pub(crate) enum TurnInput<'a> {
    /// With a message for the agent.
    Prompt(&'a str),
    /// It began in another process and was interrupted there.
    Interrupted(Box<dyn RestOfTurn>),
}

/// The rest of a turn that was interrupted.
pub(crate) trait RestOfTurn {
    /// The conversation's usage before the turn, if the turn had begun.
    fn usage_before(&self) -> Option<TokenUsage>;

    /// Continues the turn until there is an answer.
    fn play(self: Box<Self>, run: &mut TurnRun<'_>) -> Result<String, TurnError>;
}

/// Runs one turn of an agent, from `prompt.submit` and `turn.start` to `turn.end` and `user.input`.
pub(crate) fn run_turn(
    turn: &TurnContext,
    conversation: &mut Conversation,
    message: &str,
) -> Result<TurnOutput, TurnError> {
    play_turn(turn, conversation, TurnInput::Prompt(message))
}

/// Runs a turn, or the rest of an interrupted one.
pub(crate) fn play_turn(
    turn: &TurnContext,
    conversation: &mut Conversation,
    opening: TurnInput<'_>,
) -> Result<TurnOutput, TurnError> {
    let resumed_from = match &opening {
        TurnInput::Prompt(_) => None,
        TurnInput::Interrupted(rest) => rest.usage_before(),
    };
    let before = resumed_from.unwrap_or_else(|| {
        recording::record_turn_start(turn);
        conversation.usage
    });
    turn.state.transcript.replace(&conversation.messages);
    let (turn, limit) = (turn.clone(), turn.agent.max_iterations);
    let runtime = Arc::clone(&turn.agent.shared.runtime);
    let began_us = runtime.clock().monotonic_us();
    let elapsed_ms = || runtime.clock().monotonic_us().saturating_sub(began_us) / 1_000;
    let mut run = TurnRun { turn, conversation, progress: TurnProgress::default(), usage_before: before, limit };
    let result = run.play(opening, &elapsed_ms);
    let TurnRun { turn, conversation, mut progress, .. } = run;
    turn.report_edits();
    conversation.notes.extend(turn.state.take_persistent());
    match &result {
        Ok(answer) => turn.notify(AgentEvent::TurnEnded { text: &answer.text, usage: answer.usage }),
        Err(fault) => {
            report_error(&turn, fault, progress.iteration);
            if progress.is_open {
                let answer = progress.take_output(String::new(), usage_since(before, conversation.usage));
                let payload = answer.to_payload(turn.scope.logs.take_lines(), elapsed_ms());
                // After a failure its hooks have no answer to change or deny.
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
            TurnInput::Interrupted(rest) => rest.play(self)?,
        };
        self.turn.report_edits();
        let answer = self.progress.take_output(text, usage_since(self.usage_before, self.conversation.usage));
        self.progress.is_open = false;
        let turn = &self.turn;
        let end = answer.to_payload(turn.scope.logs.take_lines(), elapsed_ms());
        let answer = apply_change(answer, lifecycle::end_turn(&mut TurnLife::new(turn), end)?);
        self.progress.text.conclude(&self.turn, &answer.text);
        Ok(answer)
    }

    /// Fires `prompt.submit` and `turn.start`, and adds the message to the conversation.
    pub(crate) fn open_turn(&mut self, message: &str) -> Result<(), TurnError> {
        let message = prompts::submit(&self.turn, message)?;
        self.progress.is_open = true;
        let turn = &self.turn;
        let message = lifecycle::begin_turn(&mut TurnLife::new(turn), message)?;
        turn.notify(AgentEvent::TurnStarted { message: &message });
        self.conversation.push(turn, ModelMessage::user(message));
        Ok(())
    }
}

/// Fires `notification` and `error`. A cancellation by the user is not an error. A denial by a hook is not one either,
/// unless the rules of the agent's system say so.
fn report_error(turn: &TurnContext, error: &TurnError, iteration: u32) {
    let (kind, during, retryable, code) = match error.kind {
        TurnErrorKind::Failed { source: what, event: during, is_retryable: retryable } => {
            (what, during, retryable, None)
        }
        TurnErrorKind::Denied if turn.rules().reports_denials => ("hook", None, false, Some(String::from("blocked"))),
        TurnErrorKind::Denied | TurnErrorKind::Cancelled => return,
    };
    // A provider may repeat the key that it refuses.
    let redacted = turn.agent.shared.runtime.redactor().and_then(|secrets| secrets.redact(&error.message));
    let message = redacted.unwrap_or_else(|| error.message.clone());
    let notice = || Notification {
        kind: String::from("error"),
        level: String::from("error"),
        title: None,
        message: message.clone(),
        host: None,
    };
    let _ = turn.fire_team(notice);
    let payload = ErrorPayload {
        message,
        kind: kind.to_owned(),
        during: during.map_or("", EventKind::name).to_owned(),
        code,
        retryable,
        iteration: (iteration > 0).then_some(iteration),
        host: None,
    };
    let _ = turn.fire(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
}

/// The tokens used between two points.
pub(crate) fn usage_since(before: TokenUsage, usage: TokenUsage) -> TokenUsage {
    TokenUsage::new(
        usage.input_tokens.saturating_sub(before.input_tokens),
        usage.output_tokens.saturating_sub(before.output_tokens),
    )
}
