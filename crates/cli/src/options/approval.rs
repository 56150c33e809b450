//! `--yes` and `--no`: fixed responses to approval requests.

use std::sync::Arc;

use clap::Args;
use pintle_host::{ApprovalRequest, ApprovalResponse, Approver};

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct AskOptions {
    /// Approve every `ask` decision without prompting.
    #[arg(long, conflicts_with = "no")]
    pub(crate) yes: bool,
    /// Refuse every `ask` decision without prompting.
    #[arg(long)]
    pub(crate) no: bool,
}

impl AskOptions {
    /// Returns the fixed response, if one of the flags is set.
    pub(crate) fn fixed_answer(self) -> Option<&'static str> {
        match (self.yes, self.no) {
            (true, _) => Some("yes"),
            (_, true) => Some("no"),
            (false, false) => None,
        }
    }

    /// Returns an approver with the fixed response, or `otherwise` if neither flag is set.
    pub(crate) fn choose_approver(self, otherwise: impl FnOnce() -> Arc<dyn Approver>) -> Arc<dyn Approver> {
        match (self.yes, self.no) {
            (true, _) => Arc::new(FixedApprover(ApprovalResponse::Approved { answered_by: String::from("--yes") })),
            (_, true) => Arc::new(FixedApprover(ApprovalResponse::Refused { answered_by: String::from("--no") })),
            (false, false) => otherwise(),
        }
    }
}

/// Gives every approval request the same response.
#[derive(Debug)]
struct FixedApprover(ApprovalResponse);

impl Approver for FixedApprover {
    fn request_approval(&self, _question: &ApprovalRequest<'_>) -> ApprovalResponse {
        self.0.clone()
    }
}

/// Returns an approver that defers every request, so that the decision stays `ask`.
pub(crate) fn defer_approval() -> Arc<dyn Approver> {
    Arc::new(FixedApprover(ApprovalResponse::Deferred))
}
