//! Asking whether a call may run: the hooks of `permission.ask` first, then the person.

use pintle::{ApprovalResponse, ApprovalScope, Decision, HookId, OutcomeReason};

use super::gate::{Asks, Gate, Settled};
use super::refusal::Refusal;
use super::target::Target;
use crate::approval::{self, Asking};

/// What asking came to.
pub(super) enum Answered {
    /// It is settled.
    Settled(Settled),
    /// A hook changed the call, which everybody has to judge again.
    Changed,
}

/// Asks.
pub(super) fn ask(gate: &Gate<'_>, target: &mut Target, mut asks: Asks) -> Answered {
    // No hook and no rule asks: it is the session's mode, which a person may have answered for good.
    let can_grant = asks.are_of_mode();
    if can_grant && gate.turn.agent.shared.permissions.is_granted(&target.name, &target.args) {
        return Answered::Settled(granted());
    }
    if let Some(asked) = &asks.by_rule {
        asks.reasons.push(OutcomeReason::new(HookId::new("permissions"), asked.why.clone()));
    }
    match hooks(gate, target, &mut asks) {
        Some(answered) => answered,
        None => Answered::Settled(person(gate, target, &asks, can_grant)),
    }
}

/// Asks the hooks of `permission.ask`, which may answer for the person. An ask of theirs is no opinion. What a hook of
/// `tool.guard` asks they can deny and not allow.
fn hooks(gate: &Gate<'_>, target: &mut Target, asks: &mut Asks) -> Option<Answered> {
    let texts: Vec<&str> = asks.reasons.iter().map(|reason| reason.text.as_str()).collect();
    let mut payload = target.ask(gate.turn, gate.id);
    payload.reason = texts.join("\n");
    payload.asked_by = asks.reasons.first().map(|reason| reason.hook.to_string());
    payload.metadata.clone_from(&asks.metadata);
    let outcome = gate.turn.fire_deferring(&gate.event(&payload));
    if let Err(cancelled) = gate.not_cancelled() {
        return Some(Answered::Settled(cancelled));
    }
    if outcome.decision == Decision::Deny {
        let denied = Settled::blocked("permission_request", "permission_request_hook_deny", &outcome);
        return Some(Answered::Settled(denied));
    }
    if outcome.rewritten && target.take(gate.turn, outcome.payload.value()) {
        return Some(Answered::Changed);
    }
    asks.take_metadata(&outcome);
    if outcome.approved && !asks.by_guard {
        let allowed = Settled::yes("hook", "permission_request_hook_allow");
        return Some(Answered::Settled(Settled { reason: texts_of(&outcome.reasons), ..allowed }));
    }
    None
}

/// Asks the person about the exact call that runs on a yes. What hooks and rules ask is asked every time.
fn person(gate: &Gate<'_>, target: &Target, asks: &Asks, can_grant: bool) -> Settled {
    let turn = gate.turn;
    let event = gate.final_event(target);
    let permissions = &turn.agent.shared.permissions;
    let asking = Asking {
        kind: "tool",
        name: &target.name,
        call: Some(gate.id),
        event: &event,
        reasons: &asks.reasons,
        metadata: &asks.metadata,
        grants: can_grant,
    };
    let is_granted = || can_grant && permissions.is_granted(&target.name, &target.args);
    let Some(answer) = approval::ask(turn, &asking, &is_granted) else { return granted() };
    if let Err(cancelled) = gate.not_cancelled() {
        return cancelled;
    }
    match &answer.resolution {
        ApprovalResponse::Approved { answered_by: by } => {
            Settled { reason: by.clone(), ..Settled::yes("person", "user_approved") }
        }
        ApprovalResponse::Granted { answered_by: by, grant: ApprovalScope::Tool } if !can_grant => {
            Settled { reason: by.clone(), ..Settled::yes("person", "user_approved") }
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
            Settled { reason: by.clone(), remember: true, ..Settled::yes("person", detail) }
        }
        ApprovalResponse::Refused { answered_by: by } => {
            Settled { reason: by.clone(), ..Settled::no("person", "user_rejected", Refusal::Rejected) }
        }
        ApprovalResponse::Deferred | ApprovalResponse::Unavailable => {
            let reason = texts_of(&asks.reasons);
            Settled { reason, ..Settled::no("resolver", "non_interactive_deny", Refusal::Nobody) }
        }
    }
}

/// The person has said yes before, to this call for the whole session.
fn granted() -> Settled {
    Settled::yes("person", "session_permissions_allow")
}

fn texts_of(reasons: &[OutcomeReason]) -> String {
    let texts: Vec<&str> = reasons.iter().map(|reason| reason.text.as_str()).collect();
    texts.join("\n")
}
