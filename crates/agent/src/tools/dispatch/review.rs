//! Handles the result of a tool: `tool.result`, then `tool.post`.

use std::sync::Arc;

use pintle_host::event::{ToolPost, ToolResult};
use pintle_host::lifecycle::{ToolResultHost, result_after};
use pintle_host::{Event, Outcome};

use super::target::CallTarget;
use crate::turn_context::TurnContext;

/// The result of one call on its way to the model.
pub(super) struct CallReview<'a> {
    pub(super) turn: &'a TurnContext,
    pub(super) target: &'a CallTarget,
    pub(super) was_run: bool,
    pub(super) duration_ms: Option<u64>,
}

impl ToolResultHost for CallReview<'_> {
    /// The replacement result of a refused call goes the same way as any other.
    fn fire_result(&mut self, result: &ToolResult) -> Option<Outcome> {
        let request = || self.target.to_request(self.turn, &result.call_id);
        self.turn.fire_if_listened(|| request().to_result_payload(result.clone()))
    }

    fn fire_post(&mut self, result: &ToolResult) -> Outcome {
        let payload = ToolPost {
            duration_ms: self.duration_ms,
            executed: (!self.was_run).then_some(false),
            ..self.target.to_request(self.turn, &result.call_id).to_post_payload(result.clone())
        };
        let outcome = self.turn.fire_end(&Event::from_payload(&payload, Arc::clone(&self.turn.origin)));
        // A hook that denies in docker-agent's sense ends the run, but the result stays.
        if let Some(reason) = outcome.stop_reason() {
            self.turn.request_stop(if reason.trim().is_empty() { outcome.denial_text() } else { reason });
        }
        outcome
    }

    fn take_outcome(&mut self, result: ToolResult, outcome: &Outcome) -> (ToolResult, bool) {
        (result_after(result, outcome), true)
    }
}
