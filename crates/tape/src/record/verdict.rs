//! What a hook said, as a tape spells it.

use std::borrow::Cow;

use pintle_contract::{Effect, Failure, FailureKind, Rewrite, Verdict, VerdictKind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::dispatch::deserialize_present;

/// A verdict in the words of the tape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedVerdict<'a> {
    /// The answer in a word.
    pub verdict: VerdictLabel,
    /// Why, with `allow`, `ask` and `deny`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Cow<'a, str>>,
    /// The fields a rewrite replaces; an `allow` or `ask` that comes with a rewrite has them too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Cow<'a, Map<String, Value>>>,
    /// The payload a rewrite puts in the place of the whole one, as for `fields`; may be `null`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_present")]
    #[serde(rename = "whole")]
    pub whole_payload: Option<Cow<'a, Value>>,
    /// Why there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<RecordedFailure<'a>>,
    /// What comes with it.
    #[serde(default, skip_serializing_if = "<[Effect]>::is_empty")]
    pub effects: Cow<'a, [Effect]>,
    /// What its author should know.
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    pub warnings: Cow<'a, [String]>,
}

/// A verdict in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VerdictLabel {
    /// No objection and no opinion.
    Pass,
    /// An explicit yes.
    Allow,
    /// Go on with another payload.
    Rewrite,
    /// A person should look.
    Ask,
    /// No.
    Deny,
    /// No answer.
    Failed,
}

/// Why there was no answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedFailure<'a> {
    /// The kind.
    pub kind: FailureKind,
    /// What happened, one line.
    pub message: Cow<'a, str>,
    /// The file, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line in it, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
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
        let mut said = Self {
            verdict: VerdictLabel::Pass,
            reason: None,
            fields: None,
            whole_payload: None,
            failure: None,
            effects: Cow::Borrowed(&verdict.effects),
            warnings: Cow::Borrowed(&verdict.warnings),
        };
        match &verdict.kind {
            VerdictKind::Pass => {}
            VerdictKind::Allow { reason } => {
                (said.verdict, said.reason) = (VerdictLabel::Allow, Some(Cow::Borrowed(&**reason)))
            }
            VerdictKind::Ask { reason } => {
                (said.verdict, said.reason) = (VerdictLabel::Ask, Some(Cow::Borrowed(&**reason)))
            }
            VerdictKind::Deny { reason } => {
                (said.verdict, said.reason) = (VerdictLabel::Deny, Some(Cow::Borrowed(&**reason)))
            }
            VerdictKind::Rewrite(_) => said.verdict = VerdictLabel::Rewrite,
            VerdictKind::Failed(failure) => (said.verdict, said.failure) = (VerdictLabel::Failed, Some(failure.into())),
        }
        match verdict.target_rewrite() {
            None => {}
            Some(Rewrite::Fields(fields)) => said.fields = Some(Cow::Borrowed(fields)),
            Some(Rewrite::Whole(value)) => said.whole_payload = Some(Cow::Borrowed(value)),
        }
        said
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
