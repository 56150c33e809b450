//! Runs the tool calls of one model answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, Builder};

use super::TurnProgress;
use crate::conversation::Conversation;
use crate::model::{ModelMessage, ModelReply, ModelToolCall};
use crate::tools::{CheckedCall, FinishedCall, RequestedToolCall};
use crate::turn_context::{BatchOrder, CallPhase, TurnContext};

/// The maximum number of concurrent tool calls of one message; the others wait.
const MAX_PARALLEL: usize = 8;

/// Runs the calls concurrently, each its whole way from its checks to its last event. Neither the conversation nor the
/// hooks' records and effects depend on which call ended first; see [`BatchOrder`].
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
    let mut rest = reply.tool_calls.as_slice();
    while !rest.is_empty() {
        let finished = run_at_once(&part, rest.get(..MAX_PARALLEL).unwrap_or(rest), &mut |call, finished| {
            finished.report(turn);
            conversation.push(turn, ModelMessage::tool(call, finished.result.content.clone()));
            progress.tool_calls.push(finished.call);
            progress.tool_results.push(finished.result);
        });
        rest = rest.get(finished..).unwrap_or_default();
        conversation.usage = conversation.usage.plus(turn.state.take_usage());
    }
}

/// Runs calls at once and passes on their results in the order of the calls. Returns how many calls it ran: if no more
/// threads can be started, fewer than given, but at least one.
fn run_at_once(
    context: &TurnContext,
    calls: &[ModelToolCall],
    conclude: &mut dyn FnMut(&ModelToolCall, FinishedCall),
) -> usize {
    let order = BatchOrder::new(context, calls.len());
    thread::scope(|threads| {
        let order = &order;
        let start =
            |(index, call)| Builder::new().spawn_scoped(threads, move || run_call(context, order, index, call)).ok();
        let started: Vec<_> = calls.iter().enumerate().map_while(start).collect();
        let count = started.len().max(1);
        order.limit_to(count);
        let mut started = started.into_iter();
        for (index, call) in calls.iter().enumerate().take(count) {
            let made = match started.next() {
                Some(thread) => thread.join(),
                // If no thread can be started, the call runs on this one.
                None => catch_unwind(AssertUnwindSafe(|| run_call(context, order, index, call))),
            };
            let reviewing = order.open(CallPhase::Review, index);
            reviewing.wait();
            let finished = match made {
                Ok((finished, reviewed)) => {
                    reviewed.await_turn();
                    finished
                }
                Err(_) => FinishedCall::from_crash(context, &to_request(call)),
            };
            conclude(call, finished);
        }
        count
    })
}

fn to_request(call: &ModelToolCall) -> RequestedToolCall<'_> {
    RequestedToolCall { id: &call.id, name: &call.name, arguments: &call.arguments }
}

/// Runs one call. Returns its end and the context of its last events, whose records may be held back.
fn run_call(
    context: &TurnContext,
    order: &Arc<BatchOrder>,
    index: usize,
    call: &ModelToolCall,
) -> (FinishedCall, TurnContext) {
    let starting = order.checks_in_order().then(|| order.open(CallPhase::Start, index));
    let checking = order.open(CallPhase::Check, index);
    let turn = context.in_phase(checking.position());
    let call = CheckedCall::check(&turn, &to_request(call));
    turn.await_turn();
    let call = match starting {
        // The record of the tool's start follows those of its checks.
        None => {
            let call = call.start(context);
            drop(checking);
            call
        }
        Some(starting) => {
            drop(checking);
            starting.wait();
            call.start(context)
        }
    };
    let ran = catch_unwind(AssertUnwindSafe(|| call.run(context))).unwrap_or_default();
    let turn = context.in_phase(&order.position(CallPhase::Review, index));
    let finished = call.review(&turn, ran);
    if context.state.is_stopped() {
        context.scope.cancel.cancel();
    }
    (finished, turn)
}
