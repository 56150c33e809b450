//! Fires the events after a tool: `tool.result`, `tool.post`, and `file.edited` for every file that the call wrote.

use pintle::Outcome;
use pintle::event::{FileEdited, HostPayload, ToolCall, ToolPost, ToolResult, ToolResultPayload, json_to_text};
use pintle::tools::CanonicalCall;
use serde_json::Value;

use super::HostDispatch;
use crate::{ActionSupport, HostEventData};

/// The canonical tools that change a file.
const WRITERS: [&str; 3] = ["write", "edit", "delete"];

/// Fires the events for the result, once for each part of the call.
pub(super) fn fire(dispatch: &mut HostDispatch<'_>, moment: &HostEventData) {
    let HostEventData::AfterTool { call, response, is_error, duration_ms } = moment else { return };
    let parts = dispatch.tools().to_canonical(&call.name, &call.input);
    let mut said = dispatch.host_payload(Some(call));
    said.response = Some(response.clone());
    let mut after = ResultStage {
        id: &call.id,
        duration_ms: *duration_ms,
        host_payload: said,
        result: response.clone(),
        is_error: *is_error,
        is_changed: false,
    };
    for part in &parts {
        if !after.fire_part(dispatch, part) {
            break;
        }
    }
    let ResultStage { result, is_error, is_changed: changed, .. } = after;
    if changed {
        replace_result(dispatch, result.clone());
    }
    if let (true, ActionSupport::RunEndedInstead(why)) =
        (dispatch.decision.is_denied(), dispatch.event_def.support.deny)
    {
        let reason = dispatch.decision.reason.clone();
        dispatch.state.withheld_results.push((dispatch.event_context.run.clone(), reason.clone()));
        dispatch.end_run(format!("{reason} ({why})"));
    }
    for part in parts {
        if !is_error {
            fire_file_edited(dispatch, &call.id, &part);
        }
        let made = ToolCall::new(call.id.as_str(), part.name.as_str(), part.args);
        let gave = ToolResult::new(call.id.as_str(), part.name, result.clone(), is_error);
        dispatch.state.add_call(made, gave);
    }
}

/// Replaces the tool's result with a changed one. If the host cannot replace it, the run ends before the model uses the
/// result.
fn replace_result(dispatch: &mut HostDispatch<'_>, result: Value) {
    match dispatch.event_def.support.output {
        ActionSupport::RunEndedInstead(reason) => {
            dispatch.state.withheld_results.push((dispatch.event_context.run.clone(), json_to_text(&result)));
            dispatch.end_run(format!("a hook changed the result of a failed tool, but {reason}"));
        }
        _ => dispatch.decision.output = Some(result),
    }
}

/// A tool result while its events are fired.
struct ResultStage<'a> {
    id: &'a str,
    duration_ms: Option<u64>,
    host_payload: HostPayload,
    result: Value,
    is_error: bool,
    is_changed: bool,
}

impl ResultStage<'_> {
    /// Returns whether to continue with the next part.
    fn fire_part(&mut self, dispatch: &mut HostDispatch<'_>, part: &CanonicalCall) -> bool {
        if dispatch.has_listeners("tool.result") {
            let gave = self.to_tool_result(part);
            let error = gave.is_error.then(|| gave.content.clone());
            let ToolResult { call_id, name, content, is_error, result } = gave;
            let outcome = dispatch.fire(&ToolResultPayload {
                call_id,
                name,
                content,
                is_error,
                result,
                error,
                args: Some(part.args.clone()),
                category: part.category.map(str::to_owned),
                permission_mode: dispatch.event_context.permission_mode.clone(),
                host: Some(self.host_payload.clone()),
                ..ToolResultPayload::default()
            });
            if !self.apply_outcome(dispatch, &outcome) {
                return false;
            }
        }
        let mut payload = ToolPost::new(self.to_tool_result(part));
        payload.args = Some(part.args.clone());
        payload.duration_ms = self.duration_ms;
        payload.category = part.category.map(str::to_owned);
        payload.permission_mode.clone_from(&dispatch.event_context.permission_mode);
        payload.host = Some(self.host_payload.clone());
        let outcome = dispatch.fire(&payload);
        self.apply_outcome(dispatch, &outcome)
    }

    fn to_tool_result(&self, part: &CanonicalCall) -> ToolResult {
        ToolResult::new(self.id, part.name.as_str(), self.result.clone(), self.is_error)
    }

    fn apply_outcome(&mut self, dispatch: &mut HostDispatch<'_>, outcome: &Outcome) -> bool {
        if outcome.rewritten {
            if let Some(result) = outcome.payload.field("result").filter(|result| **result != self.result) {
                self.result = result.clone();
                self.is_changed = true;
            }
            self.is_error = outcome.payload.field("is_error").and_then(Value::as_bool).unwrap_or(self.is_error);
        }
        dispatch.apply_outcome(outcome)
    }
}

/// Fires `file.edited` for a file that a call wrote.
fn fire_file_edited(dispatch: &mut HostDispatch<'_>, id: &str, part: &CanonicalCall) {
    if !WRITERS.contains(&part.name.as_str()) || !dispatch.has_listeners("file.edited") {
        return;
    }
    let Some(path) = part.args.get("path").and_then(Value::as_str) else { return };
    let path = std::path::Path::new(&dispatch.event_context.cwd).join(path).display().to_string();
    let payload = FileEdited {
        path,
        operation: part.name.clone(),
        tool: Some(part.name.clone()),
        call_id: Some(id.to_owned()).filter(|id| !id.is_empty()),
        host: Some(dispatch.host_payload(None)),
        ..FileEdited::default()
    };
    let _ = dispatch.fire(&payload);
}
