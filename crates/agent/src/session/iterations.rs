//! The loop of a turn: ask the model, make its tool calls, ask again, until there is an answer.

use std::sync::Arc;

use pintle::event::{ErrorRaised, LimitIterations, ToolCall, ToolResult, TurnStart, Usage};
use pintle::{Event, ExitMode, OnMaxIterations};
use serde_json::Value;

use super::completion::{self, ToolUsage};
use super::{Answer, Conversation, Fault, FaultKind, stop};
use crate::model::{Message, ModelReply, ToolCall as ToolCallAsked};
use crate::observe::Happening;
use crate::tools::{Asked, CallRequest};
use crate::turn::Turn;

/// Tool calls of one message that run at once; the others wait for them.
const MAX_PARALLEL: usize = 8;

/// What is said to a model that stopped without calling `done` (exit modes `done_tool` and `hybrid`).
const CALL_DONE: &str = "Call the `done` tool when you have completed the task.";

/// What is said to a model that may go on once more.
const LAST_CALL: &str = "You have reached the limit of this turn. Give your final answer now, without tools.";

/// How far a turn has come.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) iteration: u32,
    pub(super) continuations: u32,
    pub(super) finish_reason: String,
    pub(super) tool_calls: Vec<ToolCall>,
    pub(super) tool_results: Vec<ToolResult>,
    pub(super) is_done: bool,
}

/// Plays one turn of an agent, from `turn.start` to `turn.end`.
pub(crate) fn run_turn(turn: &Turn, conversation: &mut Conversation, message: &str) -> Result<Answer, Fault> {
    let before = conversation.usage;
    let mut progress = Progress::default();
    let result = play(turn, conversation, &mut progress, message, before);
    conversation.notes.extend(turn.state.take_persistent());
    match &result {
        Ok(answer) => turn.tell(Happening::TurnEnded { text: &answer.text, usage: answer.usage }),
        Err(fault) => {
            raise(turn, fault, progress.iteration);
            turn.tell(Happening::TurnFailed { message: &fault.message });
        }
    }
    result
}

fn play(
    turn: &Turn,
    conversation: &mut Conversation,
    progress: &mut Progress,
    message: &str,
    before: Usage,
) -> Result<Answer, Fault> {
    let clock = turn.agent.shared.runtime.clock();
    let began_us = clock.monotonic_us();
    let outcome = turn.fire(&Event::of(&TurnStart(message.to_owned()), Arc::clone(&turn.origin)));
    if !outcome.is_allowed() {
        return Err(Fault::denied(format!("turn blocked: {}", outcome.reason())));
    }
    let message = outcome.payload.value().as_str().unwrap_or(message).to_owned();
    turn.tell(Happening::TurnStarted { message: &message });
    conversation.messages.push(Message::user(message));

    let text = iterate(turn, conversation, progress, before)?;
    let answer = Answer {
        text,
        tool_calls: std::mem::take(&mut progress.tool_calls),
        tool_results: std::mem::take(&mut progress.tool_results),
        usage: since(before, conversation.usage),
    };
    let elapsed_ms = clock.monotonic_us().saturating_sub(began_us) / 1_000;
    let payload = answer.payload(turn.scope.logs.take(), elapsed_ms);
    let outcome = turn.fire(&Event::of(&payload, Arc::clone(&turn.origin)));
    if !outcome.is_allowed() {
        return Err(Fault::denied(format!("turn blocked: {}", outcome.reason())));
    }
    Ok(if outcome.rewritten { taken_over(answer, outcome.payload.value()) } else { answer })
}

/// Goes around until an answer is accepted.
fn iterate(
    turn: &Turn,
    conversation: &mut Conversation,
    progress: &mut Progress,
    before: Usage,
) -> Result<String, Fault> {
    let mode = turn.agent.spec.exit.mode;
    let needs_done = matches!(mode, ExitMode::DoneTool | ExitMode::Hybrid);
    let mut last_text = String::new();
    loop {
        if progress.iteration >= turn.agent.max_iterations {
            return limit(turn, conversation, progress, last_text);
        }
        let reply = ask(turn, conversation, progress, ToolUsage::Allowed)?;
        let mut candidate = Some(reply.text.clone()).filter(|_| reply.tool_calls.is_empty());
        if !reply.tool_calls.is_empty() {
            call_tools(turn, conversation, progress, &reply);
            if turn.scope.cancel.is_cancelled() {
                return Err(Fault::cancelled());
            }
            // Only a `done` that ran counts: a hook may have blocked it.
            if let Some(summary) = turn.state.take_done() {
                progress.is_done = true;
                candidate = Some(if summary.is_empty() { reply.text.clone() } else { summary });
            }
        }
        if !reply.text.is_empty() {
            last_text = reply.text;
        }
        let Some(text) = candidate else { continue };
        if needs_done && !progress.is_done {
            conversation.messages.push(Message::user(CALL_DONE));
            continue;
        }
        match stop::may_stop(turn, conversation, progress, text, before)? {
            stop::Stop::Accept(text) => return Ok(text),
            stop::Stop::GoOn(message) => {
                progress.continuations += 1;
                progress.is_done = false;
                turn.tell(Happening::SentOn { message: &message });
                conversation.messages.push(Message::user(message));
            }
        }
    }
}

/// Asks the model once more and takes its answer into the conversation.
fn ask(
    turn: &Turn,
    conversation: &mut Conversation,
    progress: &mut Progress,
    tools: ToolUsage,
) -> Result<ModelReply, Fault> {
    progress.iteration += 1;
    let reply = completion::complete(turn, conversation, progress.iteration, tools)?;
    progress.finish_reason.clone_from(&reply.finish_reason);
    if reply.finish_reason == "content_filter" {
        let why = "the provider's content filter cut the answer; ask in another way";
        return Err(Fault::failed("model", why).during("completion.post"));
    }
    if reply.finish_reason == "length" {
        turn.tell(Happening::Notice { message: "the answer was cut at the model's token limit; raise `max_tokens`" });
    }
    conversation.messages.push(reply.to_message());
    Ok(reply)
}

/// Makes the tool calls of one answer. They run at once; their hooks are asked in the order of the calls, before and
/// after, so that neither the conversation nor the tape depends on which one ended first.
fn call_tools(turn: &Turn, conversation: &mut Conversation, progress: &mut Progress, reply: &ModelReply) {
    for calls in reply.tool_calls.chunks(MAX_PARALLEL) {
        let guarded = |call: &ToolCallAsked| {
            Asked::guarded(turn, &CallRequest { id: &call.id, name: &call.name, arguments: &call.arguments })
        };
        let asked: Vec<Asked> = calls.iter().map(guarded).collect();
        std::thread::scope(|threads| {
            let start = |asked| std::thread::Builder::new().spawn_scoped(threads, move || Asked::run(asked, turn));
            let started: Vec<_> = asked.iter().map(start).collect();
            for ((call, asked), thread) in calls.iter().zip(&asked).zip(started) {
                let ran = match thread {
                    // Every call gets a result, else the provider refuses the conversation from here on.
                    Ok(thread) => thread.join().unwrap_or_default(),
                    // No thread to be had: the call waits for its turn here.
                    Err(_) => asked.run(turn),
                };
                let made = asked.reviewed(turn, ran);
                conversation.messages.push(Message::tool(call, made.result.content.clone()));
                progress.tool_calls.push(made.call);
                progress.tool_results.push(made.result);
            }
        });
        conversation.usage = conversation.usage.plus(turn.state.take_spent());
    }
}

/// What happens when the turn has made as many model calls as it may.
fn limit(
    turn: &Turn,
    conversation: &mut Conversation,
    progress: &mut Progress,
    last_text: String,
) -> Result<String, Fault> {
    let limit = turn.agent.max_iterations;
    let choice = turn.agent.spec.exit.on_max_iterations;
    let message = format!("the turn reached its limit of {limit} model calls");
    let action = if choice == OnMaxIterations::ContinueWithWarning { "continue" } else { "stop" };
    let payload = LimitIterations { limit, message: message.clone(), action: action.to_owned() };
    let _ = turn.fire(&Event::of(&payload, Arc::clone(&turn.origin)));
    match choice {
        OnMaxIterations::Error => {
            Err(Fault::failed("limit", format!("{message}; raise `exit_policy.max_iterations`"))
                .during("limit.iterations"))
        }
        OnMaxIterations::WarnAndExit => {
            turn.tell(Happening::Notice { message: &message });
            Ok(last_text)
        }
        OnMaxIterations::ContinueWithWarning => {
            turn.tell(Happening::Notice { message: &message });
            conversation.messages.push(Message::user(LAST_CALL));
            let reply = ask(turn, conversation, progress, ToolUsage::Withheld)?;
            // The model may call tools though it was given none; nothing runs, and each call still has a result.
            for call in &reply.tool_calls {
                conversation.messages.push(Message::tool(call, "not called: the turn is over"));
            }
            Ok(if reply.text.is_empty() { last_text } else { reply.text })
        }
    }
}

/// Tells the hooks of `error` what went wrong. A refusal by a hook or by the person is not an error.
fn raise(turn: &Turn, fault: &Fault, iteration: u32) {
    let FaultKind::Failed { what, during, retryable } = &fault.kind else { return };
    let payload = ErrorRaised {
        message: fault.message.clone(),
        kind: (*what).to_owned(),
        during: (*during).to_owned(),
        code: None,
        retryable: *retryable,
        iteration: (iteration > 0).then_some(iteration),
    };
    let _ = turn.fire(&Event::of(&payload, Arc::clone(&turn.origin)));
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
pub(crate) fn since(before: Usage, now: Usage) -> Usage {
    Usage::new(
        now.input_tokens.saturating_sub(before.input_tokens),
        now.output_tokens.saturating_sub(before.output_tokens),
    )
}
