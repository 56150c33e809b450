//! One iteration: a model call and its tool calls, between `iteration.start` and `iteration.end`.

use pintle_host::event::iteration_end::IterationEndReason;
use pintle_host::event::{IterationEnd, IterationPost, IterationStart};

use super::TurnProgress;
use crate::model::ModelReply;
use crate::turn_context::TurnContext;

/// A running iteration. Dropping it fires `iteration.end`, so that the event follows every `iteration.start` once, even
/// if the turn fails, is cancelled or panics.
pub(super) struct Iteration {
    turn: TurnContext,
    number: u32,
    reason: Option<IterationEndReason>,
}

impl Iteration {
    /// Begins an iteration and fires `iteration.start`.
    pub(super) fn begin(turn: &TurnContext, number: u32) -> Self {
        let _ = turn.has_listener::<IterationStart>().then(|| turn.fire_payload(&IterationStart { iteration: number }));
        Self::resume(turn, number)
    }

    /// Continues an iteration that began in another process.
    pub(super) fn resume(turn: &TurnContext, number: u32) -> Self {
        Self { turn: turn.clone(), number, reason: None }
    }

    /// Ends the iteration.
    pub(super) fn end(mut self, reason: IterationEndReason) {
        self.reason = Some(reason);
    }
}

impl Drop for Iteration {
    fn drop(&mut self) {
        let is_cancelled = self.turn.scope.cancel.is_cancelled();
        let reason = match self.reason {
            // A cancelled turn always ends as cancelled.
            None | Some(IterationEndReason::Normal | IterationEndReason::Continue | IterationEndReason::Error)
                if is_cancelled =>
            {
                IterationEndReason::Cancelled
            }
            None => IterationEndReason::Error,
            Some(reason) => reason,
        };
        let _ = self.turn.fire_if_listened(|| IterationEnd { iteration: self.number, reason });
    }
}

/// Fires `iteration.post`: the model's reply and its tool results are in the conversation, and it is not yet decided
/// whether the turn continues. Reminders of its hooks are in the next request.
pub(super) fn fire_iteration_post(turn: &TurnContext, progress: &TurnProgress, reply: &ModelReply) {
    let _ = turn.fire_if_listened(|| {
        let names: Vec<String> = reply.tool_calls.iter().map(|call| call.name.clone()).collect();
        let from = progress.tool_results.len().saturating_sub(names.len());
        let results = progress.tool_results.get(from..).filter(|_| !names.is_empty()).unwrap_or_default();
        let named = |failed: bool| {
            let wanted = results.iter().filter(|result| result.is_error == failed);
            wanted.map(|result| result.name.clone()).collect()
        };
        let spec = turn.model_spec();
        IterationPost {
            iteration: progress.iteration,
            text: reply.text.clone(),
            has_tool_calls: !names.is_empty(),
            successful_tool_names: named(false),
            rejected_tool_names: named(true),
            tool_names: names,
            available_tool_names: turn.definitions().into_iter().map(|tool| tool.name).collect(),
            tool_results: results.iter().filter_map(|result| serde_json::to_value(result).ok()).collect(),
            provider: spec.map(|model| model.provider.clone()).filter(|provider| !provider.is_empty()),
            model: turn.model().name().to_owned(),
            finish_reason: reply.finish_reason.clone(),
        }
    });
}
