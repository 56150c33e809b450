//! The loop of a turn: ask the model, make its tool calls, ask again, until there is an answer.
//!
//! The order within an iteration is that of docker-agent (behaviour, section 1.3), which for agents outside a team comes
//! to the AI Harness order, since nothing else listens: the limit, compaction, steering, `iteration.start`, the model
//! call between `completion.pre` and `completion.post`, the tool calls, the loop detector, a stop that hooks asked for,
//! steering again, and for an answer `agent.stop`, a forced hand-off, steering and one follow-up.

use pintle::ExitMode;
use serde_json::Value;

use super::completion::{self, Completion, ToolUsage};
use super::iteration::{self, Iteration};
use super::iterations::Run;
use super::limit::Limit;
use super::{Fault, batch, prompts, stop};
use crate::compaction::{self, Cause};
use crate::delegation;
use crate::edits::Edits;
use crate::model::{Message, ModelReply};
use crate::observe::Happening;
use crate::persona;
use crate::tools::Done;

/// What is said to a model that stopped without calling `done` (exit modes `done_tool` and `hybrid`).
const CALL_DONE: &str = "Call the `done` tool when you have completed the task.";

/// Forced hand-offs of one turn: two agents that always hand over to each other would go on forever.
const MAX_FORCED_HANDOFFS: u32 = 20;

/// What one iteration came to.
enum Step {
    /// There is more to do. The word is the reason of `iteration.end`.
    On(&'static str),
    /// The answer.
    Done(String),
}

/// Why an iteration, and with it the turn, failed.
struct Halted {
    fault: Fault,
    /// The reason of `iteration.end`.
    reason: &'static str,
}

impl From<Fault> for Halted {
    fn from(fault: Fault) -> Self {
        let reason = fault.iteration_reason();
        Self { fault, reason }
    }
}

/// Ends an iteration. Gives the answer, if that is what it came to.
fn came_to(iteration: Iteration, step: Result<Step, Halted>) -> Result<Option<String>, Fault> {
    match step {
        Ok(Step::On(reason)) => {
            iteration.end(reason);
            Ok(None)
        }
        Ok(Step::Done(text)) => {
            iteration.end("normal");
            Ok(Some(text))
        }
        Err(Halted { fault, reason }) => {
            iteration.end(reason);
            Err(fault)
        }
    }
}

impl Run<'_> {
    /// Goes around until an answer is accepted.
    pub(super) fn iterate(&mut self) -> Result<String, Fault> {
        loop {
            if self.progress.iteration >= self.limit {
                match self.at_limit()? {
                    Limit::Raised => {}
                    Limit::Ended(text) => {
                        self.progress.finish_reason = String::from("max_iterations");
                        return Ok(text);
                    }
                }
            }
            Edits::drain(&self.turn);
            if let Some(cause) = compaction::due(&self.turn, self.conversation) {
                // A conversation that could not be compacted is sent as it is: perhaps it fits all the same.
                let _ = compaction::compact(&self.turn, self.conversation, cause, None)?;
            }
            prompts::steer(&self.turn, self.conversation);
            if self.turn.scope.cancel.is_cancelled() {
                return Err(Fault::cancelled());
            }
            let iteration = Iteration::begin(&self.turn, self.progress.iteration + 1);
            let step = self.step();
            if let Some(text) = came_to(iteration, step)? {
                return Ok(text);
            }
        }
    }

    /// Goes on behind a reply of the model whose calls have been made, in an iteration that has begun. Then as
    /// [`Run::iterate`].
    pub(super) fn iterate_after(&mut self, reply: ModelReply) -> Result<String, Fault> {
        let iteration = Iteration::taken_up(&self.turn, self.progress.iteration);
        let step = self.follow(reply);
        match came_to(iteration, step)? {
            Some(text) => Ok(text),
            None => self.iterate(),
        }
    }

    fn step(&mut self) -> Result<Step, Halted> {
        let reply = match self.ask(ToolUsage::Allowed) {
            Ok(reply) => reply,
            Err(fault) if self.makes_room(&fault)? => return Ok(Step::On("error")),
            Err(fault) => return Err(fault.into()),
        };
        self.progress.has_overflowed = false;
        if !reply.tool_calls.is_empty() {
            if !self.may_be_last(&reply) {
                self.progress.text.release(&self.turn);
            }
            batch::call(&self.turn, self.conversation, &mut self.progress, &reply);
        }
        self.follow(reply)
    }

    /// Whether the text beside a reply's calls may become the answer.
    fn may_be_last(&self, reply: &ModelReply) -> bool {
        self.progress.iteration >= self.limit || reply.tool_calls.iter().any(|call| call.name == Done::NAME)
    }

    /// Does what a reply leads to once its calls have been made.
    fn follow(&mut self, reply: ModelReply) -> Result<Step, Halted> {
        iteration::recorded(&self.turn, &self.progress, &reply);
        let mut candidate = Some(reply.text.clone()).filter(|_| reply.tool_calls.is_empty());
        if !reply.tool_calls.is_empty() {
            candidate = self.after_calls(&reply)?;
        }
        if !reply.text.is_empty() {
            self.progress.last_text = reply.text;
        }
        let Some(text) = candidate else { return self.after_tools() };
        let needs_done = matches!(self.turn.agent.spec.exit.mode, ExitMode::DoneTool | ExitMode::Hybrid);
        if needs_done && !self.progress.is_done {
            self.progress.text.release(&self.turn);
            self.conversation.push(&self.turn, Message::user(CALL_DONE));
            return Ok(Step::On("continue"));
        }
        match stop::may_stop(&self.turn, self.conversation, &mut self.progress, text, self.before)? {
            stop::Stop::Accept(text) => self.after_answer(text),
            stop::Stop::GoOn(message) => {
                self.progress.continuations += 1;
                self.progress.text.discard();
                self.progress.is_done = false;
                self.turn.tell(Happening::SentOn { message: &message });
                self.conversation.push(&self.turn, Message::user(message));
                Ok(Step::On("continue"))
            }
        }
    }

    /// Sees what the calls of a reply came to. Gives the answer, when one of them was a `done` that ran.
    fn after_calls(&mut self, reply: &ModelReply) -> Result<Option<String>, Halted> {
        if self.turn.scope.cancel.is_cancelled() {
            return Err(Fault::cancelled().into());
        }
        let most = self.turn.agent.spec.member.as_ref().map_or(0, |member| member.max_consecutive_tool_calls);
        if let Some(message) = self.progress.loops.take(&reply.tool_calls, most) {
            let fault = Fault::failed("limit", message).during("tool.post");
            return Err(Halted { fault, reason: "loop_detected" });
        }
        if let Some(why) = self.turn.state.take_stop() {
            return Err(Fault::denied(why).into());
        }
        // Only a `done` that ran counts: a hook may have blocked it.
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

    fn after_tools(&mut self) -> Result<Step, Halted> {
        if let Some(agent) = self.turn.state.take_handoff() {
            self.hand_over(&agent, "handoff")?;
        }
        let is_steered = prompts::steer(&self.turn, self.conversation);
        Ok(Step::On(if is_steered { "steered" } else { "continue" }))
    }

    /// An answer is accepted. It is the end of the turn, unless the conversation always goes on with another agent or
    /// the person has said more in the meantime.
    fn after_answer(&mut self, text: String) -> Result<Step, Halted> {
        let member = self.turn.agent.spec.member.as_ref();
        if let Some(next) = member.and_then(|member| member.forced_handoff.clone()) {
            if self.progress.forced_handoffs >= MAX_FORCED_HANDOFFS {
                let why = format!(
                    "agents handed the conversation on {MAX_FORCED_HANDOFFS} times without an end; break the circle of \
                     forced hand-offs"
                );
                return Err(Fault::failed("limit", why).during("agent.switch").into());
            }
            self.progress.forced_handoffs += 1;
            self.progress.text.accept(&self.turn, &text);
            let from = self.turn.agent.spec.name.clone();
            self.hand_over(&next, "forced_handoff")?;
            let said = format!("The agent {from} has answered. Take the conversation over from there.");
            self.conversation.push(&self.turn, Message::user(said));
            return Ok(Step::On("force_handoff"));
        }
        let reason = match () {
            () if prompts::steer(&self.turn, self.conversation) => "steered",
            () if prompts::follow_up(&self.turn, self.conversation) => "continue",
            () => return Ok(Step::Done(text)),
        };
        self.progress.text.accept(&self.turn, &text);
        Ok(Step::On(reason))
    }

    /// Gives the conversation to another member of the team.
    fn hand_over(&mut self, name: &str, kind: &'static str) -> Result<(), Fault> {
        let agent = &self.turn.agent;
        let fault = |why: String| Fault::failed("delegation", why).during("agent.switch");
        let team = agent.shared.team.as_ref();
        let team = team.ok_or_else(|| fault(String::from("this agent is in no team, and can hand nothing over")))?;
        let next = team.beside(agent, name).map_err(fault)?;
        let summary = format!("{} hands the conversation to {name}", agent.spec.name);
        persona::emit(&self.turn, kind, name, &summary, || Value::Null);
        delegation::switched(&self.turn, agent, name, kind);
        self.turn.tell(Happening::Switched { agent: name });
        next.turn.store(self.turn.origin.turn, std::sync::atomic::Ordering::Relaxed);
        self.limit = next.max_iterations;
        self.turn = self.turn.under(&next);
        self.conversation.reminders.handed_over(&self.turn);
        if next.shared.started.contains(name) {
            return Ok(());
        }
        let outcome = super::start_agent(&self.turn, "startup");
        self.conversation.add_notes(self.turn.state.take_persistent());
        match outcome.is_allowed() {
            true => Ok(()),
            false => Err(Fault::denied(format!("session blocked: {}", outcome.reason()))),
        }
    }

    /// Whether a failure was that the conversation is too long for the model, and it is shorter now. Once in a row.
    fn makes_room(&mut self, fault: &Fault) -> Result<bool, Fault> {
        if self.progress.has_overflowed || !compaction::is_overflow(&self.turn, fault) {
            return Ok(false);
        }
        self.progress.has_overflowed = true;
        Ok(compaction::compact(&self.turn, self.conversation, Cause::Overflow, None)?.is_some())
    }

    /// Asks the model once more and takes its answer into the conversation.
    pub(super) fn ask(&mut self, tools: ToolUsage) -> Result<ModelReply, Fault> {
        self.progress.iteration += 1;
        let turn = &self.turn;
        let Completion { reply, streamed } =
            completion::complete(turn, self.conversation, self.progress.iteration, tools)?;
        self.progress.text.take_reply(turn, &reply.text, streamed);
        self.progress.finish_reason.clone_from(&reply.finish_reason);
        if reply.finish_reason == "content_filter" {
            let why = "the provider's content filter cut the answer; ask in another way";
            return Err(Fault::failed("model", why).during("completion.post"));
        }
        if reply.finish_reason == "length" {
            turn.tell(Happening::Notice {
                message: "the answer was cut at the model's token limit; raise `max_tokens`",
            });
        }
        self.conversation.push(turn, reply.to_message());
        if let Err(fault) = turn.within_budget() {
            // Each call still has a result, else the provider refuses the conversation from here on.
            for call in &reply.tool_calls {
                self.conversation.push(turn, Message::tool(call, "not called: the budget is spent"));
            }
            return Err(fault);
        }
        Ok(reply)
    }
}
