//! Converts the engine's journal entries to records, for both the writer and replay.

use std::borrow::Cow;

use pintle_contract::{CallId, Decision, Event, Hook, JournalEntry, Outcome, Payload, Verdict, VerdictKind};

use crate::record::{
    ApprovalRecord, EventRecord, HookCallRecord, HookReturnedRecord, HookSkippedRecord, HookVetoedRecord,
    OutcomeRecord, PassedCall, RecordBody, RecordedVerdict, WarningRecord,
};

/// An open dispatch.
#[derive(Debug, Default)]
pub(crate) struct OpenDispatch {
    /// Its number.
    pub(crate) number: u64,
    /// The number of the dispatch that caused it.
    pub(crate) parent: Option<u64>,
    /// The hook call that caused it.
    pub(crate) cause: Option<CallId>,
    /// The calls that have not returned.
    running_calls: Vec<CallId>,
    /// The versions of the payload so far.
    versions: Vec<Payload>,
}

/// A version of a dispatch's payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PayloadVersion {
    /// Its number, from 0.
    pub(crate) number: u32,
    /// Whether it is new.
    pub(crate) first_seen: bool,
}

impl OpenDispatch {
    /// Begins a dispatch of an event.
    pub(crate) fn new(number: u64, parent: Option<u64>, cause: Option<CallId>, event: &Event) -> Self {
        Self { number, parent, cause, running_calls: Vec::new(), versions: vec![event.payload.clone()] }
    }

    /// Begins a hook call.
    pub(crate) fn begin_call(&mut self, call: CallId) {
        self.running_calls.push(call);
    }

    /// Ends a hook call.
    pub(crate) fn end_call(&mut self, call: CallId) {
        self.running_calls.retain(|running| *running != call);
    }

    /// Whether a call has not returned.
    pub(crate) fn is_running(&self, call: CallId) -> bool {
        self.running_calls.contains(&call)
    }

    /// The number of a payload within the dispatch.
    pub(crate) fn number_payload(&mut self, payload: &Payload) -> PayloadVersion {
        // The newest version is the likeliest, and comparing a shared allocation is cheap.
        if let Some(index) = self.versions.iter().rposition(|known| known == payload) {
            return PayloadVersion { number: u32::try_from(index).unwrap_or(u32::MAX), first_seen: false };
        }
        self.versions.push(payload.clone());
        PayloadVersion { number: u32::try_from(self.versions.len() - 1).unwrap_or(u32::MAX), first_seen: true }
    }
}

/// The records of a dispatch that become a single one if nothing happens but that built-in hooks pass.
#[derive(Debug)]
pub(crate) struct PassingDispatch {
    number: u64,
    parent: Option<u64>,
    cause: Option<CallId>,
    event: Event,
    /// When the event was fired.
    at_ms: u64,
    /// Those of the calls so far, each with its time.
    records: Vec<(u64, RecordBody<'static>)>,
}

impl PassingDispatch {
    /// Begins with the record of the event.
    pub(crate) fn new(open: &OpenDispatch, event: &Event, at_ms: u64) -> Self {
        let (number, parent, cause) = (open.number, open.parent, open.cause);
        Self { number, parent, cause, event: event.clone(), at_ms, records: Vec::new() }
    }

    /// The number of the dispatch.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The event.
    pub(crate) fn event(&self) -> &Event {
        &self.event
    }

    /// When the event was fired.
    pub(crate) fn at_ms(&self) -> u64 {
        self.at_ms
    }

    /// Adds a call or a return. Returns false for anything that needs a record of its own.
    pub(crate) fn add(&mut self, at_ms: u64, entry: &JournalEntry<'_>, number: impl Fn(&Hook) -> Option<u64>) -> bool {
        let record = match entry {
            JournalEntry::Call { id, hook, round: 0, event } if event.payload.ptr_eq(&self.event.payload) => {
                let Some(entry) = number(hook) else { return false };
                let (dispatch, hook) = (self.number, Cow::Owned(hook.id.to_string()));
                let (call, round, payload) = (id.0, 0, 0);
                RecordBody::HookCall(HookCallRecord {
                    dispatch,
                    call,
                    hook,
                    entry,
                    round,
                    payload,
                    args_text: false,
                    value: None,
                })
            }
            JournalEntry::Return { id, hook, verdict, duration_us } if is_passing(verdict) => {
                let hook = Cow::Owned(hook.id.to_string());
                let (dispatch, call, verdict) = (self.number, id.0, RecordedVerdict::passing());
                RecordBody::HookReturned(HookReturnedRecord {
                    dispatch,
                    call,
                    hook,
                    duration_us: *duration_us,
                    verdict,
                })
            }
            _ => return false,
        };
        self.records.push((at_ms, record));
        true
    }

    /// The record of the whole dispatch, if it has this outcome because its hooks passed.
    pub(crate) fn as_single_record(&self, outcome: &Outcome) -> Option<EventRecord<'_>> {
        let Outcome { decision, approved, rewritten, reasons, effects, failures, warnings, shadow, approval, .. } =
            outcome;
        let is_plain = *decision == Decision::Allow
            && !approved
            && !rewritten
            && reasons.is_empty()
            && effects.is_empty()
            && failures.is_empty()
            && warnings.is_empty()
            && shadow.is_empty()
            && approval.is_none();
        let calls = self.records.iter().filter_map(|(_, record)| match record {
            RecordBody::HookCall(call) => Some(call),
            _ => None,
        });
        let duration_of = |id: u64| {
            self.records.iter().find_map(|(_, record)| match record {
                RecordBody::HookReturned(returned) if returned.call == id => Some(returned.duration_us),
                _ => None,
            })
        };
        let passed: Option<Vec<PassedCall<'_>>> = calls
            .map(|HookCallRecord { call, hook, entry, .. }| {
                let (hook, duration_us) = (Cow::Borrowed(&**hook), duration_of(*call)?);
                Some(PassedCall { call: *call, hook, entry: *entry, duration_us })
            })
            .collect();
        let passed = passed.filter(|passed| is_plain && passed.len() == outcome.hooks_called as usize)?;
        (!passed.is_empty()).then(|| EventRecord { passed, ..self.event_record() })
    }

    /// The records of the dispatch so far, each on its own with its time.
    pub(crate) fn write_to(&self, mut each: impl FnMut(u64, RecordBody<'_>)) {
        each(self.at_ms, RecordBody::Event(self.event_record()));
        self.records.iter().for_each(|(at_ms, record)| each(*at_ms, record.clone()));
    }

    fn event_record(&self) -> EventRecord<'_> {
        EventRecord::new(self.number, self.parent, &self.event, self.cause)
    }
}

fn is_passing(verdict: &Verdict) -> bool {
    matches!(verdict.kind, VerdictKind::Pass)
        && verdict.rewrite.is_none()
        && verdict.effects.is_empty()
        && verdict.warnings.is_empty()
}

/// Converts one journal entry to its records, in order. `number` returns the number of a hook on the tape.
pub(crate) fn records_of_entry<'a>(
    entry: &JournalEntry<'a>,
    open: &mut OpenDispatch,
    number: impl Fn(&Hook) -> u64,
    mut each: impl FnMut(RecordBody<'a>),
) {
    let dispatch = open.number;
    match entry {
        JournalEntry::Event { event, .. } => {
            each(RecordBody::Event(EventRecord::new(dispatch, open.parent, event, open.cause)))
        }
        JournalEntry::MatcherFailed { hook, round, failure } => {
            each(RecordBody::MatcherFailed(HookSkippedRecord::new(dispatch, hook, number(hook), *round, failure)));
        }
        JournalEntry::NotCalled { hook, round, failure } => {
            each(RecordBody::NotCalled(HookSkippedRecord::new(dispatch, hook, number(hook), *round, failure)));
        }
        JournalEntry::Call { id, hook, round, event } => {
            let version = open.number_payload(&event.payload);
            let entry = number(hook);
            let asked = HookCallRecord::new(dispatch, *id, hook, entry, *round);
            each(RecordBody::HookCall(asked.with_payload_version(event, version.number, version.first_seen)));
        }
        JournalEntry::Return { id, hook, verdict, duration_us } => {
            each(RecordBody::HookReturned(HookReturnedRecord::new(dispatch, *id, hook, verdict, *duration_us)));
            if let Some(vetoed) = HookVetoedRecord::from_verdict(dispatch, *id, hook, verdict) {
                each(RecordBody::HookVetoed(vetoed));
            }
        }
        JournalEntry::Warning { warning } => {
            each(RecordBody::Warning(WarningRecord::new((dispatch > 0).then_some(dispatch), warning)))
        }
        JournalEntry::ApprovalAnswered { digest, reasons, response: resolution } => {
            each(RecordBody::Approval(ApprovalRecord::new(dispatch, digest, reasons, resolution)));
        }
        JournalEntry::Outcome { event, outcome } => {
            let version = open.number_payload(&outcome.payload);
            let name = event.name.as_str();
            each(RecordBody::Outcome(OutcomeRecord::new(dispatch, name, outcome, version.number, version.first_seen)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pintle_contract::{EventName, Origin};
    use serde_json::json;

    use super::*;

    #[test]
    fn each_version_is_new_once() {
        let name = EventName::parse("tool.pre").unwrap();
        let fired = Event::new(name, json!({"a": 1}), Arc::new(Origin::default()));
        let mut open = OpenDispatch::new(1, None, None, &fired);
        let version = |number, first_seen| PayloadVersion { number, first_seen };
        assert_eq!(open.number_payload(&fired.payload), version(0, false));
        assert_eq!(open.number_payload(&Payload::new(json!({"a": 2}))), version(1, true));
        assert_eq!(open.number_payload(&Payload::new(json!({"a": 2}))), version(1, false));
        assert_eq!(open.number_payload(&fired.payload), version(0, false));
    }
}
