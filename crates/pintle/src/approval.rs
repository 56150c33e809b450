//! Approvals: who answers when a hook asks.

use std::fmt;

use pintle_host::contract::{self, OutcomeReason};
use serde_json::Value;

/// Answers when a hook asks for the user's approval.
pub trait Approver: Send + Sync + fmt::Debug {
    /// Answers one request, and may wait for the user.
    fn request_approval(&self, request: &ApprovalRequest<'_>) -> ApprovalResponse;
}

/// A request to approve an event. It is about exactly the payload that it shows; another payload is not approved by it.
#[derive(Debug)]
pub struct ApprovalRequest<'a>(&'a contract::ApprovalRequest<'a>);

impl<'a> ApprovalRequest<'a> {
    /// The name of the event, such as `tool.pre`.
    #[must_use]
    pub fn event(&self) -> &'a str {
        self.0.event.name.as_str()
    }

    /// What the event is about, such as the name of a tool.
    #[must_use]
    pub fn subject(&self) -> Option<&'a str> {
        self.0.event.subject()
    }

    /// The payload that is used if the request is approved.
    #[must_use]
    pub fn payload(&self) -> &'a Value {
        self.0.event.payload.value()
    }

    /// The reasons, each with the name of the hook that asks.
    pub fn reasons(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let parts = |reason: &'a OutcomeReason| (reason.hook.as_str(), reason.text.as_str());
        self.0.reasons.iter().map(parts)
    }
}

/// The response to an [`ApprovalRequest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalResponse(contract::ApprovalResponse);

impl ApprovalResponse {
    /// Approves the event. `approver` is who approved it, for the tape.
    pub fn approved(approver: impl Into<String>) -> Self {
        Self(contract::ApprovalResponse::Approved { answered_by: approver.into() })
    }

    /// Refuses the event. `approver` is who refused it, for the tape.
    pub fn refused(approver: impl Into<String>) -> Self {
        Self(contract::ApprovalResponse::Refused { answered_by: approver.into() })
    }

    /// The host asks its user itself: the decision stays [`Decision::Ask`](crate::Decision::Ask). A tool call is refused
    /// with this response, because [`Runtime::decide_tool_call`](crate::Runtime::decide_tool_call) must answer.
    #[must_use]
    pub fn deferred() -> Self {
        Self(contract::ApprovalResponse::Deferred)
    }

    /// The user cannot be asked: the event is denied.
    #[must_use]
    pub fn unavailable() -> Self {
        Self(contract::ApprovalResponse::Unavailable)
    }
}

/// An approver of the program, as the runtime calls it.
#[derive(Debug)]
pub(crate) struct ProgramApprover<A>(pub(crate) A);

impl<A: Approver> contract::Approver for ProgramApprover<A> {
    fn request_approval(&self, question: &contract::ApprovalRequest<'_>) -> contract::ApprovalResponse {
        self.0.request_approval(&ApprovalRequest(question)).0
    }
}
