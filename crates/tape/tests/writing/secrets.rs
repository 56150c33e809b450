//! Secrets never reach the tape.

use std::sync::Arc;

use pintle_contract::{
    Effect, EffectCaller, EffectError, EffectReply, EffectRequest, EventCause, Failure, FailureKind, Journal,
    JournalEntry, Outcome, OutcomeReason, Payload, Redactor, Verdict, Warning,
};
use pintle_tape::{HeaderRecord, Record, RecordBody, RecordObserver, Tape, read_bytes};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::writing::fixture::{WritingTickingClock, fixture_chain, make_event};

/// Redacts one word.
#[derive(Debug)]
struct OneWordRedactor;

impl Redactor for OneWordRedactor {
    fn redact(&self, text: &str) -> Option<String> {
        self.may_contain_secret(text).then(|| text.replace("hunter2", "[REDACTED]"))
    }

    fn may_contain_secret(&self, text: &str) -> bool {
        text.contains("hunter2")
    }
}

/// Keeps the lines that it observes.
#[derive(Debug, Default)]
struct CapturingObserver(std::sync::Mutex<Vec<String>>);

impl RecordObserver for CapturingObserver {
    fn on_record(&self, record: &Record<'_>, line: &str) {
        let mut shown = self.0.lock().unwrap();
        shown.push(line.to_owned());
        shown.push(format!("{:?}", record.body));
    }
}

#[test]
fn a_tape_that_is_scrubbed_holds_no_secret_in_any_record_and_is_whole() {
    let tape = Tape::in_memory(HeaderRecord::new("s1", 1), Arc::new(WritingTickingClock::default()));
    let shown = Arc::new(CapturingObserver::default());
    tape.observe(shown.clone());
    tape.set_redactor(Arc::new(OneWordRedactor));
    let nested = (0..150).fold(json!("hunter2"), |inner, _| json!([inner]));
    let payload = json!({
        "name": "run", "args": {"hunter2": "x", "a": 1.50}, "arguments": "{\"p\":\"hunter2\"}",
    });
    let call = make_event("tool.pre", payload);
    tape.record_hooks([fixture_chain()]);
    let guard = &*fixture_chain().hooks[1];
    let dispatch = tape.begin_dispatch(&JournalEntry::Event { event: &call, cause: EventCause::default() });
    let id = tape.next_call();
    tape.record(dispatch, &JournalEntry::Call { id, hook: guard, round: 0, event: &call });
    let caller = EffectCaller::new(id, "guard").with_dispatch(dispatch);
    tape.record_effect(
        caller,
        &EffectRequest::CacheGet { key: String::from("hunter2") },
        &Ok(EffectReply::Value(json!(["hunter2"]))),
    );
    tape.record_effect(caller, &EffectRequest::Now, &Err(EffectError(String::from("no hunter2"))));
    let mut verdict =
        Verdict::deny("it says hunter2").with_warning("hunter2!").with_effect(Effect::Notice(String::from("hunter2")));
    tape.record(dispatch, &JournalEntry::Return { id, hook: guard, verdict: &verdict, duration_us: 1 });
    verdict = Verdict::failed(Failure::new(FailureKind::Crash, "hunter2"));
    tape.record(dispatch, &JournalEntry::Return { id, hook: guard, verdict: &verdict, duration_us: 1 });
    let warning = Warning { hook: guard.id.clone(), message: String::from("about hunter2") };
    tape.record(dispatch, &JournalEntry::Warning { warning: &warning });
    let mut outcome = Outcome::unchanged(call.with_payload(Payload::new(json!({"changed": "hunter2"}))).payload);
    outcome.reasons.push(OutcomeReason::new(guard.id.clone(), "hunter2"));
    tape.record(dispatch, &JournalEntry::Outcome { event: &call, outcome: &outcome });
    tape.record_note("remark", json!({"text": "hunter2, I said"}));
    tape.record_note("deep", nested);

    let text = tape.lines().join("\n");
    assert!(!text.contains("hunter2"), "{text}");
    assert!(!shown.0.lock().unwrap().iter().any(|shown| shown.contains("hunter2")));
    let reading = read_bytes(format!("{text}\n").as_bytes()).unwrap();
    let mut prev = None;
    for (line, record) in tape.lines().iter().zip(&reading.records) {
        assert_eq!(record.prev, prev, "the chain of digests is that of the clean lines");
        assert_eq!(&record.to_line().unwrap(), line, "numbers and order stay");
        prev = Some(Sha256::digest(line).iter().map(|byte| format!("{byte:02x}")).collect());
    }
    let RecordBody::Event(fired) = &reading.records[2].body else { panic!("{text}") };
    assert_eq!(fired.payload["args"], json!({"[REDACTED]": "x", "a": 1.50}));
    assert_eq!(fired.payload["arguments"], json!("{\"p\":\"[REDACTED]\"}"));
    assert_eq!(reading.records.len(), 13);
}
