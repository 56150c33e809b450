//! Resolves asks about a call: the hooks of `permission.ask` first, then the user.

use pintle::{ApprovalResponse, ApprovalScope, Decision, HookId, OutcomeReason};

use super::gate::{GateResult, PendingAsks, ToolCallGate};
use super::refusal::CallRefusal;
use super::target::CallTarget;
use crate::approval::{self, ApprovalPrompt};

/// How the asks were resolved.
pub(super) enum AskResult {
    /// The call is allowed or denied.
    Decided(GateResult),
    /// A hook changed the call, so all checks are repeated.
    Changed,
}

/// Resolves the pending asks.
pub(super) fn resolve_asks(gate: &ToolCallGate<'_>, target: &mut CallTarget, mut asks: PendingAsks) -> AskResult {
    // If only the session's mode asks, the user may approve for the whole session.
    let can_grant = asks.is_only_mode();
    if can_grant && gate.turn.agent.shared.permissions.is_granted(&target.name, &target.args) {
        return AskResult::Decided(allow_granted());
    }
    if let Some(asked) = &asks.rule_ask {
        asks.reasons.push(OutcomeReason::new(HookId::new("permissions"), asked.reason.clone()));
    }
    match fire_permission_ask(gate, target, &mut asks) {
        Some(answered) => answered,
        None => AskResult::Decided(request_approval(gate, target, &asks, can_grant)),
    }
}

/// Fires `permission.ask`, whose hooks may approve for the user. Their own asks have no effect. If a hook of
/// `tool.guard` asks, they can deny but not allow.
fn fire_permission_ask(gate: &ToolCallGate<'_>, target: &mut CallTarget, asks: &mut PendingAsks) -> Option<AskResult> {
    let texts: Vec<&str> = asks.reasons.iter().map(|reason| reason.text.as_str()).collect();
    let mut payload = target.to_ask_payload(gate.turn, gate.id);
    payload.reason = texts.join("\n");
    payload.asked_by = asks.reasons.first().map(|reason| reason.hook.to_string());
    payload.metadata.clone_from(&asks.metadata);
    let outcome = gate.turn.fire_deferring_asks(&gate.new_event(&payload));
    if let Err(cancelled) = gate.check_cancelled() {
        return Some(AskResult::Decided(cancelled));
    }
    if outcome.decision == Decision::Deny {
        let denied = GateResult::from_denial("permission_request", "permission_request_hook_deny", &outcome);
        return Some(AskResult::Decided(denied));
    }
    if outcome.rewritten && target.apply_rewrite(gate.turn, outcome.payload.value()) {
        return Some(AskResult::Changed);
    }
    asks.take_metadata(&outcome);
    if outcome.approved && !asks.has_guard_ask {
        let allowed = GateResult::allow("hook", "permission_request_hook_allow");
        return Some(AskResult::Decided(GateResult { reason: join_reasons(&outcome.reasons), ..allowed }));
    }
    None
}

/// Requests the user's approval of the exact call that will run. Asks of hooks and rules are requested every time.
fn request_approval(gate: &ToolCallGate<'_>, target: &CallTarget, asks: &PendingAsks, can_grant: bool) -> GateResult {
    let turn = gate.turn;
    let event = gate.final_event(target);
    let permissions = &turn.agent.shared.permissions;
    let asking = ApprovalPrompt {
        kind: "tool",
        name: &target.name,
        call: Some(gate.id),
        event: &event,
        reasons: &asks.reasons,
        metadata: &asks.metadata,
        allows_grant: can_grant,
    };
    let is_granted = || can_grant && permissions.is_granted(&target.name, &target.args);
    let Some(answer) = approval::request_approval(turn, &asking, &is_granted) else { return allow_granted() };
    if let Err(cancelled) = gate.check_cancelled() {
        return cancelled;
    }
    match &answer.response {
        ApprovalResponse::Approved { answered_by: by } => {
            GateResult { reason: by.clone(), ..GateResult::allow("person", "user_approved") }
        }
        ApprovalResponse::Granted { answered_by: by, grant: ApprovalScope::Tool } if !can_grant => {
            GateResult { reason: by.clone(), ..GateResult::allow("person", "user_approved") }
        }
        ApprovalResponse::Granted { answered_by: by, grant } => {
            let detail = match grant {
                ApprovalScope::Tool => {
                    permissions.grant_call(&target.name, &target.args);
                    "user_approved_tool"
                }
                ApprovalScope::Session => {
                    permissions.grant_session();
                    "user_approved_session"
                }
            };
            GateResult { reason: by.clone(), should_remember: true, ..GateResult::allow("person", detail) }
        }
        ApprovalResponse::Refused { answered_by: by } => {
            GateResult { reason: by.clone(), ..GateResult::deny("person", "user_rejected", CallRefusal::Rejected) }
        }
        ApprovalResponse::Deferred | ApprovalResponse::Unavailable => {
            let reason = join_reasons(&asks.reasons);
            GateResult { reason, ..GateResult::deny("resolver", "non_interactive_deny", CallRefusal::Unavailable) }
        }
    }
}

/// The user approved this call earlier for the whole session.
fn allow_granted() -> GateResult {
    GateResult::allow("person", "session_permissions_allow")
}

fn join_reasons(reasons: &[OutcomeReason]) -> String {
    let texts: Vec<&str> = reasons.iter().map(|reason| reason.text.as_str()).collect();
    texts.join("\n")
}
