//! Who answers an ask.

use std::fmt::Debug;

use serde_json::{Map, Value};

use crate::{Event, OutcomeReason};

/// What a resolver is asked.
#[derive(Debug)]
pub struct ApprovalRequest<'a> {
    /// The event with the exact payload that will be used if the answer is yes.
    pub event: &'a Event,
    /// Who asks and why.
    pub reasons: &'a [OutcomeReason],
    /// The digest the approval will be bound to.
    pub digest: &'a str,
    /// What the hooks said about it for whoever is asked, such as how much it could destroy; may be empty.
    pub metadata: &'a Map<String, Value>,
    /// Whether more than this one call can be allowed, see [`ApprovalResponse::Granted`].
    pub allows_grant: bool,
}

/// The answer to an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalResponse {
    /// Go on; `by` says who approved.
    Approved {
        /// Who, for the tape.
        answered_by: String,
    },
    /// Go on, now and later. Where nothing but this call can be allowed it is an [`ApprovalResponse::Approved`].
    Granted {
        /// Who, for the tape.
        answered_by: String,
        /// What else need not be asked.
        grant: ApprovalScope,
    },
    /// Do not go on.
    Refused {
        /// Who, for the tape.
        answered_by: String,
    },
    /// The host asks in its own way: the outcome stays [`Decision::Ask`](crate::Decision::Ask).
    Deferred,
    /// Nobody is there to ask, which means deny.
    Unavailable,
}

/// What a person allows for the rest of the session. No hook and no rule that denies is passed over for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalScope {
    /// The tool that the question is about, with the arguments that were shown. What a hook or a rule asks is asked
    /// again all the same.
    Tool,
    /// Every call of every tool.
    Session,
}

/// Answers asks: a person at a terminal, a flag, a permission hook.
pub trait Approver: Send + Sync + Debug {
    /// Answers one question.
    fn request_approval(&self, question: &ApprovalRequest<'_>) -> ApprovalResponse;

    /// Whether there is anybody to wait for. Hosts say that they wait for a person only then.
    fn is_available(&self) -> bool {
        true
    }
}

/// The resolver that has nobody to ask.
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
