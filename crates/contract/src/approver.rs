//! Approvals: the request that an `ask` decision sends, and the trait that responds to it.

use std::fmt::Debug;

use serde_json::{Map, Value};

use crate::{Event, OutcomeReason};

/// A request to approve an event, sent when the decision of its hooks is `ask`.
#[derive(Debug)]
pub struct ApprovalRequest<'a> {
    /// The event, with the exact payload that is used if the request is approved.
    pub event: &'a Event,
    /// The hooks that returned `ask`, and their reasons.
    pub reasons: &'a [OutcomeReason],
    /// The digest of the payload; the approval is bound to it.
    pub digest: &'a str,
    /// Data from the hooks for the approver, such as how much the call could destroy; may be empty.
    pub metadata: &'a Map<String, Value>,
    /// Whether the response may be [`ApprovalResponse::Granted`], which allows more than this one call.
    pub allows_grant: bool,
}

/// The response to an [`ApprovalRequest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalResponse {
    /// The event is approved.
    Approved {
        /// Who approved, for the tape.
        answered_by: String,
    },
    /// The event is approved, and so are later ones. If only this one call can be allowed, it has the same effect as
    /// [`ApprovalResponse::Approved`].
    Granted {
        /// Who approved, for the tape.
        answered_by: String,
        /// What else is approved.
        grant: ApprovalScope,
    },
    /// The event is not approved.
    Refused {
        /// Who refused, for the tape.
        answered_by: String,
    },
    /// The host asks the user in its own way: the decision remains [`Decision::Ask`](crate::Decision::Ask).
    Deferred,
    /// No approver is available; the event is denied.
    Unavailable,
}

/// What the user allows for the rest of the session. It never overrides a deny of a hook or a permission rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalScope {
    /// The requested tool, with the arguments that were shown. A hook or rule that asks for approval still asks each
    /// time.
    Tool,
    /// Every call of every tool.
    Session,
}

/// Responds to approval requests. Implementations prompt the user, apply a flag, or call a permission hook.
pub trait Approver: Send + Sync + Debug {
    /// Responds to one request, and may wait for the user.
    fn request_approval(&self, question: &ApprovalRequest<'_>) -> ApprovalResponse;

    /// Whether a response can be expected. Hosts announce that they are waiting for the user only if it can. Default:
    /// true.
    fn is_available(&self) -> bool {
        true
    }
}

/// An [`Approver`] that is never available, so that every request is denied.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoApprover;

impl Approver for NoApprover {
    fn request_approval(&self, _question: &ApprovalRequest<'_>) -> ApprovalResponse {
        ApprovalResponse::Unavailable
    }

    fn is_available(&self) -> bool {
        false
    }
}
