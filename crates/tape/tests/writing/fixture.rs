//! Sessions to record.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use pintle_contract::{
    Chain, Clock, Decision, DispatchId, Effect, EffectCaller, EffectError, EffectReply, EffectRequest, Event,
    EventCause, EventName, Failure, FailureKind, FailurePolicy, FailureReport, HookId, Journal, JournalEntry, Layer,
    Origin, Outcome, OutcomeReason, Payload, Profile, Verdict, Warning,
};
use pintle_tape::{HeaderRecord, LoadedTape, Tape, read_bytes};
use pintle_testkit::{ScriptedHandler, chain, hook};
use serde_json::{Value, json};

/// A clock that advances one millisecond each time it is read.
#[derive(Debug, Default)]
pub(crate) struct WritingTickingClock(AtomicU64);

impl Clock for WritingTickingClock {
    fn unix_ms(&self) -> u64 {
        1_000 + self.0.fetch_add(1, Ordering::Relaxed)
    }

    fn monotonic_us(&self) -> u64 {
        0
    }
}

/// The hooks of the recorded dispatches.
pub(crate) fn fixture_chain() -> &'static Chain {
    static HOOKS: LazyLock<Chain> = LazyLock::new(|| {
        let hook = |name: &str| {
            hook(name, EventName::parse("tool.pre").unwrap(), ScriptedHandler::from_verdict(Verdict::pass()))
        };
        chain(Layer::Project, Profile::SequentialFirstDeny, ["shape", "guard"].map(hook))
    });
    &HOOKS
}

pub(crate) fn make_event(name: &str, payload: Value) -> Event {
    let origin =
        Origin { session: String::from("s1"), turn: 1, agent: String::from("root"), depth: 0, ..Origin::default() };
    Event::new(EventName::parse(name).unwrap(), payload, Arc::new(origin))
}

/// Reads a tape in memory.
pub(crate) fn read_memory_tape(tape: &Tape) -> LoadedTape {
    read_bytes(tape.lines().join("\n").as_bytes()).unwrap()
}

/// Records a dispatch with a rewrite, a nested event, a failure and a deny.
pub(crate) fn record_dispatch(tape: &Tape) -> DispatchId {
    let call = make_event("tool.pre", json!({"id": "1", "name": "run", "arguments": "{}", "args": {}}));
    let (shape, guard) = (&*fixture_chain().hooks[0], &*fixture_chain().hooks[1]);
    let dispatch = tape.begin_dispatch(&JournalEntry::Event { event: &call, cause: EventCause::default() });
    let first = tape.next_call();
    tape.record(dispatch, &JournalEntry::Call { id: first, hook: shape, round: 0, event: &call });

    let emitted = make_event("custom.seen", json!(null));
    let cause = EventCause { parent: Some(dispatch), call: Some(first), depth: 1 };
    let nested = tape.begin_dispatch(&JournalEntry::Event { event: &emitted, cause });
    tape.record(
        nested,
        &JournalEntry::Outcome { event: &emitted, outcome: &Outcome::unchanged(emitted.payload.clone()) },
    );
    let caller = EffectCaller::new(first, "shape").with_dispatch(dispatch);
    let emit = EffectRequest::Emit { event: String::from("custom.seen"), payload: json!(null) };
    tape.record_effect(caller, &emit, &Ok(EffectReply::Value(json!(null))));
    tape.record_effect(caller, &EffectRequest::Now, &Ok(EffectReply::Int(5)));

    let args = json!({"safe": true}).as_object().cloned().unwrap_or_default();
    let fields = [(String::from("args"), Value::Object(args))].into_iter().collect();
    let verdict =
        Verdict::rewrite(fields).with_effect(Effect::Context(String::from("be careful"))).with_warning("slow");
    tape.record(dispatch, &JournalEntry::Return { id: first, hook: shape, verdict: &verdict, duration_us: 12 });

    let rewritten = Payload::new(json!({"id": "1", "name": "run", "arguments": "{}", "args": {"safe": true}}));
    let seen = call.with_payload(rewritten.clone());
    let second = tape.next_call();
    tape.record(dispatch, &JournalEntry::Call { id: second, hook: guard, round: 1, event: &seen });
    let web = EffectRequest::Http {
        method: String::from("GET"),
        url: String::from("http://a.example"),
        headers: Vec::new(),
        body: None,
        timeout_ms: 1,
    };
    let caller = EffectCaller::new(second, "guard").with_dispatch(dispatch);
    tape.record_effect(caller, &web, &Err(EffectError(String::from("no network"))));
    let failure = Failure::new(FailureKind::Error, "no network \x1b[2J");
    let verdict = Verdict::failed(failure.clone());
    tape.record(dispatch, &JournalEntry::Return { id: second, hook: guard, verdict: &verdict, duration_us: 20_000 });
    tape.record(
        dispatch,
        &JournalEntry::Warning {
            warning: &Warning { hook: HookId::new("other"), message: String::from("`when` failed") },
        },
    );
    let outcome = Outcome {
        decision: Decision::Deny,
        payload: rewritten,
        rewritten: true,
        reasons: vec![OutcomeReason::new(HookId::new("guard"), "failed closed")],
        failures: vec![FailureReport { hook: HookId::new("guard"), failure, policy: FailurePolicy::Closed }],
        hooks_called: 2,
        ..Outcome::unchanged(Payload::new(Value::Null))
    };
    tape.record(dispatch, &JournalEntry::Outcome { event: &call, outcome: &outcome });
    tape.record_effect(EffectCaller::new(Default::default(), "a_tool"), &EffectRequest::Uuid, &Ok(EffectReply::Done));
    tape.record_note("remark", json!({"role": "assistant", "text": "I cannot."}));
    tape.record_note("event", json!(1));
    dispatch
}

pub(crate) fn new_tape() -> Tape {
    let tape = Tape::in_memory(HeaderRecord::new("s1", 1_000), Arc::new(WritingTickingClock::default()));
    tape.record_hooks([fixture_chain()]);
    tape
}
