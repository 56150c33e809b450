//! Rulings in Qwen Code's terms, where they are not Claude Code's.

use serde_json::Value;

use crate::hosts::claude::answer as claude;
use crate::hosts::hook_json::Output;
use crate::{Answer, Asked, Ruling};

/// The mode in which Qwen Code does not apply a changed call.
const YOLO: &str = "yolo";

/// Before a tool.
pub(super) fn before_tool(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let mode = asked.payload.get("permission_mode").and_then(Value::as_str);
    if ruling.input.is_some() && !ruling.is_denied() && mode == Some(YOLO) {
        let reason = "a hook changed this call, and in yolo mode Qwen Code would run it unchanged";
        let notices = ruling.notices.clone();
        return claude::before_tool(asked, &Ruling { notices, stop: ruling.stop.clone(), ..Ruling::deny(reason) });
    }
    claude::before_tool(asked, ruling)
}

/// After a tool: a result that the model must not see ends the run, since nothing that a hook says takes its place.
pub(super) fn after_tool(asked: &Asked<'_>, ruling: &Ruling) -> Answer {
    let withheld = if ruling.is_denied() {
        Some(ruling.reason.clone())
    } else {
        ruling
            .output
            .as_ref()
            .map(|_| String::from("a hook changed the result, which Qwen Code would hand on unchanged"))
    };
    let ended = ruling.stop.clone().or_else(|| withheld.clone());
    Output::new(asked)
        .top("continue", ended.as_ref().map(|_| false))
        .top("stopReason", ended)
        .top("systemMessage", ruling.notice_text())
        .top("decision", withheld.as_ref().map(|_| "block"))
        .top("reason", withheld)
        .specific("additionalContext", ruling.context_text())
        .answer()
}
