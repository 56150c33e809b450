//! Writes decisions in Qwen Code's format, where it differs from Claude Code's.

use serde_json::Value;

use crate::claude_code::response as claude;
use crate::host::{HookJsonResponse, HostDecision, HostResponse, ResponseContext};

/// The mode in which Qwen Code does not apply a changed call.
const YOLO: &str = "yolo";

pub(super) fn before_tool(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let mode = context.payload.get("permission_mode").and_then(Value::as_str);
    if decision.input.is_some() && !decision.is_denied() && mode == Some(YOLO) {
        let reason = "a hook changed this call, but in yolo mode Qwen Code would run it unchanged";
        let notices = decision.notices.clone();
        return claude::before_tool(
            context,
            &HostDecision { notices, stop: decision.stop.clone(), ..HostDecision::deny(reason) },
        );
    }
    claude::before_tool(context, decision)
}

/// After a tool. Ending the run does not end it, but the reason replaces the result; so a hook's text is returned that
/// way. Context next to it is dropped, so it is appended to the reason.
pub(super) fn after_tool(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let replaced = decision.result_replacement_text();
    let output = HookJsonResponse::new(context).with_notice(decision);
    if replaced.is_none() && decision.stop.is_none() {
        return output.with_context(decision).into_response();
    }
    let texts: Vec<String> = [replaced, decision.stop.clone(), decision.context_text()].into_iter().flatten().collect();
    output
        .with_top_field("continue", Some(false))
        .with_top_field("stopReason", Some(texts.join("\n\n")))
        .into_response()
}
