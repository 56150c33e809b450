//! After a tool: `tool.result`, `tool.post`, and `file.edited` for every file that the call wrote.

use pintle::Outcome;
use pintle::dialects::tools::CanonicalCall;
use pintle::event::{FileEdited, HostPayload, ToolCall, ToolPost, ToolResult, ToolResultPayload, json_to_text};
use serde_json::Value;

use super::Hearing;
use crate::{Ability, Moment};

/// What the canonical tools that change a file do to it.
const WRITERS: [&str; 3] = ["write", "edit", "delete"];

/// Shows the result to the hooks, once for each part of the call.
pub(super) fn hear(hearing: &mut Hearing<'_>, moment: &Moment) {
    let Moment::AfterTool { call, response, is_error, duration_ms } = moment else { return };
    let parts = hearing.tools().to_canonical(&call.name, &call.input);
    let mut said = hearing.said(Some(call));
    said.response = Some(response.clone());
    let mut after = After {
        id: &call.id,
        duration_ms: *duration_ms,
        said,
        result: response.clone(),
        is_error: *is_error,
        changed: false,
    };
    for part in &parts {
        if !after.review(hearing, part) {
            break;
        }
    }
    let After { result, is_error, changed, .. } = after;
    if changed {
        withhold(hearing, result.clone());
    }
    if let (true, Ability::Ends(why)) = (hearing.ruling.is_denied(), hearing.row.can.deny) {
        let reason = hearing.ruling.reason.clone();
        hearing.state.withheld.push((hearing.whose.run.clone(), reason.clone()));
        hearing.end(format!("{reason} ({why})"));
    }
    for part in parts {
        if !is_error {
            edited(hearing, &call.id, &part);
        }
        let made = ToolCall::new(call.id.as_str(), part.name.as_str(), part.args);
        let gave = ToolResult::new(call.id.as_str(), part.name, result.clone(), is_error);
        hearing.state.keep_call(made, gave);
    }
}

/// Puts a changed result in the place of what a tool gave. Where the host cannot, the run ends before anything is made of
/// it.
fn withhold(hearing: &mut Hearing<'_>, result: Value) {
    match hearing.row.can.output {
        Ability::Ends(why) => {
            hearing.state.withheld.push((hearing.whose.run.clone(), json_to_text(&result)));
            hearing.end(format!("a hook changed what a failed tool gave, and {why}"));
        }
        _ => hearing.ruling.output = Some(result),
    }
}

/// A result on its way past everybody.
struct After<'a> {
    id: &'a str,
    duration_ms: Option<u64>,
    said: HostPayload,
    result: Value,
    is_error: bool,
    changed: bool,
}

impl After<'_> {
    /// Gives whether the next part's hooks are asked.
    fn review(&mut self, hearing: &mut Hearing<'_>, part: &CanonicalCall) -> bool {
        if hearing.listens("tool.result") {
            let gave = self.gave(part);
            let error = gave.is_error.then(|| gave.content.clone());
            let ToolResult { call_id, name, content, is_error, result } = gave;
            let outcome = hearing.fire(&ToolResultPayload {
                call_id,
                name,
                content,
                is_error,
                result,
                error,
                args: Some(part.args.clone()),
                category: part.category.map(str::to_owned),
                permission_mode: hearing.whose.permission_mode.clone(),
                host: Some(self.said.clone()),
                ..ToolResultPayload::default()
            });
            if !self.take(hearing, &outcome) {
                return false;
            }
        }
        let mut payload = ToolPost::new(self.gave(part));
        payload.args = Some(part.args.clone());
        payload.duration_ms = self.duration_ms;
        payload.category = part.category.map(str::to_owned);
        payload.permission_mode.clone_from(&hearing.whose.permission_mode);
        payload.host = Some(self.said.clone());
        let outcome = hearing.fire(&payload);
        self.take(hearing, &outcome)
    }

    fn gave(&self, part: &CanonicalCall) -> ToolResult {
        ToolResult::new(self.id, part.name.as_str(), self.result.clone(), self.is_error)
    }

    fn take(&mut self, hearing: &mut Hearing<'_>, outcome: &Outcome) -> bool {
        if outcome.rewritten {
            if let Some(result) = outcome.payload.field("result").filter(|result| **result != self.result) {
                self.result = result.clone();
                self.changed = true;
            }
            self.is_error = outcome.payload.field("is_error").and_then(Value::as_bool).unwrap_or(self.is_error);
        }
        hearing.settle(outcome)
    }
}

/// Tells the hooks of `file.edited` of a file that a call wrote.
fn edited(hearing: &mut Hearing<'_>, id: &str, part: &CanonicalCall) {
    if !WRITERS.contains(&part.name.as_str()) || !hearing.listens("file.edited") {
        return;
    }
    let Some(path) = part.args.get("path").and_then(Value::as_str) else { return };
    let path = std::path::Path::new(&hearing.whose.cwd).join(path).display().to_string();
    let payload = FileEdited {
        path,
        operation: part.name.clone(),
        tool: Some(part.name.clone()),
        call_id: Some(id.to_owned()).filter(|id| !id.is_empty()),
        host: Some(hearing.said(None)),
        ..FileEdited::default()
    };
    let _ = hearing.fire(&payload);
}
