//! The records of a dispatch.

use std::borrow::Cow;
use std::io;

use pintle_contract::{
    Approval, ApprovalResponse, ApprovalScope, CallId, Decision, Effect, EffectError, EffectReply, EffectRequest,
    Event, FailurePolicy, Layer, Origin, Outcome, OutcomeReason, Warning, json_text, write_json,
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
    /// The session, turn and agent that fired the event.
    #[serde(skip_serializing)]
    pub origin: Cow<'a, Origin>,
    /// Whether no hook matches the event. The record is then the whole dispatch: the event is allowed, with this
    /// payload.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_hooks: bool,
    /// The calls of its hooks, if nothing happened but that built-in hooks passed. The record is then the whole dispatch,
    /// too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<PassedCall<'a>>,
    /// Whether the payload's `arguments` are long and the compact JSON text of its `args`. They are then `null` on the
    /// tape, and a reader computes them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub args_text: bool,
    /// The payload as fired: version 0.
    pub payload: Cow<'a, Value>,
}

/// A call of a hook that passed: it has no effects and no warnings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PassedCall<'a> {
    /// The call, unique in the tape.
    pub call: u64,
    /// The hook's name.
    pub hook: Cow<'a, str>,
    /// The hook's number, as in [`LoadedHook`](super::LoadedHook).
    pub entry: u64,
    /// How long the call took.
    pub duration_us: u64,
}

/// An ask was answered, or no user was available.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRecord<'a> {
    /// The dispatch whose hooks asked; absent if the host itself asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<u64>,
    /// The session, turn and agent, if the host asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Cow<'a, Origin>>,
    /// The tool call that it is about, if the host asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Cow<'a, str>>,
    /// SHA-256 of the payload that the answer applies to.
    pub digest: Cow<'a, str>,
    /// Which hooks asked, and why.
    pub reasons: Cow<'a, [OutcomeReason]>,
    /// The answer.
    pub answer: ApprovalResult,
    /// Who gave the answer, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approver: Option<Cow<'a, str>>,
}

/// How an ask was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalResult {
    /// Approved.
    Approved,
    /// Approved for every call of the tool with the same arguments.
    GrantedTool,
    /// Approved for every call of the session.
    GrantedSession,
    /// Denied.
    Refused,
    /// The host asks the user in its own way.
    Deferred,
    /// No user was available.
    Unavailable,
}

/// A hook or tool made an effect request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EffectRecord<'a> {
    /// The dispatch, if a hook made the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<u64>,
    /// The hook call, if a hook made the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
    /// The hook or tool.
    pub caller: Cow<'a, str>,
    /// The configuration layer that it belongs to, whose state the effect changes. Default: the project, as for every
    /// tool.
    #[serde(default = "default_layer", skip_serializing_if = "is_default_layer")]
    pub layer: Layer,
    /// The request.
    pub request: Cow<'a, EffectRequest>,
    /// The reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Cow<'a, EffectReply>>,
    /// The error, in place of a reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Cow<'a, EffectError>>,
}

fn default_layer() -> Layer {
    Layer::Project
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde requires this signature")]
fn is_default_layer(layer: &Layer) -> bool {
    *layer == Layer::Project
}

/// A warning about a hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WarningRecord<'a> {
    /// The dispatch, if one was open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<u64>,
    /// The hook.
    pub hook: Cow<'a, str>,
    /// The warning.
    pub message: Cow<'a, str>,
}

/// A dispatch ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutcomeRecord<'a> {
    /// The dispatch.
    pub dispatch: u64,
    /// The event's name.
    pub event: Cow<'a, str>,
    /// What the host must do.
    pub decision: Decision,
    /// Whether a hook explicitly allowed the event.
    pub approved: bool,
    /// Whether the final payload differs from the fired one.
    pub rewritten: bool,
    /// The version of the final payload.
    pub payload: u32,
    /// The reasons for the decision.
    #[serde(default, skip_serializing_if = "<[OutcomeReason]>::is_empty")]
    pub reasons: Cow<'a, [OutcomeReason]>,
    /// Effects for the host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<HookEffect<'a>>,
    /// Hooks that failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailureEntry<'a>>,
    /// Warnings for the user.
    #[serde(default, skip_serializing_if = "<[Warning]>::is_empty")]
    pub warnings: Cow<'a, [Warning]>,
    /// The verdicts of hooks in shadow mode.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shadow: Vec<ShadowEntry<'a>>,
    /// The approval of an ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Cow<'a, Approval>>,
    /// The number of hooks that were called.
    pub hooks_called: u32,
    /// The same as in [`EventRecord`], for the final version.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub args_text: bool,
    /// The final version of the payload, if it appears for the first time.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_present")]
    pub value: Option<Cow<'a, Value>>,
}

/// An effect and its hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookEffect<'a> {
    /// The hook.
    pub hook: Cow<'a, str>,
    /// The effect.
    pub effect: Cow<'a, Effect>,
}

/// A hook that failed, and the failure policy that applied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailureEntry<'a> {
    /// The hook.
    pub hook: Cow<'a, str>,
    /// The failure.
    pub failure: RecordedFailure<'a>,
    /// The failure policy.
    pub policy: FailurePolicy,
}

/// The verdict of a hook in shadow mode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShadowEntry<'a> {
    /// The hook.
    pub hook: Cow<'a, str>,
    /// The verdict.
    pub verdict: RecordedVerdict<'a>,
}

impl ApprovalResult {
    /// The recorded answer of an approval response, and who gave it.
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

/// The field of a payload with the text of a call's arguments.
pub(crate) const ARGUMENTS: &str = "arguments";
/// The minimum size of arguments that a reader computes.
const LONG_ARGUMENTS_BYTES: usize = 1 << 10;

/// Whether the `arguments` of a payload are long, and the compact JSON text of its `args`.
pub(super) fn has_args_text(payload: &Value) -> bool {
    let text = payload.get(ARGUMENTS).and_then(Value::as_str).filter(|text| text.len() >= LONG_ARGUMENTS_BYTES);
    let Some((args, text)) = payload.get("args").zip(text) else { return false };
    let mut expected = ExpectedBytes(text.as_bytes());
    write_json(&mut expected, args).is_ok() && expected.0.is_empty()
}

/// Puts the text of `args` into `arguments`, where a record has `null`.
pub(crate) fn restore_args_text(payload: &mut Value) {
    let text = payload.get("args").map(json_text);
    if let Some((arguments, text)) = payload.get_mut(ARGUMENTS).zip(text) {
        *arguments = Value::String(text);
    }
}

/// What is still to be written. Anything else is an error.
struct ExpectedBytes<'t>(&'t [u8]);

impl io::Write for ExpectedBytes<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.strip_prefix(bytes).ok_or(io::ErrorKind::InvalidData)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> EventRecord<'a> {
    /// Records that an event is fired.
    #[must_use]
    pub fn new(dispatch: u64, parent: Option<u64>, event: &'a Event, cause: Option<CallId>) -> Self {
        Self {
            dispatch,
            parent,
            // A tool is not a hook call: it has the number 0.
            cause: cause.map(|call| call.0).filter(|call| *call > 0),
            event: Cow::Borrowed(event.name.as_str()),
            origin: Cow::Borrowed(&event.origin),
            no_hooks: false,
            passed: Vec::new(),
            args_text: has_args_text(event.payload.value()),
            payload: Cow::Borrowed(event.payload.value()),
        }
    }

    /// The record with another payload.
    pub(crate) fn with_payload(&self, payload: Cow<'a, Value>) -> Self {
        let Self { dispatch, parent, cause, ref event, ref origin, no_hooks, ref passed, args_text, .. } = *self;
        let (event, origin, passed) = (event.clone(), origin.clone(), passed.clone());
        Self { dispatch, parent, cause, event, origin, no_hooks, passed, args_text, payload }
    }

    /// Sets whether no hook matches the event.
    #[must_use]
    pub fn with_no_hooks(self, no_hooks: bool) -> Self {
        Self { no_hooks, ..self }
    }

    /// The outcome, if the record is the whole dispatch.
    #[must_use]
    pub fn outcome(&self) -> Option<OutcomeRecord<'static>> {
        (self.no_hooks || !self.passed.is_empty()).then(|| OutcomeRecord {
            dispatch: self.dispatch,
            event: Cow::Owned(self.event.to_string()),
            decision: Decision::Allow,
            approved: false,
            rewritten: false,
            payload: 0,
            reasons: Cow::Borrowed(&[]),
            effects: Vec::new(),
            failures: Vec::new(),
            warnings: Cow::Borrowed(&[]),
            shadow: Vec::new(),
            approval: None,
            hooks_called: u32::try_from(self.passed.len()).unwrap_or(u32::MAX),
            args_text: false,
            value: None,
        })
    }
}

impl<'a> ApprovalRecord<'a> {
    /// Records how the ask of a dispatch's hooks was answered.
    #[must_use]
    pub fn new(dispatch: u64, digest: &'a str, reasons: &'a [OutcomeReason], resolution: &'a ApprovalResponse) -> Self {
        Self { dispatch: Some(dispatch), ..Self::for_host(digest, reasons, resolution) }
    }

    /// Records how an approval request of the host itself was answered.
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

    /// Sets the origin of the request and the tool call that it is about.
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
            args_text: first_seen && has_args_text(outcome.payload.value()),
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

/// Deserializes a present field, so that an explicit `null` differs from an absent field.
pub(super) fn deserialize_present<'de, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Cow<'a, Value>>, D::Error> {
    Value::deserialize(deserializer).map(|value| Some(Cow::Owned(value)))
}
