//! What a hook said, as a tape spells it.

use std::borrow::Cow;

use pintle_contract::{Effect, Failure, FailureKind, Rewrite, Verdict, VerdictKind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::dispatch::present;

/// A verdict in the words of the tape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SaidText<'a> {
    /// The answer in a word.
    pub verdict: Word,
    /// Why, with `allow`, `ask` and `deny`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Cow<'a, str>>,
    /// The fields a rewrite replaces; an `allow` or `ask` that comes with a rewrite has them too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Cow<'a, Map<String, Value>>>,
    /// The payload a rewrite puts in the place of the whole one, as for `fields`; may be `null`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub whole: Option<Cow<'a, Value>>,
    /// Why there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureText<'a>>,
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
pub enum Word {
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
pub struct FailureText<'a> {
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

impl Word {
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

impl<'a> From<&'a Verdict> for SaidText<'a> {
    fn from(verdict: &'a Verdict) -> Self {
        let mut said = Self {
            verdict: Word::Pass,
            reason: None,
            fields: None,
            whole: None,
            failure: None,
            effects: Cow::Borrowed(&verdict.effects),
            warnings: Cow::Borrowed(&verdict.warnings),
        };
        match &verdict.kind {
            VerdictKind::Pass => {}
            VerdictKind::Allow { reason } => {
                (said.verdict, said.reason) = (Word::Allow, Some(Cow::Borrowed(&**reason)))
            }
            VerdictKind::Ask { reason } => (said.verdict, said.reason) = (Word::Ask, Some(Cow::Borrowed(&**reason))),
            VerdictKind::Deny { reason } => (said.verdict, said.reason) = (Word::Deny, Some(Cow::Borrowed(&**reason))),
            VerdictKind::Rewrite(_) => said.verdict = Word::Rewrite,
            VerdictKind::Failed(failure) => (said.verdict, said.failure) = (Word::Failed, Some(failure.into())),
        }
        match verdict.target_rewrite() {
            None => {}
            Some(Rewrite::Fields(fields)) => said.fields = Some(Cow::Borrowed(fields)),
            Some(Rewrite::Whole(value)) => said.whole = Some(Cow::Borrowed(value)),
        }
        said
    }
}

impl<'a> From<&'a Failure> for FailureText<'a> {
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
