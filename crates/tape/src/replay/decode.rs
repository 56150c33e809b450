//! Conversion of recorded verdicts, failures and approvals to the types of the contract.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use pintle_contract::{
    ApprovalResponse, ApprovalScope, ByteSpan, Diagnostic, Failure, Location, Rewrite, SourceFile, Verdict, VerdictKind,
};

use crate::record::{ApprovalRecord, ApprovalResult, RecordedFailure, RecordedVerdict, VerdictLabel};

/// The verdict that a hook returned.
///
/// What the engine ignores, such as a rewrite returned with a deny, is not on the tape.
pub fn decode_verdict(recorded: RecordedVerdict<'_>) -> Verdict {
    let RecordedVerdict { kind, reason, fields, whole_payload: whole, failure, effects, warnings } = recorded;
    let reason = reason.map(Cow::into_owned).unwrap_or_default();
    let rewrite = match (fields, whole) {
        (Some(fields), _) => Some(Rewrite::Fields(fields.into_owned())),
        (None, Some(whole)) => Some(Rewrite::Whole(whole.into_owned())),
        (None, None) => None,
    };
    let (kind, rewrite) = match kind {
        VerdictLabel::Pass => (VerdictKind::Pass, None),
        VerdictLabel::Allow => (VerdictKind::Allow { reason }, rewrite),
        VerdictLabel::Ask => (VerdictKind::Ask { reason }, rewrite),
        VerdictLabel::Deny => (VerdictKind::Deny { reason }, None),
        VerdictLabel::Rewrite => (rewrite.map_or(VerdictKind::Pass, VerdictKind::Rewrite), None),
        VerdictLabel::Failed => {
            (failure.map_or(VerdictKind::Pass, |recorded| VerdictKind::Failed(decode_failure(recorded))), None)
        }
    };
    Verdict { kind, rewrite, effects: effects.into_owned(), warnings: warnings.into_owned() }
}

/// The recorded failure, with its recorded location.
pub fn decode_failure(recorded: RecordedFailure<'_>) -> Failure {
    let RecordedFailure { kind, message, path, line } = recorded;
    let failure = Failure::new(kind, message);
    match path {
        None => failure,
        Some(path) => {
            // The file may not exist any more. A text of empty lines puts the location in the recorded line.
            let start = line.unwrap_or(1).saturating_sub(1);
            let file = SourceFile { path: PathBuf::from(path), text: "\n".repeat(start) };
            let location = Location::new(Arc::new(file), ByteSpan { start, end: start });
            failure.with_location(Diagnostic::error("replayed", "", location))
        }
    }
}

/// The recorded approval response.
pub fn decode_approval(recorded: &ApprovalRecord<'_>) -> ApprovalResponse {
    let by = || recorded.approver.as_deref().unwrap_or_default().to_owned();
    match recorded.answer {
        ApprovalResult::Approved => ApprovalResponse::Approved { answered_by: by() },
        ApprovalResult::GrantedTool => ApprovalResponse::Granted { answered_by: by(), grant: ApprovalScope::Tool },
        ApprovalResult::GrantedSession => {
            ApprovalResponse::Granted { answered_by: by(), grant: ApprovalScope::Session }
        }
        ApprovalResult::Refused => ApprovalResponse::Refused { answered_by: by() },
        ApprovalResult::Deferred => ApprovalResponse::Deferred,
        ApprovalResult::Unavailable => ApprovalResponse::Unavailable,
    }
}
