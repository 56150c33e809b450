//! Resolves asks about a call: the hooks of `permission.ask` first, then the user.

use pintle_host::contract::{ApprovalScope, HookId, OutcomeReason};
use pintle_host::event::permission_reply::PermissionBasis;
use pintle_host::lifecycle::{AskResolution, CallStage, ToolCallHost};
use pintle_host::{ApprovalResponse, Decision};

use super::gate::{GateResult, ToolCallGate};
use super::refusal::CallRefusal;
use crate::approval::{self, ApprovalPrompt};

/// What became of the asks.
type AskOutcome = Result<AskResolution<GateResult>, GateResult>;

/// Resolves the pending asks.
pub(super) fn resolve_asks(gate: &mut ToolCallGate<'_>) -> AskOutcome {
    // If only the session's mode asks, the user may approve for the whole session.
    let can_grant = gate.asks.is_only_mode();
    if can_grant && gate.turn.agent.shared.permissions.is_granted(&gate.target.name, &gate.target.args) {
        return Ok(AskResolution::Approved(allow_granted()));
    }
    if let Some(asked) = &gate.asks.rule_ask {
        gate.asks.reasons.push(OutcomeReason::new(HookId::new("permissions"), asked.reason.clone()));
    }
    match fire_permission_ask(gate)? {
        Some(resolved) => Ok(resolved),
        None => request_approval(gate, can_grant).map(AskResolution::Approved),
    }
}

/// Fires `permission.ask`, whose hooks may approve for the user. Their own asks have no effect. If a hook of
/// `tool.guard` asks, they can deny but not allow.
fn fire_permission_ask(gate: &mut ToolCallGate<'_>) -> Result<Option<AskResolution<GateResult>>, GateResult> {
    let outcome = gate.fire(CallStage::Permission)?;
    if outcome.decision == Decision::Deny {
        return Err(gate.refuse(CallStage::Permission, &outcome));
    }
    if gate.take_outcome(CallStage::Permission, &outcome)? {
        return Ok(Some(AskResolution::Changed));
    }
    gate.asks.take_metadata(&outcome);
    let is_approved = outcome.approved && !gate.asks.has_guard_ask;
    Ok(is_approved.then(|| {
        let allowed = GateResult::allow(PermissionBasis::PermissionAsk);
        AskResolution::Approved(GateResult { reason: join_reasons(&outcome.reasons), ..allowed })
    }))
}

/// Requests the user's approval of the exact call that will run. Asks of hooks and rules are requested every time.
fn request_approval(gate: &ToolCallGate<'_>, can_grant: bool) -> Result<GateResult, GateResult> {
    let (turn, target, asks) = (gate.turn, &*gate.target, &gate.asks);
    let event = gate.event(CallStage::Pre);
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
    let Some(answer) = approval::request_approval(turn, &asking, &is_granted) else { return Ok(allow_granted()) };
    gate.check_cancelled()?;
    Ok(match &answer.response {
        ApprovalResponse::Approved { answered_by: by } => {
            GateResult { reason: by.clone(), ..GateResult::allow(PermissionBasis::Once) }
        }
        ApprovalResponse::Granted { answered_by: by, grant: ApprovalScope::Tool } if !can_grant => {
            GateResult { reason: by.clone(), ..GateResult::allow(PermissionBasis::Once) }
        }
        ApprovalResponse::Granted { answered_by: by, grant } => {
            let basis = match grant {
                ApprovalScope::Tool => {
                    permissions.grant_call(&target.name, &target.args);
                    PermissionBasis::Tool
                }
                ApprovalScope::Session => {
                    permissions.grant_session();
                    PermissionBasis::Session
                }
            };
            GateResult { reason: by.clone(), should_remember: true, ..GateResult::allow(basis) }
        }
        ApprovalResponse::Refused { answered_by: by } => {
            let denied = GateResult::deny(PermissionBasis::Once, CallRefusal::Rejected);
            return Err(GateResult { reason: by.clone(), ..denied });
        }
        ApprovalResponse::Deferred | ApprovalResponse::Unavailable => {
            let reason = join_reasons(&asks.reasons);
            let denied = GateResult::deny(PermissionBasis::Unavailable, CallRefusal::Unavailable(reason.clone()));
            return Err(GateResult { reason, ..denied });
        }
    })
}

/// The user approved this call earlier for the whole session.
fn allow_granted() -> GateResult {
    GateResult::allow(PermissionBasis::Earlier)
}

pub(super) fn join_reasons(reasons: &[OutcomeReason]) -> String {
    let texts: Vec<&str> = reasons.iter().map(|reason| reason.text.as_str()).collect();
    texts.join("\n")
}
