//! The records of a dispatch.

use std::borrow::Cow;

use pintle_contract::{
    Approval, Decision, Effect, FailurePolicy, Origin, Outcome, Reason, Reply, Request, SeamError, Warning,
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::said::{FailureText, SaidText};

/// A dispatch begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fired<'a> {
    /// The number of the dispatch, from 1.
    pub dispatch: u64,
    /// The dispatch that caused it, such as that of a hook that emitted an event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u64>,
    /// The event's name.
    pub event: Cow<'a, str>,
    /// Whose life.
    pub origin: Cow<'a, Origin>,
    /// The payload as fired: version 0.
    pub payload: Cow<'a, Value>,
}

/// A hook is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asked<'a> {
    /// The dispatch.
    pub dispatch: u64,
    /// The call, unique in the tape.
    pub call: u64,
    /// The hook.
    pub hook: Cow<'a, str>,
    /// 0 for the first asking, then 1 to 3 when guards are asked again.
    pub round: u8,
    /// The version of the payload it sees.
    pub payload: u32,
    /// That version, where it appears for the first time.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub value: Option<Cow<'a, Value>>,
}

/// A hook or tool reached outside itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Effected<'a> {
    /// The dispatch, for one that a hook made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<u64>,
    /// The call, for one that a hook made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
    /// The hook or tool.
    pub by: Cow<'a, str>,
    /// What it asked for.
    pub request: Cow<'a, Request>,
    /// What it got.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Cow<'a, Reply>>,
    /// Why it got nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Cow<'a, SeamError>>,
}

/// A hook answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answered<'a> {
    /// The dispatch.
    pub dispatch: u64,
    /// The call.
    pub call: u64,
    /// The hook.
    pub hook: Cow<'a, str>,
    /// How long it took.
    pub duration_us: u64,
    /// What it said.
    pub said: SaidText<'a>,
}

/// Something worth telling that is no verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Warned<'a> {
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
pub struct Decided<'a> {
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
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub value: Option<Cow<'a, Value>>,
    /// Why.
    #[serde(default, skip_serializing_if = "<[Reason]>::is_empty")]
    pub reasons: Cow<'a, [Reason]>,
    /// Effects for the host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<HookEffect<'a>>,
    /// Hooks that gave no answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailureNote<'a>>,
    /// What deserves attention.
    #[serde(default, skip_serializing_if = "<[Warning]>::is_empty")]
    pub warnings: Cow<'a, [Warning]>,
    /// What hooks in shadow mode would have done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shadow: Vec<ShadowNote<'a>>,
    /// The approval of an ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Cow<'a, Approval>>,
    /// How many hooks were asked.
    pub asked: u32,
}

/// An effect and whose it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HookEffect<'a> {
    /// The hook.
    pub hook: Cow<'a, str>,
    /// The effect.
    pub effect: Cow<'a, Effect>,
}

/// A hook that gave no answer, and what that meant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailureNote<'a> {
    /// The hook.
    pub hook: Cow<'a, str>,
    /// What happened.
    pub failure: FailureText<'a>,
    /// What it meant.
    pub policy: FailurePolicy,
}

/// What a hook in shadow mode would have done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShadowNote<'a> {
    /// The hook.
    pub hook: Cow<'a, str>,
    /// What it said.
    pub said: SaidText<'a>,
}

impl<'a> Decided<'a> {
    /// Records an outcome, whose payload is the version `payload`.
    #[must_use]
    pub fn new(dispatch: u64, event: &'a str, outcome: &'a Outcome, payload: u32, first_seen: bool) -> Self {
        let effect = |(hook, effect): &'a (pintle_contract::HookId, Effect)| HookEffect {
            hook: Cow::Borrowed(hook.as_str()),
            effect: Cow::Borrowed(effect),
        };
        let failure = |report: &'a pintle_contract::FailureReport| FailureNote {
            hook: Cow::Borrowed(report.hook.as_str()),
            failure: (&report.failure).into(),
            policy: report.policy,
        };
        let shadow = |verdict: &'a pintle_contract::ShadowVerdict| ShadowNote {
            hook: Cow::Borrowed(verdict.hook.as_str()),
            said: (&verdict.verdict).into(),
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
            asked: outcome.asked,
        }
    }
}

/// Reads a field that is there, so that a `null` somebody sent is told from a field that is absent.
pub(super) fn present<'de, 'a, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Cow<'a, Value>>, D::Error> {
    Value::deserialize(deserializer).map(|value| Some(Cow::Owned(value)))
}
