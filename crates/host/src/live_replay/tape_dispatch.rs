//! The recorded dispatches of a tape.

use std::collections::HashMap;
use std::sync::Arc;

use pintle_contract::{
    ApprovalResponse, EffectError, EffectReply, EffectRequest, Event, EventKind, EventName, FailureKind, Origin,
    Payload, Verdict,
};
use pintle_tape::record::{HookCallRecord, OutcomeRecord};
use pintle_tape::replay::{decode_approval, decode_verdict};
use pintle_tape::{LoadedHook, LoadedTape, RecordBody};
use serde_json::Value;

/// One recorded dispatch.
#[derive(Debug)]
pub(super) struct TapeDispatch {
    pub(super) number: u64,
    pub(super) event: Event,
    pub(super) calls: Vec<TapeCall>,
    pub(super) effects: Vec<TapeEffect>,
    pub(super) approval_response: Option<ApprovalResponse>,
    /// The number of hooks called before the host cancelled the dispatch; `None` if it did not.
    pub(super) cancelled_after: Option<usize>,
    /// The line of the outcome and its record; `None` if the session ended before it.
    pub(super) outcome: Option<(usize, OutcomeRecord<'static>)>,
    /// The versions of the payload.
    pub(super) versions: Vec<Payload>,
}

/// One recorded call of a hook.
#[derive(Debug)]
pub(super) struct TapeCall {
    pub(super) line: usize,
    pub(super) call: u64,
    pub(super) hook: String,
    /// The hook's number on the tape.
    pub(super) entry: u64,
    /// The number of earlier calls of the hook in the dispatch.
    pub(super) earlier_call_count: usize,
    /// The number of the payload version that the hook saw.
    pub(super) payload: u32,
    /// `None` if the session ended before the call returned.
    pub(super) verdict: Option<Verdict>,
}

/// A recorded effect request of a hook, with its reply.
#[derive(Debug, Clone)]
pub(super) struct TapeEffect {
    pub(super) line: usize,
    pub(super) hook: String,
    pub(super) request: EffectRequest,
    pub(super) reply: Result<EffectReply, EffectError>,
}

/// The recorded hooks by their number.
pub(super) type TapeHookTable = HashMap<u64, LoadedHook>;

/// The working directory of a session. The origins on a tape do not have it, but the payload of `session.start` does.
pub(super) fn session_dir(tape: &LoadedTape) -> Option<&str> {
    tape.records.iter().find_map(|record| match &record.body {
        RecordBody::Event(fired) if fired.event == EventKind::SessionStart.name() => {
            fired.payload.get("cwd").and_then(Value::as_str)
        }
        _ => None,
    })
}

/// The hooks and dispatches of a tape. Events that this version does not know are left out, because no hook can have
/// them.
pub(super) fn dispatches_of(tape: &LoadedTape) -> (TapeHookTable, Vec<TapeDispatch>) {
    let mut loaded = TapeHookTable::new();
    let cwd = session_dir(tape).unwrap_or_default();
    let mut list: Vec<TapeDispatch> = Vec::new();
    let mut by_number: HashMap<u64, usize> = HashMap::new();
    for (line_index, record) in tape.records.iter().enumerate() {
        match &record.body {
            RecordBody::Hooks(hooks) => {
                loaded.extend(hooks.hooks.iter().map(|hook| (hook.entry, hook.clone())));
            }
            RecordBody::Event(fired) => {
                let Ok(name) = EventName::parse(&fired.event) else { continue };
                let payload = Payload::new(fired.payload.clone().into_owned());
                let origin = Origin { cwd: cwd.to_owned(), ..fired.origin.clone().into_owned() };
                by_number.insert(fired.dispatch, list.len());
                let mut recorded = TapeDispatch {
                    number: fired.dispatch,
                    event: Event::new(name, payload.clone(), Arc::new(origin)),
                    calls: Vec::new(),
                    effects: Vec::new(),
                    approval_response: None,
                    cancelled_after: None,
                    outcome: fired.outcome().map(|outcome| (line_index + 1, outcome)),
                    versions: vec![payload],
                };
                fired.hook_records().for_each(|record| recorded.add_call_record(line_index + 1, &record));
                list.push(recorded);
            }
            body => {
                let index = body.dispatch().and_then(|number| by_number.get(&number));
                if let Some(recorded) = index.and_then(|index| list.get_mut(*index)) {
                    recorded.add_record(line_index + 1, body);
                }
            }
        }
    }
    (loaded, list)
}

impl TapeDispatch {
    /// Adds the record of a hook's call or of its return.
    fn add_call_record(&mut self, line: usize, body: &RecordBody<'_>) {
        match body {
            RecordBody::HookCall(record) => {
                let HookCallRecord { call, hook, entry, payload, value, .. } = record;
                self.versions.extend(value.as_deref().map(|value| Payload::new(value.clone())));
                let (call, hook, entry) = (*call, hook.clone().into_owned(), *entry);
                let earlier_call_count = self.calls.iter().filter(|call| call.hook == hook).count();
                let (payload, verdict) = (*payload, None);
                self.calls.push(TapeCall { line, call, hook, entry, earlier_call_count, payload, verdict });
            }
            RecordBody::HookReturned(returned) => {
                if let Some(call) = self.calls.iter_mut().find(|call| call.call == returned.call) {
                    call.verdict = Some(decode_verdict(returned.verdict.clone()));
                }
            }
            _ => {}
        }
    }

    fn add_record(&mut self, line: usize, body: &RecordBody<'static>) {
        match body {
            RecordBody::HookCall(_) | RecordBody::HookReturned(_) => self.add_call_record(line, body),
            RecordBody::Effect(effect) => {
                let error = || effect.error.clone().map(|error| error.into_owned());
                let reply = match &effect.reply {
                    Some(reply) => Ok(reply.clone().into_owned()),
                    None => Err(error().unwrap_or(EffectError(String::new()))),
                };
                let (hook, request) = (effect.caller.clone().into_owned(), effect.request.clone().into_owned());
                self.effects.push(TapeEffect { line, hook, request, reply });
            }
            RecordBody::NotCalled(skipped) if skipped.failure.kind == FailureKind::Cancelled => {
                self.cancelled_after.get_or_insert(self.calls.len());
            }
            RecordBody::Approval(approval) => self.approval_response = Some(decode_approval(approval)),
            RecordBody::Outcome(outcome) => {
                self.versions.extend(outcome.value.as_deref().map(|value| Payload::new(value.clone())));
                self.outcome = Some((line, outcome.clone()));
            }
            _ => {}
        }
    }

    /// The payload version with this number.
    pub(super) fn payload_version(&self, number: u32) -> Option<&Payload> {
        self.versions.get(usize::try_from(number).ok()?)
    }
}
