//! Fires the events after a tool: `tool.result`, `tool.post`, and `file.edited` for every file that the call wrote.

use std::sync::Arc;

use pintle_host::contract::ToolKind;
use pintle_host::event::{FileEdited, ToolCall, ToolPost, ToolResult, json_to_text};
use pintle_host::lifecycle::{ToolCallRequest, ToolResultHost, conclude};
use pintle_host::tools::CanonicalCall;
use pintle_host::{Event, EventKind, Outcome};
use serde_json::Value;

use super::HostDispatch;
use crate::{ActionSupport, HostEventData};

/// Fires the events for the result.
pub(super) fn fire(dispatch: &mut HostDispatch<'_>, data: &mut HostEventData) {
    let HostEventData::AfterTool { call, response, is_error, duration_ms } = data else { return };
    let mut request = dispatch.take_request(call);
    if let Some(host) = &mut request.host {
        host.response = Some(response.clone());
    }
    let result = ToolResult::new(call.id.as_str(), call.name.as_str(), response.clone(), *is_error);
    let mut review = HostResultReview { dispatch, request: &request, duration_ms: *duration_ms, is_changed: false };
    let ToolResult { result, is_error, .. } = conclude(&mut review, result);
    if review.is_changed {
        replace_result(dispatch, result.clone());
    }
    if let (true, ActionSupport::RunEndedInstead(why)) =
        (dispatch.decision.is_denied(), dispatch.event_def.support.deny)
    {
        let reason = dispatch.decision.reason.clone();
        withhold_result(dispatch, reason.clone());
        dispatch.end_run(format!("{reason} ({why})"));
    }
    if !is_error {
        for part in request.parts() {
            fire_file_edited(dispatch, &call.id, &part);
        }
    }
    let made = ToolCall::new(call.id.as_str(), call.name.as_str(), request.args);
    let gave = ToolResult::new(call.id.as_str(), call.name.as_str(), result, is_error);
    dispatch.state.add_call(made, gave);
}

/// Replaces the tool's result with a changed one. If the host cannot replace it, the run ends before the model uses the
/// result.
fn replace_result(dispatch: &mut HostDispatch<'_>, result: Value) {
    match dispatch.event_def.support.output {
        ActionSupport::RunEndedInstead(reason) => {
            withhold_result(dispatch, json_to_text(&result));
            dispatch.end_run(format!("a hook changed this result, but {reason}"));
        }
        _ => dispatch.decision.output = Some(result),
    }
}

/// Keeps what hooks left of a result that the host cannot change.
fn withhold_result(dispatch: &mut HostDispatch<'_>, text: String) {
    let withheld = (dispatch.event_context.run.clone(), text);
    dispatch.state.change_turn(move |state| state.withheld_results.push(withheld.clone()));
}

/// A tool result while its events are fired.
struct HostResultReview<'h, 'a> {
    dispatch: &'h mut HostDispatch<'a>,
    request: &'h ToolCallRequest,
    duration_ms: Option<u64>,
    is_changed: bool,
}

impl ToolResultHost for HostResultReview<'_, '_> {
    fn fire_result(&mut self, result: &ToolResult) -> Option<Outcome> {
        let listens = self.dispatch.has_listeners(EventKind::ToolResult);
        listens.then(|| self.dispatch.fire(&self.request.to_result_payload(result.clone())))
    }

    fn fire_post(&mut self, result: &ToolResult) -> Outcome {
        let payload = ToolPost { duration_ms: self.duration_ms, ..self.request.to_post_payload(result.clone()) };
        self.dispatch.fire_event(&Event::from_payload(&payload, Arc::clone(&self.dispatch.origin)))
    }

    fn take_outcome(&mut self, mut result: ToolResult, outcome: &Outcome) -> (ToolResult, bool) {
        if outcome.rewritten {
            let is_error = outcome.payload.field("is_error").and_then(Value::as_bool).unwrap_or(result.is_error);
            if let Some(changed) = outcome.payload.field("result").filter(|changed| **changed != result.result) {
                self.is_changed = true;
                result = ToolResult::new(result.call_id, result.name, changed.clone(), is_error);
            }
            result.is_error = is_error;
        }
        let goes_on = self.dispatch.apply_outcome(outcome);
        (result, goes_on)
    }
}

/// Fires `file.edited` for a file that a call wrote.
fn fire_file_edited(dispatch: &mut HostDispatch<'_>, id: &str, call: &CanonicalCall) {
    let is_written = matches!(call.kind, ToolKind::Write | ToolKind::Edit | ToolKind::Delete);
    if !is_written || !dispatch.has_listeners(EventKind::FileEdited) {
        return;
    }
    let Some(path) = call.args.get("path").and_then(Value::as_str) else { return };
    let path = std::path::Path::new(&dispatch.event_context.cwd).join(path).display().to_string();
    let payload = FileEdited {
        path,
        operation: call.name.clone(),
        tool: Some(call.name.clone()),
        call_id: Some(id.to_owned()).filter(|id| !id.is_empty()),
        host: Some(dispatch.host_payload()),
        ..FileEdited::default()
    };
    let _ = dispatch.fire(&payload);
}
