//! Asking a person: `approval.requested`, then the question.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pintle::event::{ApprovalRequested, UserInput};
use pintle::{ApprovalRequest, ApprovalResponse, Event, OutcomeReason};
use serde_json::{Map, Value};

use crate::taping;
use crate::turn::Turn;

/// What a person is asked.
#[derive(Debug)]
pub(crate) struct Asking<'a> {
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
    pub(crate) grants: bool,
}

/// The questions of a session that nobody has answered yet.
#[derive(Debug, Default)]
pub(crate) struct Approvals(Mutex<BTreeMap<String, Pending>>);

/// A question that nobody has answered yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pending {
    /// Its id, that of its `approval.requested`.
    pub(crate) id: String,
    /// `tool`, `step`, `budget`, `error` or `limit`.
    pub(crate) kind: &'static str,
    /// What waits.
    pub(crate) name: String,
    /// Why somebody has to look.
    pub(crate) reason: String,
}

impl Approvals {
    /// The questions that wait, in the order of their ids.
    pub(crate) fn pending(&self) -> Vec<Pending> {
        self.open().values().cloned().collect()
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<String, Pending>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks a person. Questions come one at a time; when this one's turn comes, `is_settled` says whether the answer to
/// another one has settled it, and then there is no answer to this one.
///
/// Hooks are told of every question, also when nobody is there to answer it; of the wait only if there is somebody. A
/// resolver that panics has answered nothing.
pub(crate) fn ask<'t>(turn: &'t Turn, asking: &Asking<'_>, is_settled: &dyn Fn() -> bool) -> Option<Answer<'t>> {
    let Asking { kind, name, call, event, reasons, metadata, grants } = *asking;
    let resolver = turn.resolver();
    let digest = event.payload.digest();
    let texts: Vec<&str> = reasons.iter().map(|reason| reason.text.as_str()).collect();
    let _open = request(turn, kind, name, texts.join("\n"), &digest);
    if resolver.is_available() {
        tell_of_wait(turn, kind, name);
    }
    let question = ApprovalRequest { event, reasons, digest: &digest, metadata, allows_grant: grants };
    // Nothing but the person is waited for here: a hook that asked something while this is held would wait for itself.
    let one_at_a_time = turn.agent.shared.permissions.question();
    if is_settled() {
        return None;
    }
    let resolution = catch_unwind(AssertUnwindSafe(|| resolver.request_approval(&question)))
        .unwrap_or(ApprovalResponse::Unavailable);
    taping::answered(turn, call, &question, &resolution);
    Some(Answer { resolution, _one_at_a_time: one_at_a_time })
}

/// Tells hooks of a question that nobody is asked, because nobody is there and only a person's word would count.
pub(crate) fn announce(turn: &Turn, asking: &Asking<'_>) {
    let texts: Vec<&str> = asking.reasons.iter().map(|reason| reason.text.as_str()).collect();
    drop(request(turn, asking.kind, asking.name, texts.join("\n"), &asking.event.payload.digest()));
}

/// An answer. The next question waits until it is dropped, and so until what was answered is settled.
#[derive(Debug)]
pub(crate) struct Answer<'t> {
    pub(crate) resolution: ApprovalResponse,
    _one_at_a_time: MutexGuard<'t, ()>,
}

impl Answer<'_> {
    /// Whether this once may go on.
    pub(crate) fn is_yes(&self) -> bool {
        matches!(self.resolution, ApprovalResponse::Approved { .. } | ApprovalResponse::Granted { .. })
    }
}

/// A question that is open as long as this lives.
struct Open<'t> {
    turn: &'t Turn,
    id: String,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.turn.agent.shared.approvals.open().remove(&self.id);
    }
}

fn request<'t>(turn: &'t Turn, kind: &'static str, name: &str, reason: String, digest: &str) -> Open<'t> {
    let shared = &turn.agent.shared;
    let open = Open { turn, id: shared.unique("approval") };
    let pending = Pending { id: open.id.clone(), kind, name: name.to_owned(), reason: reason.clone() };
    shared.approvals.open().insert(open.id.clone(), pending);
    if turn.listens::<ApprovalRequested>() {
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
fn tell_of_wait(turn: &Turn, kind: &str, name: &str) {
    let (reason, message) = match kind {
        "tool" => ("permission", format!("run `{name}`?")),
        "limit" => ("limit", name.to_owned()),
        _ => ("approval", format!("{kind} `{name}`: go on?")),
    };
    let _ = turn.fire_of(|| UserInput { reason: reason.to_owned(), message });
}
