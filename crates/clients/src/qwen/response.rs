//! What Qwen Code supports of a decision, and how the decision is written where that differs from Claude Code.

use serde_json::Value;

use crate::claude_code::response as claude;
use crate::host::ActionSupport::{Approximated, DeniedInstead, NotifiesUser, Supported};
use crate::host::{ActionSupport, HookJsonResponse, HostDecision, HostResponse, HostSupport, ResponseContext};

/// The mode in which Qwen Code does not apply a changed call.
const YOLO: &str = "yolo";

pub(super) fn before_tool(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let mode = context.payload.get("permission_mode").and_then(Value::as_str);
    if decision.input.is_some() && !decision.is_denied() && mode == Some(YOLO) {
        let reason = "a hook changed this call, but in yolo mode Qwen Code would run it unchanged";
        return claude::before_tool(context, &decision.denied_instead(reason));
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

/// An event that can only be observed.
pub(super) const TELLS: HostSupport = HostSupport::OBSERVE_ONLY;

pub(super) const SESSION_END: HostSupport = HostSupport { stop: ActionSupport::OVER_TOLD, ..TELLS };

pub(super) const COMPACTED: HostSupport = HostSupport { context: ActionSupport::LATER, ..TELLS };

pub(super) const SESSION_START: HostSupport = HostSupport::SESSION_START;

pub(super) const PROMPT: HostSupport =
    HostSupport::prompt("Qwen Code cannot ask the user about a prompt", "Qwen Code cannot change a prompt");

pub(super) const BEFORE_TOOL: HostSupport = HostSupport {
    rewrite: Approximated("in yolo mode, where Qwen Code ignores a changed call, the call is denied"),
    ..claude::BEFORE_TOOL
};

pub(super) const PERMISSION: HostSupport =
    HostSupport::permission(DeniedInstead("Qwen Code was not observed to change a call that it asks about"));

pub(super) const AFTER_TOOL: HostSupport = HostSupport {
    deny: ActionSupport::REPLACED,
    output: Approximated("the changed result replaces the result, as an error"),
    context: Supported,
    stop: ActionSupport::REPLACED_AND_ENDED,
    ..TELLS
};

pub(super) const FAILED_TOOL: HostSupport =
    HostSupport::failed_tool("Qwen Code cannot change the text of an error, which the model would read next");

pub(super) const BATCH: HostSupport =
    HostSupport { context: Supported, stop: ActionSupport::REPLACED_AND_ENDED, ..TELLS };

pub(super) const SUBAGENT_START: HostSupport = HostSupport { context: ActionSupport::REMINDERS_NOW, ..TELLS };

pub(super) const STOP: HostSupport = HostSupport::stop(
    "Qwen Code cannot ask the user whether an agent may stop",
    "Qwen Code cannot change an answer that the user has already seen",
);

pub(super) const SUBAGENT_STOP: HostSupport = STOP.of_subagent();

const COMPACTS: &str = "Qwen Code compacts whatever hooks return";

pub(super) const COMPACT: HostSupport = HostSupport {
    deny: NotifiesUser(COMPACTS),
    ask: NotifiesUser(COMPACTS),
    output: NotifiesUser("Qwen Code writes the summary itself"),
    context: Supported,
    ..TELLS
};
