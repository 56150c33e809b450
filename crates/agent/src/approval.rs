//! Approval requests to the user, and the `approval.requested` event that announces them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use parking_lot::MutexGuard;
use pintle_host::contract::OutcomeReason;
use pintle_host::event::{ApprovalRequested, UserInput};
use pintle_host::{ApprovalRequest, ApprovalResponse, Event};
use serde_json::{Map, Value};

use crate::recording;
use crate::session_state::PendingApproval;
use crate::turn_context::TurnContext;

/// An approval request to be shown to the user.
#[derive(Debug)]
pub(crate) struct ApprovalPrompt<'a> {
    /// `tool`, `step`, `budget`, `error` or `limit`.
    pub(crate) kind: &'static str,
    /// The subject of the request, such as a tool's or a step's name.
    pub(crate) name: &'a str,
    /// The id of the tool call, if the request is about one.
    pub(crate) call: Option<&'a str>,
    /// The event with the exact payload that is to be approved.
    pub(crate) event: &'a Event,
    /// Which hooks ask, and why.
    pub(crate) reasons: &'a [OutcomeReason],
    /// The metadata that hooks attached.
    pub(crate) metadata: &'a Map<String, Value>,
    /// Whether the user may allow more than this one call.
    pub(crate) allows_grant: bool,
}

/// Requests approval from the user. Requests are shown one at a time. When it is this one's turn, `is_settled` says
/// whether the response to another request has settled it; if so, the result is `None`.
///
/// `approval.requested` fires for every request, `user.input` only if an approver is available. An approver that panics
/// counts as unavailable.
pub(crate) fn request_approval<'t>(
    turn: &'t TurnContext,
    prompt: &ApprovalPrompt<'_>,
    is_settled: &dyn Fn() -> bool,
) -> Option<ApprovalAnswer<'t>> {
    let ApprovalPrompt { kind, name, call, event, reasons, metadata, allows_grant: grants } = *prompt;
    turn.await_turn();
    let approver = turn.approver();
    let digest = event.payload.digest();
    let texts: Vec<&str> = reasons.iter().map(|reason| reason.text.as_str()).collect();
    let _open = open_request(turn, kind, name, texts.join("\n"), &digest);
    if approver.is_available() {
        fire_user_input(turn, kind, name);
    }
    let question = ApprovalRequest { event, reasons, digest: &digest, metadata, allows_grant: grants };
    // Only the user is waited for while the lock is held: a hook that requests approval now would deadlock on it.
    let one_at_a_time = turn.agent.shared.permissions.lock_prompt();
    if is_settled() {
        return None;
    }
    let resolution = catch_unwind(AssertUnwindSafe(|| approver.request_approval(&question)))
        .unwrap_or(ApprovalResponse::Unavailable);
    recording::record_approval(turn, call, &question, &resolution);
    Some(ApprovalAnswer { response: resolution, _one_at_a_time: one_at_a_time })
}

/// Fires `approval.requested` for a request that cannot be shown, because no user is available to approve it.
pub(crate) fn announce_unavailable(turn: &TurnContext, prompt: &ApprovalPrompt<'_>) {
    let texts: Vec<&str> = prompt.reasons.iter().map(|reason| reason.text.as_str()).collect();
    drop(open_request(turn, prompt.kind, prompt.name, texts.join("\n"), &prompt.event.payload.digest()));
}

/// The response to an approval request. While it is held, no other request is shown, so its effects are applied first.
#[derive(Debug)]
pub(crate) struct ApprovalAnswer<'t> {
    pub(crate) response: ApprovalResponse,
    _one_at_a_time: MutexGuard<'t, ()>,
}

impl ApprovalAnswer<'_> {
    /// Whether this one call is approved.
    pub(crate) fn is_yes(&self) -> bool {
        matches!(self.response, ApprovalResponse::Approved { .. } | ApprovalResponse::Granted { .. })
    }
}

/// Keeps an approval request in the queue until it is dropped.
struct OpenApproval<'t> {
    turn: &'t TurnContext,
    id: String,
}

impl Drop for OpenApproval<'_> {
    fn drop(&mut self) {
        self.turn.agent.shared.state.approvals.remove(&self.id);
    }
}

fn open_request<'t>(
    turn: &'t TurnContext,
    kind: &'static str,
    name: &str,
    reason: String,
    digest: &str,
) -> OpenApproval<'t> {
    let shared = &turn.agent.shared;
    let open = OpenApproval { turn, id: shared.unique_name("approval") };
    let pending = PendingApproval { id: open.id.clone(), kind, name: name.to_owned(), reason: reason.clone() };
    shared.state.approvals.insert(pending);
    if turn.has_listener::<ApprovalRequested>() {
        let payload = ApprovalRequested {
            id: open.id.clone(),
            kind: kind.to_owned(),
            name: name.to_owned(),
            reason,
            digest: digest.to_owned(),
            expires_ms: None,
            persona: turn.origin.persona.clone(),
            step: turn.origin.step.clone(),
        };
        let _ = turn.fire(&Event::from_payload(&payload, Arc::clone(&turn.origin)));
    }
    open
}

/// Fires `user.input`, because the agent waits for the user.
fn fire_user_input(turn: &TurnContext, kind: &str, name: &str) {
    let (reason, message) = match kind {
        "tool" => ("permission", format!("run `{name}`?")),
        "limit" => ("limit", name.to_owned()),
        _ => ("approval", format!("{kind} `{name}`: continue?")),
    };
    let _ = turn.fire_team(|| UserInput { reason: reason.to_owned(), message });
}
