//! Who answers when a hook asks for a person.

use std::sync::Arc;

use clap::Args;
use pintle::{ApprovalRequest, ApprovalResponse, Approver};

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct AskOptions {
    /// Answer yes whenever a hook asks for a person.
    #[arg(long, conflicts_with = "no")]
    pub(crate) yes: bool,
    /// Answer no whenever a hook asks for a person.
    #[arg(long)]
    pub(crate) no: bool,
}

impl AskOptions {
    /// What answers every ask, when that was said.
    pub(crate) fn fixed_answer(self) -> Option<&'static str> {
        match (self.yes, self.no) {
            (true, _) => Some("yes"),
            (_, true) => Some("no"),
            (false, false) => None,
        }
    }

    /// The answer given on the command line, or else whoever is there to be asked.
    pub(crate) fn choose_approver(self, otherwise: impl FnOnce() -> Arc<dyn Approver>) -> Arc<dyn Approver> {
        match (self.yes, self.no) {
            (true, _) => Arc::new(FixedApprover(ApprovalResponse::Approved { answered_by: String::from("--yes") })),
            (_, true) => Arc::new(FixedApprover(ApprovalResponse::Refused { answered_by: String::from("--no") })),
            (false, false) => otherwise(),
        }
    }
}

/// Answers every ask alike.
#[derive(Debug)]
struct FixedApprover(ApprovalResponse);

impl Approver for FixedApprover {
    fn request_approval(&self, _question: &ApprovalRequest<'_>) -> ApprovalResponse {
        self.0.clone()
    }
}

/// Leaves the ask open, so that the outcome is an ask.
pub(crate) fn defer_approval() -> Arc<dyn Approver> {
    Arc::new(FixedApprover(ApprovalResponse::Deferred))
}
