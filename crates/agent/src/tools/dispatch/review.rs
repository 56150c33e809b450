//! Handles the result of a tool: `tool.result`, then `tool.post`.

use std::sync::Arc;

use pintle::event::{ToolPost, ToolResult, ToolResultPayload};
use pintle::{Event, Outcome};
use serde_json::Value;

use super::target::{CallFacts, CallTarget};
use crate::turn_context::TurnContext;

/// Fires `tool.result` before anything else sees the result. The replacement result of a refused call goes the same
/// way.
pub(super) fn transform_result(turn: &TurnContext, target: &CallTarget, result: ToolResult) -> ToolResult {
    let payload = || {
        let CallFacts { category, read_only, permission_mode } = target.call_facts(turn);
        let ToolResult { call_id, name, content, is_error, result } = result.clone();
        let error = is_error.then(|| content.clone());
        let args = Some(target.args.clone());
        let partial = false;
        ToolResultPayload {
            call_id,
            name,
            content,
            is_error,
            result,
            error,
            args,
            partial,
            category,
            read_only,
            permission_mode,
            host: None,
        }
    };
    match turn.fire_team_end(payload) {
        Some(outcome) => apply_rewrite(result, outcome),
        None => result,
    }
}

/// Fires `tool.post` with the result. A hook that denies in docker-agent's sense ends the run, but the result stays.
pub(super) fn finish_call(
    turn: &TurnContext,
    target: &CallTarget,
    result: ToolResult,
    (was_run, duration_ms): (bool, Option<u64>),
) -> ToolResult {
    let CallFacts { category, read_only, permission_mode } = target.call_facts(turn);
    let mut payload = ToolPost::new(result.clone());
    payload.args = Some(target.args.clone());
    payload.duration_ms = duration_ms;
    payload.executed = (!was_run).then_some(false);
    payload.category = category;
    payload.read_only = read_only;
    payload.permission_mode = permission_mode;
    let outcome = turn.fire_end(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
    if let Some(reason) = outcome.stop_reason() {
        let reason = if reason.trim().is_empty() { String::from("Agent terminated by a hook.") } else { reason };
        turn.state.request_stop(reason);
    }
    apply_rewrite(result, outcome)
}

/// The result after the rewrites of hooks.
fn apply_rewrite(result: ToolResult, outcome: Outcome) -> ToolResult {
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
