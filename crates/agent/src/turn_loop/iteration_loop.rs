//! The loop of a turn: calls the model, runs its tool calls and calls it again, until there is an answer.
//!
//! The order within an iteration is docker-agent's: the limit, compaction, steering, `iteration.start`, the model call
//! between `completion.pre` and `completion.post`, the tool calls, the loop detector, a stop that hooks requested,
//! steering again, and for an answer `agent.stop`, a forced hand-off, steering and one follow-up. For agents outside a
//! team this equals the AI Harness order, since no hook listens to the other events.

use pintle_host::EventKind;
use pintle_host::contract::ExitMode;
use pintle_host::event::iteration_end::IterationEndReason;
use serde_json::Value;

use super::iteration::{self, Iteration};
use super::limit::LimitResult;
use super::{TurnRun, batch, prompts, stop};
use crate::compaction::{self, CompactionTrigger};
use crate::completion::{self, ReviewedReply, ToolChoice};
use crate::handoff_events::{emit_handoff, fire_agent_switch};
use crate::model::{ModelMessage, ModelReply};
use crate::observer::AgentEvent;
use crate::session_events::fire_session_start;
use crate::tools::DoneTool;
use crate::turn_error::TurnError;

/// The message to a model that stopped without calling `done` (exit modes `done_tool` and `hybrid`).
const CALL_DONE: &str = "Call the `done` tool when you have completed the task.";

/// The maximum number of forced hand-offs in one turn: two agents that hand over to each other would never stop.
const MAX_FORCED_HANDOFFS: u32 = 20;

/// The result of one iteration.
enum IterationResult {
    /// The turn continues. The value is the reason of `iteration.end`.
    Continue(IterationEndReason),
    /// The answer.
    Done(String),
}

/// The error of an iteration, which also fails the turn.
struct IterationError {
    error: TurnError,
    /// The reason of `iteration.end`.
    reason: IterationEndReason,
}

impl From<TurnError> for IterationError {
    fn from(error: TurnError) -> Self {
        let reason = error.iteration_reason();
        Self { error, reason }
    }
}

/// Ends an iteration. Returns the answer, if there is one.
fn finish_iteration(
    iteration: Iteration,
    step: Result<IterationResult, IterationError>,
) -> Result<Option<String>, TurnError> {
    match step {
        Ok(IterationResult::Continue(reason)) => {
            iteration.end(reason);
            Ok(None)
        }
        Ok(IterationResult::Done(text)) => {
            iteration.end(IterationEndReason::Normal);
            Ok(Some(text))
        }
        Err(IterationError { error: fault, reason }) => {
            iteration.end(reason);
            Err(fault)
        }
    }
}

impl TurnRun<'_> {
    /// Runs iterations until an answer is accepted.
    pub(crate) fn iterate(&mut self) -> Result<String, TurnError> {
        loop {
            if self.progress.iteration >= self.limit {
                match self.handle_limit()? {
                    LimitResult::Raised => {}
                    LimitResult::Ended(text) => {
                        self.progress.finish_reason = String::from("max_iterations");
                        return Ok(text);
                    }
                }
            }
            self.turn.report_edits();
            if let Some(cause) = compaction::check_trigger(&self.turn, self.conversation) {
                // A conversation that could not be compacted is sent unchanged: it may still fit.
                let _ = compaction::compact(&self.turn, self.conversation, cause, None)?;
            }
            prompts::take_steering(&self.turn, self.conversation);
            if self.turn.scope.cancel.is_cancelled() {
                return Err(TurnError::cancelled());
            }
            let iteration = Iteration::begin(&self.turn, self.progress.iteration + 1);
            let step = self.run_iteration();
            if let Some(text) = finish_iteration(iteration, step)? {
                return Ok(text);
            }
        }
    }

    /// Continues an interrupted iteration after the calls of its reply, then like [`TurnRun::iterate`].
    pub(crate) fn iterate_after(&mut self, reply: ModelReply) -> Result<String, TurnError> {
        let iteration = Iteration::resume(&self.turn, self.progress.iteration);
        let step = self.handle_reply(reply);
        match finish_iteration(iteration, step)? {
            Some(text) => Ok(text),
            None => self.iterate(),
        }
    }

    fn run_iteration(&mut self) -> Result<IterationResult, IterationError> {
        let reply = match self.request_reply(ToolChoice::Allowed) {
            Ok(reply) => reply,
            Err(error) if self.try_compaction(&error)? => {
                return Ok(IterationResult::Continue(IterationEndReason::Error));
            }
            Err(error) => return Err(error.into()),
        };
        self.progress.has_overflowed = false;
        if !reply.tool_calls.is_empty() {
            if !self.can_be_answer(&reply) {
                self.progress.text.release(&self.turn);
            }
            batch::call_batch(&self.turn, self.conversation, &mut self.progress, &reply);
        }
        self.handle_reply(reply)
    }

    /// Whether the text of a reply with calls may become the answer.
    fn can_be_answer(&self, reply: &ModelReply) -> bool {
        self.progress.iteration >= self.limit || reply.tool_calls.iter().any(|call| call.name == DoneTool::NAME)
    }

    /// Decides how to continue after a reply and its calls.
    fn handle_reply(&mut self, reply: ModelReply) -> Result<IterationResult, IterationError> {
        iteration::fire_iteration_post(&self.turn, &self.progress, &reply);
        let mut candidate = Some(reply.text.clone()).filter(|_| reply.tool_calls.is_empty());
        if !reply.tool_calls.is_empty() {
            candidate = self.collect_answer(&reply)?;
        }
        if !reply.text.is_empty() {
            self.progress.last_text = reply.text;
        }
        let Some(text) = candidate else { return self.continue_after_tools() };
        let needs_done = matches!(self.turn.agent.spec.exit.mode, ExitMode::DoneTool | ExitMode::Hybrid);
        if needs_done && !self.progress.is_done {
            self.progress.text.release(&self.turn);
            self.conversation.push(&self.turn, ModelMessage::user(CALL_DONE));
            return Ok(IterationResult::Continue(IterationEndReason::Continue));
        }
        match stop::check_stop(&self.turn, self.conversation, &mut self.progress, text, self.usage_before)? {
            stop::StopDecision::Accept(text) => self.finish_with_answer(text),
            stop::StopDecision::Continue(message) => {
                self.progress.continuations += 1;
                self.progress.text.discard();
                self.progress.is_done = false;
                self.turn.notify(AgentEvent::Continued { message: &message });
                self.conversation.push(&self.turn, ModelMessage::user(message));
                Ok(IterationResult::Continue(IterationEndReason::Continue))
            }
        }
    }

    /// Examines the results of a reply's calls. Returns the answer if one of them was a successful `done`.
    fn collect_answer(&mut self, reply: &ModelReply) -> Result<Option<String>, IterationError> {
        if self.turn.scope.cancel.is_cancelled() {
            return Err(TurnError::cancelled().into());
        }
        let most = self.turn.agent.spec.exit.max_consecutive_tool_calls;
        if let Some(message) = self.progress.loops.record_batch(&reply.tool_calls, most) {
            let fault = TurnError::failed("limit", message).with_event(EventKind::ToolPost);
            return Err(IterationError { error: fault, reason: IterationEndReason::Loop });
        }
        if let Some(why) = self.turn.state.take_stop() {
            return Err(TurnError::denied(why).into());
        }
        // Only a `done` that ran counts, because a hook may have blocked it.
        let done = self.turn.state.take_done();
        self.progress.is_done |= done.is_some();
        if done.as_ref().is_some_and(String::is_empty) {
            return Ok(Some(reply.text.clone()));
        }
        if done.is_some() || self.progress.iteration < self.limit {
            self.progress.text.release(&self.turn);
        }
        Ok(done)
    }

    fn continue_after_tools(&mut self) -> Result<IterationResult, IterationError> {
        if let Some(agent) = self.turn.state.take_handoff() {
            self.hand_over(&agent, "handoff")?;
        }
        let is_steered = prompts::take_steering(&self.turn, self.conversation);
        Ok(IterationResult::Continue(if is_steered {
            IterationEndReason::Steered
        } else {
            IterationEndReason::Continue
        }))
    }

    /// Handles an accepted answer. It ends the turn, unless the conversation is always handed to another agent or the
    /// user has sent another message meanwhile.
    fn finish_with_answer(&mut self, text: String) -> Result<IterationResult, IterationError> {
        let member = self.turn.agent.spec.member.as_ref();
        if let Some(next) = member.and_then(|member| member.forced_handoff.clone()) {
            if self.progress.forced_handoffs >= MAX_FORCED_HANDOFFS {
                let why = format!(
                    "agents handed the conversation on {MAX_FORCED_HANDOFFS} times without ending; remove the cycle of \
                     forced hand-offs"
                );
                return Err(TurnError::failed("limit", why).with_event(EventKind::AgentSwitch).into());
            }
            self.progress.forced_handoffs += 1;
            self.progress.text.accept(&self.turn, &text);
            let from = self.turn.agent.spec.name.clone();
            self.hand_over(&next, "forced_handoff")?;
            let said = format!("The agent {from} has answered. Continue the conversation from there.");
            self.conversation.push(&self.turn, ModelMessage::user(said));
            return Ok(IterationResult::Continue(IterationEndReason::ForcedHandoff));
        }
        let reason = match () {
            () if prompts::take_steering(&self.turn, self.conversation) => IterationEndReason::Steered,
            () if prompts::take_follow_up(&self.turn, self.conversation) => IterationEndReason::Continue,
            () => return Ok(IterationResult::Done(text)),
        };
        self.progress.text.accept(&self.turn, &text);
        Ok(IterationResult::Continue(reason))
    }

    /// Hands the conversation over to another member of the team.
    fn hand_over(&mut self, name: &str, kind: &'static str) -> Result<(), TurnError> {
        let agent = &self.turn.agent;
        let error = |reason: String| TurnError::failed("delegation", reason).with_event(EventKind::AgentSwitch);
        let team = agent.shared.team.as_ref();
        let team = team.ok_or_else(|| error(String::from("this agent is not part of a team and cannot hand over")))?;
        let next = team.as_successor(agent, name).map_err(error)?;
        let summary = format!("{} hands the conversation to {name}", agent.spec.name);
        emit_handoff(&self.turn, kind, name, &summary, || Value::Null);
        fire_agent_switch(&self.turn, agent, name, kind);
        self.turn.notify(AgentEvent::AgentSwitched { agent: name });
        next.turn.store(self.turn.origin.turn, std::sync::atomic::Ordering::Relaxed);
        self.limit = next.max_iterations;
        self.turn = self.turn.with_agent(&next);
        self.turn.change_reminders(&self.conversation.reminders, |held| held.on_handoff());
        if next.shared.state.started_agents.contains(name) {
            return Ok(());
        }
        let outcome = fire_session_start(&self.turn, "startup");
        self.conversation.add_notes(self.turn.state.take_persistent());
        match outcome.is_allowed() {
            true => Ok(()),
            false => Err(TurnError::blocked("session", &outcome)),
        }
    }

    /// Compacts the conversation if the model rejected it as too long. Returns whether to retry. Done once in a row.
    fn try_compaction(&mut self, error: &TurnError) -> Result<bool, TurnError> {
        if self.progress.has_overflowed || !compaction::is_overflow(&self.turn, error) {
            return Ok(false);
        }
        self.progress.has_overflowed = true;
        Ok(compaction::compact(&self.turn, self.conversation, CompactionTrigger::Overflow, None)?.is_some())
    }

    /// Calls the model once and adds its reply to the conversation.
    pub(crate) fn request_reply(&mut self, tools: ToolChoice) -> Result<ModelReply, TurnError> {
        self.progress.iteration += 1;
        let turn = &self.turn;
        let ReviewedReply { reply, streamed } =
            completion::complete(turn, self.conversation, self.progress.iteration, tools)?;
        self.progress.text.take_reply(turn, &reply.text, streamed);
        self.progress.finish_reason.clone_from(&reply.finish_reason);
        if reply.finish_reason == "content_filter" {
            let reason = "the provider's content filter cut the answer off; rephrase the message";
            return Err(TurnError::failed("model", reason).with_event(EventKind::CompletionPost));
        }
        if reply.finish_reason == "length" {
            turn.notify(AgentEvent::Notice {
                message: "the answer was cut off at the model's token limit; raise `max_tokens`",
            });
        }
        self.conversation.push(turn, reply.to_message());
        if let Err(error) = turn.check_budgets() {
            // Without a result for each call the provider would reject the conversation.
            for call in &reply.tool_calls {
                self.conversation.push(turn, ModelMessage::tool(call, "not called: the budget is exhausted"));
            }
            return Err(error);
        }
        Ok(reply)
    }
}
