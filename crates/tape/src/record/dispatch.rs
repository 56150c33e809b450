//! The records of a dispatch as a whole.

use std::borrow::Cow;

use pintle_contract::{
    Approval, ApprovalResponse, ApprovalScope, CallId, Decision, Effect, EffectError, EffectReply, EffectRequest,
    Event, FailurePolicy, Layer, Origin, Outcome, OutcomeReason, Warning,
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::verdict::{RecordedFailure, RecordedVerdict};

/// A dispatch begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventRecord<'a> {
    /// The number of the dispatch, from 1.
    pub dispatch: u64,
    /// The dispatch that caused it, such as that of a hook that emitted an event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u64>,
    /// The call of the hook that caused it, in that dispatch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<u64>,
    /// The event's name.
    pub event: Cow<'a, str>,
    /// Whose life.
    pub origin: Cow<'a, Origin>,
    /// The payload as fired: version 0.
    pub payload: Cow<'a, Value>,
}

/// An ask was answered, or nobody was there to answer it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRecord<'a> {
    /// The dispatch whose hooks asked; absent where the host itself did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<u64>,
    /// Whose life, where the host asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Cow<'a, Origin>>,
    /// The tool call that it is about, where the host asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Cow<'a, str>>,
    /// SHA-256 of the payload that the answer is bound to.
    pub digest: Cow<'a, str>,
    /// Who asked and why.
    pub reasons: Cow<'a, [OutcomeReason]>,
    /// The answer.
    pub answer: ApprovalResult,
    /// Who gave it, where somebody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "by")]
    pub approver: Option<Cow<'a, str>>,
}

/// How an ask was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalResult {
    /// Yes.
    Approved,
    /// Yes, for every call of the tool with the same arguments.
    GrantedTool,
    /// Yes, for every call of the session.
    GrantedSession,
    /// No.
    Refused,
    /// The host asks in its own way.
    Deferred,
    /// There was nobody to ask.
    Unavailable,
}

/// A hook or tool reached outside itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EffectRecord<'a> {
    /// The dispatch, for one that a hook made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<u64>,
    /// The call, for one that a hook made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
    /// The hook or tool.
    #[serde(rename = "by")]
    pub caller_name: Cow<'a, str>,
    /// The configuration layer that it belongs to, whose state it changes. Default: the project, as for every tool.
    #[serde(default = "default_layer", skip_serializing_if = "is_default_layer")]
    pub layer: Layer,
    /// What it asked for.
    pub request: Cow<'a, EffectRequest>,
    /// What it got.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Cow<'a, EffectReply>>,
    /// Why it got nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Cow<'a, EffectError>>,
}

fn default_layer() -> Layer {
    Layer::Project
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_default_layer(layer: &Layer) -> bool {
    *layer == Layer::Project
}

/// Something worth telling that is no verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WarningRecord<'a> {
    /// The dispatch, when one was going on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<u64>,
    /// The hook.
    pub hook: Cow<'a, str>,
    /// What.
    pub message: Cow<'a, str>,
}

/// A dispatch is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutcomeRecord<'a> {
    /// The dispatch.
    pub dispatch: u64,
    /// The event's name.
    pub event: Cow<'a, str>,
    /// What the host must do.
    pub decision: Decision,
    /// Whether a hook said yes in so many words.
    pub approved: bool,
    /// Whether the final payload differs from the one that was fired.
    pub rewritten: bool,
    /// The version of the final payload.
    pub payload: u32,
    /// That version, where it appears for the first time.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_present")]
    pub value: Option<Cow<'a, Value>>,
    /// Why.
    #[serde(default, skip_serializing_if = "<[OutcomeReason]>::is_empty")]
    pub reasons: Cow<'a, [OutcomeReason]>,
    /// Effects for the host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<HookEffect<'a>>,
    /// Hooks that gave no answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailureEntry<'a>>,
    /// What deserves attention.
    #[serde(default, skip_serializing_if = "<[Warning]>::is_empty")]
    pub warnings: Cow<'a, [Warning]>,
    /// What hooks in shadow mode would have done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shadow: Vec<ShadowEntry<'a>>,
    /// The approval of an ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Cow<'a, Approval>>,
    /// How many hooks were asked.
    #[serde(rename = "asked")]
    pub hooks_called: u32,
}

/// An effect and whose it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookEffect<'a> {
    /// The hook.
    pub hook: Cow<'a, str>,
    /// The effect.
    pub effect: Cow<'a, Effect>,
}

/// A hook that gave no answer, and what that meant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailureEntry<'a> {
    /// The hook.
    pub hook: Cow<'a, str>,
    /// What happened.
    pub failure: RecordedFailure<'a>,
    /// What it meant.
    pub policy: FailurePolicy,
}

/// What a hook in shadow mode would have done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShadowEntry<'a> {
    /// The hook.
    pub hook: Cow<'a, str>,
    /// What it said.
    #[serde(rename = "said")]
    pub verdict: RecordedVerdict<'a>,
}

impl ApprovalResult {
    /// The word for a resolution, and who gave it.
    #[must_use]
    pub fn from_response(resolution: &ApprovalResponse) -> (Self, Option<&str>) {
        match resolution {
            ApprovalResponse::Approved { answered_by: by } => (Self::Approved, Some(by)),
            ApprovalResponse::Granted { answered_by: by, grant: ApprovalScope::Tool } => (Self::GrantedTool, Some(by)),
            ApprovalResponse::Granted { answered_by: by, grant: ApprovalScope::Session } => {
                (Self::GrantedSession, Some(by))
            }
            ApprovalResponse::Refused { answered_by: by } => (Self::Refused, Some(by)),
            ApprovalResponse::Deferred => (Self::Deferred, None),
            ApprovalResponse::Unavailable => (Self::Unavailable, None),
        }
    }
}

impl<'a> EventRecord<'a> {
    /// Records that an event is fired.
    #[must_use]
    pub fn new(dispatch: u64, parent: Option<u64>, event: &'a Event, cause: Option<CallId>) -> Self {
        Self {
            dispatch,
            parent,
            // A tool is no call of a hook: it has the number 0.
            cause: cause.map(|call| call.0).filter(|call| *call > 0),
            event: Cow::Borrowed(event.name.as_str()),
            origin: Cow::Borrowed(&event.origin),
            payload: Cow::Borrowed(event.payload.value()),
        }
    }
}

impl<'a> ApprovalRecord<'a> {
    /// Records how the ask of a dispatch's hooks was answered.
    #[must_use]
    pub fn new(dispatch: u64, digest: &'a str, reasons: &'a [OutcomeReason], resolution: &'a ApprovalResponse) -> Self {
        Self { dispatch: Some(dispatch), ..Self::for_host(digest, reasons, resolution) }
    }

    /// Records how a question of the host itself was answered.
    #[must_use]
    pub fn for_host(digest: &'a str, reasons: &'a [OutcomeReason], resolution: &'a ApprovalResponse) -> Self {
        let (answer, by) = ApprovalResult::from_response(resolution);
        Self {
            dispatch: None,
            origin: None,
            id: None,
            digest: Cow::Borrowed(digest),
            reasons: Cow::Borrowed(reasons),
            answer,
            approver: by.map(Cow::Borrowed),
        }
    }

    /// Says whose question it was, and about which tool call.
    #[must_use]
    pub fn with_call(mut self, origin: &'a Origin, id: &'a str) -> Self {
        (self.origin, self.id) = (Some(Cow::Borrowed(origin)), Some(Cow::Borrowed(id)));
        self
    }
}

impl<'a> WarningRecord<'a> {
    /// Records a warning.
    #[must_use]
    pub fn new(dispatch: Option<u64>, warning: &'a Warning) -> Self {
        let (hook, message) = (Cow::Borrowed(warning.hook.as_str()), Cow::Borrowed(&*warning.message));
        Self { dispatch, hook, message }
    }
}

impl<'a> OutcomeRecord<'a> {
    /// Records an outcome, whose payload is the version `payload`.
    #[must_use]
    pub fn new(dispatch: u64, event: &'a str, outcome: &'a Outcome, payload: u32, first_seen: bool) -> Self {
        let effect = |(hook, effect): &'a (pintle_contract::HookId, Effect)| HookEffect {
            hook: Cow::Borrowed(hook.as_str()),
            effect: Cow::Borrowed(effect),
        };
        let failure = |report: &'a pintle_contract::FailureReport| FailureEntry {
            hook: Cow::Borrowed(report.hook.as_str()),
            failure: (&report.failure).into(),
            policy: report.policy,
        };
        let shadow = |verdict: &'a pintle_contract::ShadowVerdict| ShadowEntry {
            hook: Cow::Borrowed(verdict.hook.as_str()),
            verdict: (&verdict.verdict).into(),
        };
        Self {
            dispatch,
            event: Cow::Borrowed(event),
            decision: outcome.decision,
            approved: outcome.approved,
            rewritten: outcome.rewritten,
            payload,
            value: first_seen.then(|| Cow::Borrowed(outcome.payload.value())),
            reasons: Cow::Borrowed(&outcome.reasons),
            effects: outcome.effects.iter().map(effect).collect(),
            failures: outcome.failures.iter().map(failure).collect(),
            warnings: Cow::Borrowed(&outcome.warnings),
            shadow: outcome.shadow.iter().map(shadow).collect(),
            approval: outcome.approval.as_ref().map(Cow::Borrowed),
            hooks_called: outcome.hooks_called,
        }
    }
}

/// Reads a field that is there, so that a `null` somebody sent is told from a field that is absent.
pub(super) fn deserialize_present<'de, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Cow<'a, Value>>, D::Error> {
    Value::deserialize(deserializer).map(|value| Some(Cow::Owned(value)))
}
