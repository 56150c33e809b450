//! The approval requests that wait for the user.

use std::collections::BTreeMap;

use parking_lot::Mutex;

/// The session's unanswered approval requests.
#[derive(Debug, Default)]
pub(crate) struct ApprovalQueue(Mutex<BTreeMap<String, PendingApproval>>);

/// An unanswered approval request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PendingApproval {
    /// The id that its `approval.requested` event carries.
    pub(crate) id: String,
    /// `tool`, `step`, `budget`, `error` or `limit`.
    pub(crate) kind: &'static str,
    /// The subject of the request.
    pub(crate) name: String,
    /// Why approval is needed.
    pub(crate) reason: String,
}

impl ApprovalQueue {
    /// The unanswered requests, ordered by id.
    pub(crate) fn pending(&self) -> Vec<PendingApproval> {
        self.0.lock().values().cloned().collect()
    }

    pub(crate) fn insert(&self, request: PendingApproval) {
        self.0.lock().insert(request.id.clone(), request);
    }

    pub(crate) fn remove(&self, id: &str) {
        self.0.lock().remove(id);
    }
}
