//! Writes decisions in Qwen Code's format, where it differs from Claude Code's.

use serde_json::Value;

use crate::claude_code::response as claude;
use crate::host::{HookJsonResponse, HostDecision, HostResponse, ResponseContext};

/// The mode in which Qwen Code does not apply a changed call.
const YOLO: &str = "yolo";

pub(super) fn before_tool(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let mode = asked.payload.get("permission_mode").and_then(Value::as_str);
    if ruling.input.is_some() && !ruling.is_denied() && mode == Some(YOLO) {
        let reason = "a hook changed this call, but in yolo mode Qwen Code would run it unchanged";
        let notices = ruling.notices.clone();
        return claude::before_tool(
            asked,
            &HostDecision { notices, stop: ruling.stop.clone(), ..HostDecision::deny(reason) },
        );
    }
    claude::before_tool(asked, ruling)
}

/// After a tool. Ending the run does not end it, but the reason replaces the result; so a hook's text is returned that
/// way. Context next to it is dropped, so it is appended to the reason.
pub(super) fn after_tool(asked: &ResponseContext<'_>, ruling: &HostDecision) -> HostResponse {
    let replaced = ruling.result_replacement_text();
    let output = HookJsonResponse::new(asked).with_notice(ruling);
    if replaced.is_none() && ruling.stop.is_none() {
        return output.with_context(ruling).into_response();
    }
    let texts: Vec<String> = [replaced, ruling.stop.clone(), ruling.context_text()].into_iter().flatten().collect();
    output
        .with_top_field("continue", Some(false))
        .with_top_field("stopReason", Some(texts.join("\n\n")))
        .into_response()
}
