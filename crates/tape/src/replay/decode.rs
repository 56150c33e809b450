//! What a tape says, back in the words of the contract.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use pintle_contract::{
    ApprovalResponse, ApprovalScope, ByteSpan, Diagnostic, Failure, Location, Rewrite, SourceFile, Verdict, VerdictKind,
};

use crate::record::{ApprovalRecord, ApprovalResult, RecordedFailure, RecordedVerdict, VerdictLabel};

/// The verdict of a hook, as it was returned.
///
/// What the engine leaves out of account (a rewrite beside a deny) is not on a tape and changes nothing.
pub fn decode_verdict(said: RecordedVerdict<'_>) -> Verdict {
    let RecordedVerdict { verdict, reason, fields, whole_payload: whole, failure, effects, warnings } = said;
    let reason = reason.map(Cow::into_owned).unwrap_or_default();
    let rewrite = match (fields, whole) {
        (Some(fields), _) => Some(Rewrite::Fields(fields.into_owned())),
        (None, Some(whole)) => Some(Rewrite::Whole(whole.into_owned())),
        (None, None) => None,
    };
    let (said, rewrite) = match verdict {
        VerdictLabel::Pass => (VerdictKind::Pass, None),
        VerdictLabel::Allow => (VerdictKind::Allow { reason }, rewrite),
        VerdictLabel::Ask => (VerdictKind::Ask { reason }, rewrite),
        VerdictLabel::Deny => (VerdictKind::Deny { reason }, None),
        VerdictLabel::Rewrite => (rewrite.map_or(VerdictKind::Pass, VerdictKind::Rewrite), None),
        VerdictLabel::Failed => {
            (failure.map_or(VerdictKind::Pass, |text| VerdictKind::Failed(self::decode_failure(text))), None)
        }
    };
    Verdict { kind: said, rewrite, effects: effects.into_owned(), warnings: warnings.into_owned() }
}

/// A failure, at the place that was recorded.
pub fn decode_failure(text: RecordedFailure<'_>) -> Failure {
    let RecordedFailure { kind, message, path, line } = text;
    let failure = Failure::new(kind, message);
    match path {
        None => failure,
        Some(path) => {
            // The file may be gone. A text of so many empty lines has the place in the same line.
            let start = line.unwrap_or(1).saturating_sub(1);
            let file = SourceFile { path: PathBuf::from(path), text: "\n".repeat(start) };
            let place = Location::new(Arc::new(file), ByteSpan { start, end: start });
            failure.with_location(Diagnostic::error("replayed", "", place))
        }
    }
}

/// The answer to an ask.
pub fn decode_approval(resolved: &ApprovalRecord<'_>) -> ApprovalResponse {
    let by = || resolved.approver.as_deref().unwrap_or_default().to_owned();
    match resolved.answer {
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
