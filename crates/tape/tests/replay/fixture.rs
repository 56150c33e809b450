//! Sessions to record, and changes to tapes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pintle_contract::{
    ApprovalResponse, CancelToken, Chain, Clock, EffectReply, EffectRequest, EffectRunner, Event, EventName, HookCall,
    Journal, Origin, Outcome, Verdict,
};
use pintle_engine::{DispatchContext, HookSet, dispatch};
use pintle_tape::replay::{ReplayOptions, ReplayReport, replay};
use pintle_tape::{HeaderRecord, Tape};
use pintle_testkit::{InMemoryEffects, ScriptedApprover};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A clock that advances each time it is read.
#[derive(Debug, Default)]
pub(crate) struct ReplayTickingClock(AtomicU64);

impl Clock for ReplayTickingClock {
    fn unix_ms(&self) -> u64 {
        1_750_000_000_000 + self.0.fetch_add(1, Ordering::Relaxed)
    }

    fn monotonic_us(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed) * 7
    }
}

/// A session that fires events and is recorded.
#[derive(Debug)]
pub(crate) struct ReplaySessionFixture {
    pub(crate) tape: Arc<Tape>,
    clock: Arc<ReplayTickingClock>,
    effects: ReplayRecordingEffects,
    pub(crate) approval_response: ApprovalResponse,
    pub(crate) shadow: bool,
}

/// An effect runner whose replies are recorded.
#[derive(Debug)]
struct ReplayRecordingEffects {
    tape: Arc<Tape>,
    inner: InMemoryEffects,
}

impl EffectRunner for ReplayRecordingEffects {
    fn perform(
        &self,
        caller: pintle_contract::EffectCaller<'_>,
        request: EffectRequest,
    ) -> Result<EffectReply, pintle_contract::EffectError> {
        let reply = self.inner.perform(caller, request.clone());
        self.tape.record_effect(caller, &request, &reply);
        reply
    }
}

impl ReplaySessionFixture {
    pub(crate) fn new(shadow: bool) -> Self {
        let clock = Arc::new(ReplayTickingClock::default());
        let header = HeaderRecord::new("s1", 1_750_000_000_000).with_shadow(shadow);
        Self::with_tape(Tape::in_memory(header, clock.clone()), clock, shadow)
    }

    /// A session that is recorded on this tape.
    pub(crate) fn with_tape(tape: Tape, clock: Arc<ReplayTickingClock>, shadow: bool) -> Self {
        let tape = Arc::new(tape);
        let seam = ReplayRecordingEffects { tape: Arc::clone(&tape), inner: InMemoryEffects::new() };
        Self { tape, clock, effects: seam, approval_response: ApprovalResponse::Unavailable, shadow }
    }

    pub(crate) fn load(&self, chains: Vec<Chain>) -> HookSet {
        let set = HookSet::new(chains);
        self.tape.record_hooks(set.chains());
        set
    }

    pub(crate) fn fire(
        &self,
        set: &HookSet,
        event: &Event,
        cancel: &CancelToken,
        call: Option<&HookCall<'_>>,
    ) -> Outcome {
        let context = DispatchContext {
            journal: &*self.tape as &dyn Journal,
            clock: &*self.clock,
            effects: &self.effects,
            approver: &ScriptedApprover::new(self.approval_response.clone()),
            cancel,
            shadow: self.shadow,
            cause: call.map(HookCall::cause).unwrap_or_default(),
            memory: None,
        };
        dispatch(set, event, &context)
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut text = self.tape.lines().join("\n");
        text.push('\n');
        text.into_bytes()
    }
}

pub(crate) fn make_event(name: &str, payload: Value) -> Event {
    let origin = Origin { session: String::from("s1"), turn: 1, agent: String::from("root"), ..Origin::default() };
    Event::new(EventName::parse(name).unwrap(), payload, Arc::new(origin))
}

pub(crate) fn tool_event(name: &str, args: Value) -> Event {
    let text = args.to_string();
    make_event("tool.pre", serde_json::json!({"id": "1", "name": name, "arguments": text, "args": args}))
}

/// An effect request of a hook.
pub(crate) fn increment_counter(call: &HookCall<'_>, name: &str) -> Verdict {
    let _ = call.effects.metric_incr(call.caller(), name, 1);
    Verdict::pass()
}

pub(crate) fn replay_tape(tape: &[u8]) -> ReplayReport {
    let options = |threads| ReplayOptions { threads: std::num::NonZeroUsize::new(threads), stop_point: None };
    let one = replay(tape, &options(1)).unwrap();
    for threads in [2, 5] {
        let more = replay(tape, &options(threads)).unwrap();
        assert_eq!((&more.tape, &more.difference), (&one.tape, &one.difference), "{threads} threads");
    }
    one
}

pub(crate) fn assert_replays_equal(tape: &[u8], label: &str) {
    let replayed = replay_tape(tape);
    assert_eq!(replayed.difference, None, "{label}\n{}", String::from_utf8_lossy(tape));
    assert!(replayed.tape == tape, "{label}");
}

/// A tape with changed lines, new numbers and a repaired chain, as an attacker who knows the format writes it.
pub(crate) fn forge_tape(tape: &[u8], change: impl FnOnce(&mut Vec<Value>)) -> Vec<u8> {
    let text = std::str::from_utf8(tape).unwrap();
    let mut records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    change(&mut records);
    let mut prev = Value::Null;
    let mut forged = String::new();
    for (seq, record) in records.iter_mut().enumerate() {
        record["seq"] = Value::from(seq);
        record["prev"] = prev;
        let line = record.to_string();
        let digest = Sha256::digest(line.as_bytes());
        prev = Value::from(digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        forged.push_str(&line);
        forged.push('\n');
    }
    forged.into_bytes()
}
