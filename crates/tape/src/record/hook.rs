//! The records of one hook within a dispatch.

use std::borrow::Cow;

use pintle_contract::{CallId, Decision, Event, EventKind, Failure, Hook, Verdict, VerdictKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dispatch::{deserialize_present, has_args_text};
use super::verdict::{RecordedFailure, RecordedVerdict};

/// A hook is called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookCallRecord<'a> {
    /// The dispatch.
    pub dispatch: u64,
    /// The call, unique in the tape.
    pub call: u64,
    /// The hook's name.
    pub hook: Cow<'a, str>,
    /// The hook's number, as in [`LoadedHook`](super::LoadedHook).
    pub entry: u64,
    /// The round of the call: 0, then 1 to 3 for rechecks.
    pub round: u8,
    /// The version of the payload that the hook sees.
    pub payload: u32,
    /// The same as in [`EventRecord`](super::EventRecord), for that version.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub args_text: bool,
    /// That version, if it appears for the first time.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "deserialize_present")]
    pub value: Option<Cow<'a, Value>>,
}

/// A hook is skipped or not called: its matcher failed, or the host cancelled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookSkippedRecord<'a> {
    /// The dispatch.
    pub dispatch: u64,
    /// The hook's name.
    pub hook: Cow<'a, str>,
    /// The hook's number, as in [`LoadedHook`](super::LoadedHook).
    pub entry: u64,
    /// The round in which its turn came: 0, then 1 to 4 for rechecks.
    pub round: u8,
    /// Why.
    pub failure: RecordedFailure<'a>,
}

/// A hook returned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookReturnedRecord<'a> {
    /// The dispatch.
    pub dispatch: u64,
    /// The call.
    pub call: u64,
    /// The hook's name.
    pub hook: Cow<'a, str>,
    /// How long the call took.
    pub duration_us: u64,
    /// The verdict.
    pub verdict: RecordedVerdict<'a>,
}

/// The verdict just before blocks, or decides a permission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookVetoedRecord<'a> {
    /// The dispatch.
    pub dispatch: u64,
    /// The call.
    pub call: u64,
    /// The hook's name.
    pub hook: Cow<'a, str>,
    /// The reason; may be empty.
    pub reason: Cow<'a, str>,
    /// The decision: `deny`, and for a permission also `allow` and `ask`.
    pub decision: Decision,
}

impl<'a> HookCallRecord<'a> {
    /// Records that a hook is called.
    #[must_use]
    pub fn new(dispatch: u64, call: CallId, hook: &'a Hook, entry: u64, round: u8) -> Self {
        let hook = Cow::Borrowed(hook.id.as_str());
        Self { dispatch, call: call.0, hook, entry, round, payload: 0, args_text: false, value: None }
    }

    /// Sets the version of the payload that the hook sees, which is written if it is new.
    #[must_use]
    pub fn with_payload_version(mut self, event: &'a Event, payload: u32, first_seen: bool) -> Self {
        self.payload = payload;
        self.value = first_seen.then(|| Cow::Borrowed(event.payload.value()));
        self.args_text = self.value.as_deref().is_some_and(has_args_text);
        self
    }
}

impl<'a> HookSkippedRecord<'a> {
    /// Records that a hook is skipped or not called.
    #[must_use]
    pub fn new(dispatch: u64, hook: &'a Hook, entry: u64, round: u8, failure: &'a Failure) -> Self {
        Self { dispatch, hook: Cow::Borrowed(hook.id.as_str()), entry, round, failure: failure.into() }
    }
}

impl<'a> HookReturnedRecord<'a> {
    /// Records a hook's verdict.
    #[must_use]
    pub fn new(dispatch: u64, call: CallId, hook: &'a Hook, verdict: &'a Verdict, duration_us: u64) -> Self {
        let (hook, said) = (Cow::Borrowed(hook.id.as_str()), verdict.into());
        Self { dispatch, call: call.0, hook, duration_us, verdict: said }
    }
}

impl<'a> HookVetoedRecord<'a> {
    /// Records a veto or a permission decision; `None` for any other verdict.
    #[must_use]
    pub fn from_verdict(dispatch: u64, call: CallId, hook: &'a Hook, verdict: &'a Verdict) -> Option<Self> {
        let (decision, reason) = match &verdict.kind {
            VerdictKind::Deny { reason } => (Decision::Deny, reason),
            VerdictKind::Allow { reason } => (Decision::Allow, reason),
            VerdictKind::Ask { reason } => (Decision::Ask, reason),
            VerdictKind::Pass | VerdictKind::Rewrite(_) | VerdictKind::Failed(_) => return None,
        };
        let counts = decision == Decision::Deny || hook.event.kind() == EventKind::PermissionAsk;
        counts.then(|| Self {
            dispatch,
            call: call.0,
            hook: Cow::Borrowed(hook.id.as_str()),
            reason: Cow::Borrowed(reason),
            decision,
        })
    }
}
