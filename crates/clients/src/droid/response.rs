//! What Droid supports of a decision, and how the decision is written where that differs from Claude Code.

use serde_json::Value;

use crate::claude_code::response as claude;
use crate::host::ActionSupport::{Approximated, DeniedInstead, NotifiesUser, RunEndedInstead, Supported};
use crate::host::{ActionSupport, HostDecision, HostResponse, HostSupport, ResponseContext};

/// Before a call. Droid adds what a hook returns to the arguments, so that none can be taken away.
pub(super) fn before_tool(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let sent = context.payload.get("tool_input").and_then(Value::as_object);
    let is_left_out = |changed: &Value| sent.is_some_and(|sent| sent.keys().any(|name| changed.get(name).is_none()));
    if !decision.is_denied() && decision.input.as_ref().is_some_and(is_left_out) {
        let reason = "a hook takes an argument away from this call, which Droid would keep";
        return claude::before_tool(context, &decision.denied_instead(reason));
    }
    claude::before_tool(context, decision)
}

/// An event that can only be observed.
pub(super) const TELLS: HostSupport = HostSupport::OBSERVE_ONLY;

pub(super) const SESSION_END: HostSupport = HostSupport { stop: ActionSupport::OVER_TOLD, ..TELLS };

pub(super) const SESSION_START: HostSupport = HostSupport::SESSION_START;

pub(super) const PROMPT: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Droid does not ask the user about a prompt"),
    rewrite: Supported,
    context: Supported,
    stop: Supported,
    ..TELLS
};

pub(super) const BEFORE_TOOL: HostSupport = HostSupport {
    ask: DeniedInstead("`droid exec` runs a call about which a hook asks"),
    rewrite: Approximated("a change that takes an argument away is denied, since Droid would keep the argument"),
    context: ActionSupport::LATER,
    ..claude::BEFORE_TOOL
};

const SHOWN: &str = "Droid cannot change a result, which the model would read next";

pub(super) const AFTER_TOOL: HostSupport = HostSupport {
    deny: RunEndedInstead(SHOWN),
    output: RunEndedInstead(SHOWN),
    context: Supported,
    stop: Supported,
    ..TELLS
};

pub(super) const STOP: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead("Droid does not ask the user whether an agent may stop"),
    output: NotifiesUser("Droid cannot change an answer that the user has already seen"),
    context: ActionSupport::LATER,
    stop: Supported,
    ..TELLS
};

pub(super) const SUBAGENT_STOP: HostSupport = STOP.of_subagent();
