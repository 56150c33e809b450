//! Verdicts as a tape records them.

use std::borrow::Cow;

use pintle_contract::{Effect, Failure, FailureKind, Rewrite, Verdict, VerdictKind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::dispatch::deserialize_present;

/// A recorded verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedVerdict<'a> {
    /// The kind of verdict.
    pub kind: VerdictLabel,
    /// The reason of an `allow`, `ask` or `deny`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Cow<'a, str>>,
    /// The fields that a rewrite replaces, also for an `allow` or `ask` of a rewritten payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Cow<'a, Map<String, Value>>>,
    /// The payload that replaces the whole one, as for `fields`; may be `null`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_present")]
    pub whole_payload: Option<Cow<'a, Value>>,
    /// The failure, if the hook failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<RecordedFailure<'a>>,
    /// The effects returned with the verdict.
    #[serde(default, skip_serializing_if = "<[Effect]>::is_empty")]
    pub effects: Cow<'a, [Effect]>,
    /// Warnings for the hook's author.
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    pub warnings: Cow<'a, [String]>,
}

/// The kind of a verdict, as a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VerdictLabel {
    /// No objection and no opinion.
    Pass,
    /// An explicit approval.
    Allow,
    /// A rewritten payload.
    Rewrite,
    /// The user must approve.
    Ask,
    /// A denial.
    Deny,
    /// No verdict.
    Failed,
}

/// A recorded failure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedFailure<'a> {
    /// The kind.
    pub kind: FailureKind,
    /// What happened, one line.
    pub message: Cow<'a, str>,
    /// The file, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line in it, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

impl RecordedVerdict<'_> {
    /// The verdict of a hook that passes.
    pub(crate) fn passing() -> Self {
        Self {
            kind: VerdictLabel::Pass,
            reason: None,
            fields: None,
            whole_payload: None,
            failure: None,
            effects: Cow::Borrowed(&[]),
            warnings: Cow::Borrowed(&[]),
        }
    }
}

impl VerdictLabel {
    /// The word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Allow => "allow",
            Self::Rewrite => "rewrite",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Failed => "failed",
        }
    }
}

impl<'a> From<&'a Verdict> for RecordedVerdict<'a> {
    fn from(verdict: &'a Verdict) -> Self {
        let (effects, warnings) = (Cow::Borrowed(&*verdict.effects), Cow::Borrowed(&*verdict.warnings));
        let mut recorded = Self { effects, warnings, ..Self::passing() };
        match &verdict.kind {
            VerdictKind::Pass => {}
            VerdictKind::Allow { reason } => {
                (recorded.kind, recorded.reason) = (VerdictLabel::Allow, Some(Cow::Borrowed(&**reason)))
            }
            VerdictKind::Ask { reason } => {
                (recorded.kind, recorded.reason) = (VerdictLabel::Ask, Some(Cow::Borrowed(&**reason)))
            }
            VerdictKind::Deny { reason } => {
                (recorded.kind, recorded.reason) = (VerdictLabel::Deny, Some(Cow::Borrowed(&**reason)))
            }
            VerdictKind::Rewrite(_) => recorded.kind = VerdictLabel::Rewrite,
            VerdictKind::Failed(failure) => {
                (recorded.kind, recorded.failure) = (VerdictLabel::Failed, Some(failure.into()))
            }
        }
        match verdict.target_rewrite() {
            None => {}
            Some(Rewrite::Fields(fields)) => recorded.fields = Some(Cow::Borrowed(fields)),
            Some(Rewrite::Whole(value)) => recorded.whole_payload = Some(Cow::Borrowed(value)),
        }
        recorded
    }
}

impl<'a> From<&'a Failure> for RecordedFailure<'a> {
    fn from(failure: &'a Failure) -> Self {
        let location = failure.diagnostic.as_ref().map(|diagnostic| &diagnostic.location);
        Self {
            kind: failure.kind,
            message: Cow::Borrowed(&failure.message),
            path: location.and_then(|place| place.path()).map(|path| path.display().to_string()),
            line: location.and_then(|place| place.line_column()).map(|(line, _)| line),
        }
    }
}
