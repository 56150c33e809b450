//! The events after a tool.

use pintle_contract::Outcome;
use pintle_contract::event::ToolResult;
use serde_json::Value;

/// A host while it handles the result of one tool call.
pub trait ToolResultHost {
    /// Fires `tool.result`, if any hook listens.
    fn fire_result(&mut self, result: &ToolResult) -> Option<Outcome>;

    /// Fires `tool.post`.
    fn fire_post(&mut self, result: &ToolResult) -> Outcome;

    /// The result after the hooks of one event. Returns the result and whether the next event is fired.
    fn take_outcome(&mut self, result: ToolResult, outcome: &Outcome) -> (ToolResult, bool);
}

/// Shows all hooks the result of a call, and returns what is left of it: `tool.result` may change it before anything
/// else sees it, then `tool.post` sees it.
pub fn conclude<H: ToolResultHost>(host: &mut H, result: ToolResult) -> ToolResult {
    let mut result = result;
    if let Some(outcome) = host.fire_result(&result) {
        let (changed, goes_on) = host.take_outcome(result, &outcome);
        result = changed;
        if !goes_on {
            return result;
        }
    }
    let outcome = host.fire_post(&result);
    host.take_outcome(result, &outcome).0
}

/// The result after the hooks of one event, as the model gets it: what they changed, or why they withhold it.
#[must_use]
pub fn result_after(result: ToolResult, outcome: &Outcome) -> ToolResult {
    if outcome.denies_event() {
        let content = format!("tool result blocked: {}", outcome.reason_for_model());
        return ToolResult::new(result.call_id, result.name, Value::String(content), true);
    }
    if !outcome.rewritten {
        return result;
    }
    let fields = outcome.payload.value();
    let is_error = fields.get("is_error").and_then(Value::as_bool).unwrap_or(result.is_error);
    match fields.get("content").and_then(Value::as_str) {
        Some(content) => ToolResult::from_content(result.call_id, result.name, content, is_error),
        None => ToolResult { is_error, ..result },
    }
}
