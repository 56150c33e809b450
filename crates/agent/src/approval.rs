//! Asking a person: `approval.requested`, then the question.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pintle::event::{ApprovalRequested, UserInput};
use pintle::{ApprovalRequest, ApprovalResponse, Event, OutcomeReason};
use serde_json::{Map, Value};

use crate::recording;
use crate::turn_context::TurnContext;

/// What a person is asked.
#[derive(Debug)]
pub(crate) struct ApprovalPrompt<'a> {
    /// `tool`, `step`, `budget`, `error` or `limit`.
    pub(crate) kind: &'static str,
    /// What waits, such as a tool's or a step's name.
    pub(crate) name: &'a str,
    /// The tool call that it is about, when it is about one.
    pub(crate) call: Option<&'a str>,
    /// The event with the exact payload that a yes is for.
    pub(crate) event: &'a Event,
    /// Who asks and why.
    pub(crate) reasons: &'a [OutcomeReason],
    /// What hooks said about it.
    pub(crate) metadata: &'a Map<String, Value>,
    /// Whether more than this once can be allowed.
    pub(crate) allows_grant: bool,
}

/// The questions of a session that nobody has answered yet.
#[derive(Debug, Default)]
pub(crate) struct ApprovalQueue(Mutex<BTreeMap<String, PendingApproval>>);

/// A question that nobody has answered yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PendingApproval {
    /// Its id, that of its `approval.requested`.
    pub(crate) id: String,
    /// `tool`, `step`, `budget`, `error` or `limit`.
    pub(crate) kind: &'static str,
    /// What waits.
    pub(crate) name: String,
    /// Why somebody has to look.
    pub(crate) reason: String,
}

impl ApprovalQueue {
    /// The questions that wait, in the order of their ids.
    pub(crate) fn pending(&self) -> Vec<PendingApproval> {
        self.lock().values().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, PendingApproval>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks a person. Questions come one at a time; when this one's turn comes, `is_settled` says whether the answer to
/// another one has settled it, and then there is no answer to this one.
///
/// Hooks are told of every question, also when nobody is there to answer it; of the wait only if there is somebody. A
/// resolver that panics has answered nothing.
pub(crate) fn request_approval<'t>(
    turn: &'t TurnContext,
    asking: &ApprovalPrompt<'_>,
    is_settled: &dyn Fn() -> bool,
) -> Option<ApprovalAnswer<'t>> {
    let ApprovalPrompt { kind, name, call, event, reasons, metadata, allows_grant: grants } = *asking;
    let resolver = turn.approver();
    let digest = event.payload.digest();
    let texts: Vec<&str> = reasons.iter().map(|reason| reason.text.as_str()).collect();
    let _open = open_request(turn, kind, name, texts.join("\n"), &digest);
    if resolver.is_available() {
        fire_user_input(turn, kind, name);
    }
    let question = ApprovalRequest { event, reasons, digest: &digest, metadata, allows_grant: grants };
    // Nothing but the person is waited for here: a hook that asked something while this is held would wait for itself.
    let one_at_a_time = turn.agent.shared.permissions.lock_prompt();
    if is_settled() {
        return None;
    }
    let resolution = catch_unwind(AssertUnwindSafe(|| resolver.request_approval(&question)))
        .unwrap_or(ApprovalResponse::Unavailable);
    recording::record_approval(turn, call, &question, &resolution);
    Some(ApprovalAnswer { response: resolution, _one_at_a_time: one_at_a_time })
}

/// Tells hooks of a question that nobody is asked, because nobody is there and only a person's word would count.
pub(crate) fn announce_unavailable(turn: &TurnContext, asking: &ApprovalPrompt<'_>) {
    let texts: Vec<&str> = asking.reasons.iter().map(|reason| reason.text.as_str()).collect();
    drop(open_request(turn, asking.kind, asking.name, texts.join("\n"), &asking.event.payload.digest()));
}

/// An answer. The next question waits until it is dropped, and so until what was answered is settled.
#[derive(Debug)]
pub(crate) struct ApprovalAnswer<'t> {
    pub(crate) response: ApprovalResponse,
    _one_at_a_time: MutexGuard<'t, ()>,
}

impl ApprovalAnswer<'_> {
    /// Whether this once may go on.
    pub(crate) fn is_yes(&self) -> bool {
        matches!(self.response, ApprovalResponse::Approved { .. } | ApprovalResponse::Granted { .. })
    }
}

/// A question that is open as long as this lives.
struct OpenApproval<'t> {
    turn: &'t TurnContext,
    id: String,
}

impl Drop for OpenApproval<'_> {
    fn drop(&mut self) {
        self.turn.agent.shared.approvals.lock().remove(&self.id);
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
    shared.approvals.lock().insert(open.id.clone(), pending);
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

/// Fires `user.input`: the agent waits for the user.
fn fire_user_input(turn: &TurnContext, kind: &str, name: &str) {
    let (reason, message) = match kind {
        "tool" => ("permission", format!("run `{name}`?")),
        "limit" => ("limit", name.to_owned()),
        _ => ("approval", format!("{kind} `{name}`: go on?")),
    };
    let _ = turn.fire_team(|| UserInput { reason: reason.to_owned(), message });
}
