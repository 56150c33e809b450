//! The records of one hook within a dispatch.

use std::borrow::Cow;

use pintle_contract::{CallId, Decision, Event, Failure, Hook, Verdict, VerdictKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dispatch::deserialize_present;
use super::verdict::{RecordedFailure, RecordedVerdict};

/// A hook is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookCallRecord<'a> {
    /// The dispatch.
    pub dispatch: u64,
    /// The call, unique in the tape.
    pub call: u64,
    /// The hook's name.
    pub hook: Cow<'a, str>,
    /// The hook's number, as in [`LoadedHook`](super::HookEntry).
    pub entry: u64,
    /// The round in which it is asked: 0, then 1 to 3 when guards are asked again. In format 2 it is 0 for the first asking.
    pub round: u8,
    /// The version of the payload it sees.
    pub payload: u32,
    /// That version, where it appears for the first time.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_present")]
    pub value: Option<Cow<'a, Value>>,
}

/// A hook is passed over or not asked: its matcher failed, or the host cancelled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookSkippedRecord<'a> {
    /// The dispatch.
    pub dispatch: u64,
    /// The hook's name.
    pub hook: Cow<'a, str>,
    /// The hook's number, as in [`LoadedHook`](super::HookEntry).
    pub entry: u64,
    /// The round in which its turn came: 0, then 1 to 4 when guards have their turn again.
    pub round: u8,
    /// Why.
    pub failure: RecordedFailure<'a>,
}

/// A hook answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookReturnedRecord<'a> {
    /// The dispatch.
    pub dispatch: u64,
    /// The call.
    pub call: u64,
    /// The hook's name.
    pub hook: Cow<'a, str>,
    /// How long it took.
    pub duration_us: u64,
    /// What it said.
    #[serde(rename = "said")]
    pub verdict: RecordedVerdict<'a>,
}

/// The answer just before blocks, or decides a permission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookVetoedRecord<'a> {
    /// The dispatch.
    pub dispatch: u64,
    /// The call.
    pub call: u64,
    /// The hook's name.
    pub hook: Cow<'a, str>,
    /// Why; may be empty.
    pub reason: Cow<'a, str>,
    /// What it wants: `deny`, and of a permission `allow` and `ask` too.
    pub decision: Decision,
}

impl<'a> HookCallRecord<'a> {
    /// Records that a hook is asked about `event`, whose payload is the version `payload`.
    #[must_use]
    pub fn new(dispatch: u64, call: CallId, hook: &'a Hook, entry: u64, round: u8) -> Self {
        let hook = Cow::Borrowed(hook.id.as_str());
        Self { dispatch, call: call.0, hook, entry, round, payload: 0, value: None }
    }

    /// Says which version of the payload it sees, which is written where it is new.
    #[must_use]
    pub fn with_payload_version(mut self, event: &'a Event, payload: u32, first_seen: bool) -> Self {
        self.payload = payload;
        self.value = first_seen.then(|| Cow::Borrowed(event.payload.value()));
        self
    }
}

impl<'a> HookSkippedRecord<'a> {
    /// Records that a hook is passed over or not asked.
    #[must_use]
    pub fn new(dispatch: u64, hook: &'a Hook, entry: u64, round: u8, failure: &'a Failure) -> Self {
        Self { dispatch, hook: Cow::Borrowed(hook.id.as_str()), entry, round, failure: failure.into() }
    }
}

impl<'a> HookReturnedRecord<'a> {
    /// Records what a hook said.
    #[must_use]
    pub fn new(dispatch: u64, call: CallId, hook: &'a Hook, verdict: &'a Verdict, duration_us: u64) -> Self {
        let (hook, said) = (Cow::Borrowed(hook.id.as_str()), verdict.into());
        Self { dispatch, call: call.0, hook, duration_us, verdict: said }
    }
}

impl<'a> HookVetoedRecord<'a> {
    /// Records a veto or a permission decision; `None` for any other answer (Harn, Tape capture and replay).
    #[must_use]
    pub fn from_verdict(dispatch: u64, call: CallId, hook: &'a Hook, verdict: &'a Verdict) -> Option<Self> {
        let (decision, reason) = match &verdict.kind {
            VerdictKind::Deny { reason } => (Decision::Deny, reason),
            VerdictKind::Allow { reason } => (Decision::Allow, reason),
            VerdictKind::Ask { reason } => (Decision::Ask, reason),
            VerdictKind::Pass | VerdictKind::Rewrite(_) | VerdictKind::Failed(_) => return None,
        };
        let counts = decision == Decision::Deny || hook.event.as_str() == "permission.ask";
        counts.then(|| Self {
            dispatch,
            call: call.0,
            hook: Cow::Borrowed(hook.id.as_str()),
            reason: Cow::Borrowed(reason),
            decision,
        })
    }
}
