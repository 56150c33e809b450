//! What Gemini CLI supports of a decision, and how the decision is written.

use serde_json::Value;

use crate::claude_code::response::{add_context, notice, start_response};
use crate::host::ActionSupport::{Approximated, DeniedInstead, Dropped, NotifiesUser, Supported};
use crate::host::{ActionSupport, HostDecision, HostResponse, HostSupport, ResponseContext};

fn deny_with_reason(context: &ResponseContext<'_>, decision: &HostDecision, reason: &str) -> HostResponse {
    start_response(context, decision)
        .with_top_field("decision", Some("deny"))
        .with_top_field("reason", Some(reason))
        .into_denial(reason)
}

/// An event that supports only denials.
pub(super) fn deny_only(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    if decision.is_denied() { deny_with_reason(context, decision, &decision.reason) } else { notice(context, decision) }
}

pub(super) fn prompt(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    if decision.is_denied() {
        deny_with_reason(context, decision, &decision.reason)
    } else {
        add_context(context, decision)
    }
}

/// Before a tool. Gemini CLI merges the changed input into its own, so an argument that a hook removed would stay.
pub(super) fn before_tool(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    if decision.is_denied() {
        return deny_with_reason(context, decision, &decision.reason);
    }
    if let Some(argument) = decision.input.as_ref().and_then(|input| removed_argument(context.payload, input)) {
        let reason = format!("a hook removed the argument `{argument}`, which Gemini CLI does not support");
        return deny_with_reason(context, decision, &reason);
    }
    start_response(context, decision).with_event_field("tool_input", decision.input.clone()).into_response()
}

/// An argument that the changed input no longer has.
fn removed_argument<'a>(payload: &'a Value, input: &Value) -> Option<&'a str> {
    let before = payload.get("tool_input").and_then(Value::as_object)?;
    before.keys().find(|key| input.get(key.as_str()).is_none()).map(String::as_str)
}

/// After a tool: the reason of a denial replaces the result. The status is 0, since the tool did run.
pub(super) fn after_tool(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let replaced = decision.result_replacement_text();
    start_response(context, decision)
        .with_top_field("decision", replaced.as_ref().map(|_| "deny"))
        .with_top_field("reason", replaced)
        .with_context(decision)
        .into_response()
}

/// The agent is about to stop: a denial makes it continue.
pub(super) fn stop(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    if decision.is_denied() && decision.stop.is_none() {
        deny_with_reason(context, decision, &decision.reason)
    } else {
        notice(context, decision)
    }
}

const NO_ASK: &str = "Gemini CLI waits forever for an answer if no user is present";

/// An event that can only be observed.
pub(super) const TELLS: HostSupport = HostSupport::OBSERVE_ONLY;

pub(super) const SESSION_END: HostSupport = HostSupport { stop: ActionSupport::OVER_TOLD, ..TELLS };

/// An event that can only be observed, and whose hooks may return context.
pub(super) const TELLS_LATER: HostSupport = HostSupport { context: ActionSupport::LATER, ..TELLS };

pub(super) const SESSION_START: HostSupport = HostSupport::SESSION_START;

pub(super) const PROMPT: HostSupport =
    HostSupport::prompt("Gemini CLI cannot ask the user about a prompt", "Gemini CLI cannot change a prompt");

pub(super) const BEFORE_TOOL: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead(NO_ASK),
    approve: Dropped("Gemini CLI asks the user according to its own settings"),
    rewrite: Approximated(
        "removing an argument denies the call, because Gemini CLI merges the change into its own input",
    ),
    stop: Supported,
    ..TELLS_LATER
};

pub(super) const AFTER_TOOL: HostSupport = HostSupport {
    deny: ActionSupport::REPLACED,
    output: Approximated("the changed result replaces the result, as an error"),
    context: Supported,
    stop: Supported,
    ..TELLS
};

pub(super) const STOP: HostSupport = HostSupport::stop(
    "Gemini CLI cannot ask the user whether an agent may stop",
    "Gemini CLI cannot change an answer that the user has already seen",
);

pub(super) const BEFORE_MODEL: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead(NO_ASK),
    rewrite: Dropped("hooks do not see Gemini CLI's request in a form that they could change"),
    stop: Supported,
    ..TELLS_LATER
};

pub(super) const COMPACT: HostSupport = HostSupport {
    deny: NotifiesUser("Gemini CLI compresses whatever hooks return"),
    ask: NotifiesUser("Gemini CLI compresses whatever hooks return"),
    output: NotifiesUser("Gemini CLI writes the summary itself"),
    ..TELLS_LATER
};
