//! The dispatches of a tape.

use std::collections::HashMap;
use std::sync::Arc;

use pintle_contract::{
    ApprovalResponse, CallId, EffectError, EffectReply, EffectRequest, Event, EventName, FailureKind, Origin, Payload,
    Verdict,
};
use pintle_tape::record::{HookCallRecord, OutcomeRecord};
use pintle_tape::replay::{decode_approval, decode_verdict};
use pintle_tape::{LoadedHook, LoadedTape, RecordBody};
use serde_json::Value;

/// One dispatch, as it was.
#[derive(Debug)]
pub(super) struct TapeDispatch {
    pub(super) number: u64,
    pub(super) cause: Option<CallId>,
    pub(super) event: Event,
    pub(super) calls: Vec<TapeCall>,
    pub(super) effects: Vec<TapeEffect>,
    pub(super) approval_response: Option<ApprovalResponse>,
    /// How many hooks were called before the host cancelled; `None` when it did not.
    pub(super) cancelled_after: Option<usize>,
    /// The line of the outcome and what it was; `None` when the session ended before it.
    pub(super) outcome: Option<(usize, OutcomeRecord<'static>)>,
    /// The versions of the payload.
    pub(super) versions: Vec<Payload>,
}

/// One call of a hook, as it was.
#[derive(Debug)]
pub(super) struct TapeCall {
    pub(super) line: usize,
    pub(super) call: u64,
    pub(super) hook: String,
    /// The hook's number in the tape.
    pub(super) entry: u64,
    /// How many times the hook was called before in the dispatch.
    pub(super) earlier_call_count: usize,
    /// The version of the payload that it saw.
    pub(super) payload: u32,
    /// What it said; `None` when the session ended before that.
    pub(super) verdict: Option<Verdict>,
}

/// Something that a hook asked of the world.
#[derive(Debug, Clone)]
pub(super) struct TapeEffect {
    pub(super) line: usize,
    pub(super) hook: String,
    pub(super) request: EffectRequest,
    pub(super) reply: Result<EffectReply, EffectError>,
}

/// The hooks that were loaded, by their number.
pub(super) type TapeHookTable = HashMap<u64, LoadedHook>;

/// The folder that a session ran in. It is none of the events' on a tape, and the session's first event tells it.
pub(super) fn session_dir(reading: &LoadedTape) -> Option<&str> {
    reading.records.iter().find_map(|record| match &record.body {
        RecordBody::Event(fired) if fired.event == "session.start" => fired.payload.get("cwd").and_then(Value::as_str),
        _ => None,
    })
}

/// Takes a tape apart. Events that this program does not know are left out: there is no hook for them.
pub(super) fn dispatches_of(reading: &LoadedTape) -> (TapeHookTable, Vec<TapeDispatch>) {
    let mut loaded = TapeHookTable::new();
    let cwd = session_dir(reading).unwrap_or_default();
    let mut list: Vec<TapeDispatch> = Vec::new();
    let mut by_number: HashMap<u64, usize> = HashMap::new();
    for (at, record) in reading.records.iter().enumerate() {
        match &record.body {
            RecordBody::Hooks(hooks) => {
                loaded.extend(hooks.hooks.iter().map(|hook| (hook.entry, hook.clone())));
            }
            RecordBody::Event(fired) => {
                let Ok(name) = EventName::parse(&fired.event) else { continue };
                let payload = Payload::new(fired.payload.clone().into_owned());
                let origin = Origin { cwd: cwd.to_owned(), ..fired.origin.clone().into_owned() };
                by_number.insert(fired.dispatch, list.len());
                list.push(TapeDispatch {
                    number: fired.dispatch,
                    cause: fired.cause.map(CallId),
                    event: Event::new(name, payload.clone(), Arc::new(origin)),
                    calls: Vec::new(),
                    effects: Vec::new(),
                    approval_response: None,
                    cancelled_after: None,
                    outcome: None,
                    versions: vec![payload],
                });
            }
            body => {
                let index = body.dispatch().and_then(|number| by_number.get(&number));
                if let Some(recorded) = index.and_then(|index| list.get_mut(*index)) {
                    recorded.add_record(at + 1, body);
                }
            }
        }
    }
    (loaded, list)
}

impl TapeDispatch {
    fn add_record(&mut self, line: usize, body: &RecordBody<'static>) {
        match body {
            RecordBody::HookCall(asked) => {
                let HookCallRecord { call, hook, entry, payload, value, .. } = asked;
                self.versions.extend(value.as_deref().map(|value| Payload::new(value.clone())));
                let (call, hook, entry) = (*call, hook.clone().into_owned(), *entry);
                let before = self.calls.iter().filter(|call| call.hook == hook).count();
                let (payload, verdict) = (*payload, None);
                self.calls.push(TapeCall { line, call, hook, entry, earlier_call_count: before, payload, verdict });
            }
            RecordBody::HookReturned(answered) => {
                if let Some(call) = self.calls.iter_mut().find(|call| call.call == answered.call) {
                    call.verdict = Some(decode_verdict(answered.verdict.clone()));
                }
            }
            RecordBody::Effect(effected) => {
                let error = || effected.error.clone().map(|error| error.into_owned());
                let answer = match &effected.reply {
                    Some(reply) => Ok(reply.clone().into_owned()),
                    None => Err(error().unwrap_or(EffectError(String::new()))),
                };
                let (hook, request) =
                    (effected.caller_name.clone().into_owned(), effected.request.clone().into_owned());
                self.effects.push(TapeEffect { line, hook, request, reply: answer });
            }
            RecordBody::NotCalled(passed) if passed.failure.kind == FailureKind::Cancelled => {
                self.cancelled_after.get_or_insert(self.calls.len());
            }
            RecordBody::Approval(resolved) => self.approval_response = Some(decode_approval(resolved)),
            RecordBody::Outcome(decided) => {
                self.versions.extend(decided.value.as_deref().map(|value| Payload::new(value.clone())));
                self.outcome = Some((line, decided.clone()));
            }
            _ => {}
        }
    }

    /// A version of the payload.
    pub(super) fn payload_version(&self, number: u32) -> Option<&Payload> {
        self.versions.get(usize::try_from(number).ok()?)
    }
}
