//! The tool calls of one answer of the model.

use super::Conversation;
use super::turn_loop::TurnProgress;
use crate::model::{ModelMessage, ModelReply, ModelToolCall};
use crate::tools::{GuardedCall, ToolCallRequest};
use crate::turn_context::TurnContext;

/// Tool calls of one message that run at once; the others wait for them.
const MAX_PARALLEL: usize = 8;

/// Makes the calls. They run at once; their hooks are asked in the order of the calls, before and after, so that neither
/// the conversation nor the tape depends on which one ended first.
///
/// A hook that ends the run stops the calls that run and spares those that do not yet: each still has a result, else the
/// provider refuses the conversation from here on.
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
                    // No thread to be had: the call waits for its turn here.
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
    let request = ToolCallRequest { id: &call.id, name: &call.name, arguments: &call.arguments };
    if turn.state.is_stopped() { GuardedCall::skip(turn, &request) } else { GuardedCall::guard(turn, &request) }
}
