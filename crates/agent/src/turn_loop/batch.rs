//! Runs the tool calls of one model answer.

use super::TurnProgress;
use crate::conversation::Conversation;
use crate::model::{ModelMessage, ModelReply, ModelToolCall};
use crate::tools::{GuardedCall, RequestedToolCall};
use crate::turn_context::TurnContext;

/// The maximum number of concurrent tool calls of one message; the others wait.
const MAX_PARALLEL: usize = 8;

/// Runs the calls concurrently. Their hooks are called in the order of the calls, before and after, so that neither the
/// conversation nor the tape depends on which call ended first.
///
/// A hook that ends the run stops the running calls and skips the others. Each call still gets a result, because
/// without one the provider would reject the conversation.
pub(super) fn call_batch(
    turn: &TurnContext,
    conversation: &mut Conversation,
    progress: &mut TurnProgress,
    reply: &ModelReply,
) {
    let part = turn.child();
    for calls in reply.tool_calls.chunks(MAX_PARALLEL) {
        let asked: Vec<GuardedCall> = calls.iter().map(|call| guard_call(turn, call)).collect();
        std::thread::scope(|threads| {
            let part = &part;
            let start =
                |asked| std::thread::Builder::new().spawn_scoped(threads, move || GuardedCall::run(asked, part));
            let started: Vec<_> = asked.iter().map(start).collect();
            for ((call, asked), thread) in calls.iter().zip(&asked).zip(started) {
                let ran = match thread {
                    Ok(thread) => thread.join().unwrap_or_default(),
                    // If no thread can be started, the call runs on this one.
                    Err(_) => asked.run(part),
                };
                let made = asked.review(turn, ran);
                if turn.state.is_stopped() {
                    part.scope.cancel.cancel();
                }
                conversation.push(turn, ModelMessage::tool(call, made.result.content.clone()));
                progress.tool_calls.push(made.call);
                progress.tool_results.push(made.result);
            }
        });
        conversation.usage = conversation.usage.plus(turn.state.take_usage());
    }
}

fn guard_call(turn: &TurnContext, call: &ModelToolCall) -> GuardedCall {
    let request = RequestedToolCall { id: &call.id, name: &call.name, arguments: &call.arguments };
    if turn.state.is_stopped() { GuardedCall::skip(turn, &request) } else { GuardedCall::guard(turn, &request) }
}
