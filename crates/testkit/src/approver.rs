//! An approver that always gives the same response and remembers the requests.

use std::sync::{Mutex, PoisonError};

use pintle_contract::{ApprovalRequest, ApprovalResponse, Approver, OutcomeReason};
use serde_json::Value;

/// Always gives the same response.
#[derive(Debug)]
pub struct ScriptedApprover {
    answer: ApprovalResponse,
    requests: Mutex<Vec<(Value, String, Vec<OutcomeReason>)>>,
}

impl ScriptedApprover {
    /// Creates an approver with this response.
    #[must_use]
    pub fn new(answer: ApprovalResponse) -> Self {
        Self { answer, requests: Mutex::default() }
    }

    /// The payload, digest and reasons of each request so far.
    #[must_use]
    pub fn requests(&self) -> Vec<(Value, String, Vec<OutcomeReason>)> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Approver for ScriptedApprover {
    fn request_approval(&self, question: &ApprovalRequest<'_>) -> ApprovalResponse {
        let asked = (question.event.payload.value().clone(), question.digest.to_owned(), question.reasons.to_vec());
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
        self.answer.clone()
    }
}
