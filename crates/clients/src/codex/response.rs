//! What Codex supports of a decision, and how the decision is written.
//!
//! Codex's schemas are strict: a single unknown key makes it ignore the whole response, so each function writes only the
//! fields of its event.

use serde_json::json;

use crate::host::ActionSupport::{Approximated, DeniedInstead, Dropped, NotifiesUser, Supported};
use crate::host::{ActionSupport, HookJsonResponse, HostDecision, HostResponse, HostSupport, ResponseContext};

/// The fields that most events support.
fn start_response(context: &ResponseContext<'_>, decision: &HostDecision) -> HookJsonResponse {
    HookJsonResponse::new(context).with_notice(decision)
}

/// An event that supports only notices.
pub(super) fn notice(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    start_response(context, decision).into_response()
}

/// An event that supports context.
pub(super) fn add_context(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    start_response(context, decision).with_context(decision).into_response()
}

/// The start of a session. A denied session starts anyway, with a notice to the user.
pub(super) fn session_start(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    start_response(context, decision).into_start(decision)
}

/// A blocked prompt: the user sees the whole reason.
pub(super) fn prompt(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let output = start_response(context, decision).with_run_end(decision);
    if decision.is_denied() {
        return output.into_block(&decision.reason);
    }
    output.with_context(decision).into_response()
}

/// Before a tool. An approval is possible only with a rewrite, and `ask` is not supported.
pub(super) fn before_tool(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let output = start_response(context, decision);
    if decision.is_denied() {
        return output
            .with_event_field("permissionDecision", Some("deny"))
            .with_event_field("permissionDecisionReason", Some(decision.reason.as_str()))
            .into_denial(&decision.reason);
    }
    output
        .with_event_field("permissionDecision", decision.input.as_ref().map(|_| "allow"))
        .with_event_field("updatedInput", decision.input.clone())
        .with_context(decision)
        .into_response()
}

/// The host is about to ask the user.
pub(super) fn permission(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let output = start_response(context, decision);
    if decision.is_denied() {
        return output
            .with_event_field("decision", Some(json!({"behavior": "deny", "message": decision.reason})))
            .into_response();
    }
    let approval = (decision.is_approved && decision.decision == pintle_contract::Decision::Allow)
        .then(|| json!({"behavior": "allow"}));
    output.with_event_field("decision", approval).into_response()
}

/// After a tool: the reason of a block replaces the result.
pub(super) fn after_tool(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let output = start_response(context, decision).with_run_end(decision);
    let replaced = decision.result_replacement_text();
    output
        .with_top_field("decision", replaced.as_ref().map(|_| "block"))
        .with_top_field("reason", replaced)
        .with_context(decision)
        .into_response()
}

/// The agent, or a subagent, is about to stop.
pub(super) fn stop(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let output = start_response(context, decision).with_run_end(decision);
    if decision.is_denied() && decision.stop.is_none() {
        return output.into_block(&decision.reason);
    }
    output.into_response()
}

pub(super) fn compact(context: &ResponseContext<'_>, decision: &HostDecision) -> HostResponse {
    let output = start_response(context, decision);
    if decision.is_denied() {
        return output
            .with_top_field("continue", Some(false))
            .with_top_field("stopReason", Some(decision.reason.as_str()))
            .into_response();
    }
    output.into_response()
}

const NO_ASK: &str = "Codex cannot ask the user on behalf of a hook";

/// An event that can only be observed.
pub(super) const TELLS: HostSupport = HostSupport::OBSERVE_ONLY;

/// The end of a session, whose response is ignored.
pub(super) const SESSION_END: HostSupport =
    HostSupport { stop: ActionSupport::OVER, notice: Dropped("Codex ignores hook output here"), ..TELLS };

pub(super) const COMPACTED: HostSupport = HostSupport { context: ActionSupport::LATER, ..TELLS };

pub(super) const SESSION_START: HostSupport = HostSupport::SESSION_START;

pub(super) const PROMPT: HostSupport = HostSupport::prompt(NO_ASK, "Codex cannot change a prompt");

pub(super) const BEFORE_TOOL: HostSupport = HostSupport {
    deny: Supported,
    ask: DeniedInstead(NO_ASK),
    approve: Dropped("Codex accepts an approval only together with a rewrite"),
    rewrite: Supported,
    context: Supported,
    stop: ActionSupport::DENIED_AND_ENDED,
    ..TELLS
};

pub(super) const PERMISSION: HostSupport = HostSupport {
    stop: ActionSupport::DENIED_AND_ENDED,
    ..HostSupport::permission(DeniedInstead("Codex cannot change a call that it asks about"))
};

pub(super) const AFTER_TOOL: HostSupport = HostSupport {
    deny: Supported,
    output: Approximated("the changed result replaces the result, as hook feedback"),
    context: Supported,
    stop: ActionSupport::REPLACED_AND_ENDED,
    ..TELLS
};

pub(super) const SUBAGENT_START: HostSupport = HostSupport { context: ActionSupport::REMINDERS_NOW, ..TELLS };

pub(super) const STOP: HostSupport =
    HostSupport::stop(NO_ASK, "Codex cannot change an answer that the user has already seen");

pub(super) const SUBAGENT_STOP: HostSupport = STOP.of_subagent();

pub(super) const COMPACT: HostSupport = HostSupport {
    deny: Approximated("the turn stops before the compaction"),
    ask: DeniedInstead(NO_ASK),
    output: NotifiesUser("Codex writes the summary itself"),
    context: ActionSupport::LATER,
    stop: Supported,
    ..TELLS
};
