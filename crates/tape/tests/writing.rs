//! What the writer leaves behind, seen through the reader and through `show`.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pintle_contract::{
    Call, Caller, Clock, Decision, Effect, Entry, Event, EventName, Failure, FailureKind, FailurePolicy, FailureReport,
    Handler, Hook, HookId, Journal, Limits, Location, Mode, Origin, Outcome, Payload, Reason, Redact, Reply, Request,
    SeamError, Verdict, Warning,
};
use pintle_tape::show::{Options, lines};
use pintle_tape::{Body, Follower, Header, Record, Tape, TapeError, read, read_bytes};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// One millisecond later each time it is asked.
#[derive(Debug, Default)]
struct Ticking(AtomicU64);

impl Clock for Ticking {
    fn unix_ms(&self) -> u64 {
        1_000 + self.0.fetch_add(1, Ordering::Relaxed)
    }

    fn monotonic_us(&self) -> u64 {
        0
    }
}

#[derive(Debug)]
struct Silent;

impl Handler for Silent {
    fn kind(&self) -> &'static str {
        "native"
    }

    fn call(&self, _call: &Call<'_>) -> Verdict {
        Verdict::pass()
    }
}

fn hook(name: &str, event: &EventName) -> Hook {
    Hook {
        id: HookId::new(name),
        event: event.clone(),
        spelling: Arc::from(event.as_str()),
        priority: 1,
        matcher: None,
        handler: Arc::new(Silent),
        guard: true,
        on_failure: FailurePolicy::Closed,
        on_deny: pintle_contract::OnDeny::default(),
        definition: None,
        strict_matcher: false,
        mode: Mode::Enforce,
        limits: Limits::default(),
        location: Location::default(),
    }
}

fn event(name: &str, payload: Value) -> Event {
    let origin =
        Origin { session: String::from("s1"), turn: 1, agent: String::from("root"), depth: 0, ..Origin::default() };
    Event::new(EventName::parse(name).unwrap(), payload, Arc::new(origin))
}

/// Plays a dispatch with a rewrite, a nested event, a failure and a deny.
fn play(tape: &Tape) {
    let call = event("tool.pre", json!({"id": "1", "name": "run", "arguments": "{}", "args": {}}));
    let (shape, guard) = (hook("shape", &call.name), hook("guard", &call.name));
    tape.record(&Entry::Event { event: &call });
    let first = tape.next_call();
    tape.record(&Entry::Call { id: first, hook: &shape, round: 0, event: &call });

    let emitted = event("custom.seen", json!(null));
    tape.record(&Entry::Event { event: &emitted });
    tape.record(&Entry::Outcome { event: &emitted, outcome: &Outcome::pass(emitted.payload.clone()) });
    let caller = Caller { call: first, name: "shape" };
    let emit = Request::Emit { event: String::from("custom.seen"), payload: json!(null) };
    tape.effect(caller, &emit, &Ok(Reply::Value(json!(null))));
    tape.effect(caller, &Request::Now, &Ok(Reply::Int(5)));

    let args = json!({"safe": true}).as_object().cloned().unwrap_or_default();
    let fields = [(String::from("args"), Value::Object(args))].into_iter().collect();
    let verdict = Verdict::rewrite(fields).with(Effect::Context(String::from("be careful"))).warn("slow");
    tape.record(&Entry::Return { id: first, hook: &shape, verdict: &verdict, duration_us: 12 });

    let rewritten = Payload::new(json!({"id": "1", "name": "run", "arguments": "{}", "args": {"safe": true}}));
    let seen = call.with_payload(rewritten.clone());
    let second = tape.next_call();
    tape.record(&Entry::Call { id: second, hook: &guard, round: 1, event: &seen });
    let web = Request::Http {
        method: String::from("GET"),
        url: String::from("http://a.example"),
        headers: Vec::new(),
        body: None,
        timeout_ms: 1,
    };
    tape.effect(Caller { call: second, name: "guard" }, &web, &Err(SeamError(String::from("no network"))));
    let failure = Failure::new(FailureKind::Error, "no network \x1b[2J");
    let verdict = Verdict::failed(failure.clone());
    tape.record(&Entry::Return { id: second, hook: &guard, verdict: &verdict, duration_us: 20_000 });
    tape.record(&Entry::Warning {
        warning: &Warning { hook: HookId::new("other"), message: String::from("`when` failed") },
    });
    let outcome = Outcome {
        decision: Decision::Deny,
        payload: rewritten,
        rewritten: true,
        reasons: vec![Reason::new(HookId::new("guard"), "failed closed")],
        failures: vec![FailureReport { hook: HookId::new("guard"), failure, policy: FailurePolicy::Closed }],
        asked: 2,
        ..Outcome::pass(Payload::new(Value::Null))
    };
    tape.record(&Entry::Outcome { event: &call, outcome: &outcome });
    tape.effect(Caller { call: Default::default(), name: "a_tool" }, &Request::Uuid, &Ok(Reply::Done));
    tape.note("message", json!({"role": "assistant", "text": "I cannot."}));
    tape.note("event", json!(1));
}

fn new_tape() -> Tape {
    Tape::in_memory(Header::new("s1", 1_000), Arc::new(Ticking::default()))
}

#[test]
fn a_session_reads_well() {
    let tape = new_tape();
    tape.hooks([]);
    play(&tape);
    let reading = read_bytes(tape.lines().join("\n").as_bytes()).unwrap();
    let shown: Vec<String> = lines(&reading, &Options::default()).iter().map(ToString::to_string).collect();
    let expected = [
        "session s1, pintle 0.1.0",
        "+0.001s  0 hooks loaded",
        "+0.002s  deny     tool.pre run",
        "         shape                     rewrite      12 us  replaces args",
        "             emit custom.seen null",
        "             now -> 5",
        "             context: be careful",
        "             warning: slow",
        "         +0.004s  allow    custom.seen  (no hook)",
        "         guard                     failed       20 ms  error: no network \\u{1b}[2J  (asked again)",
        "             http GET http://a.example: refused: no network",
        "         other  warning: `when` failed",
        "         - args: {}",
        "         + args: {\"safe\":true}",
        "         guard  failure counts as a deny: the hook fails closed",
        "+0.014s  a_tool  uuid -> done",
        "+0.015s  message assistant: I cannot.",
        "+0.016s  note.event 1",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn each_version_of_a_payload_is_written_once() {
    let tape = new_tape();
    play(&tape);
    let text = tape.lines().join("\n");
    assert_eq!(
        text.matches(r#""args":{"safe":true}},"#).count() + text.matches(r#""args":{"safe":true}}}"#).count(),
        2
    );
    let reading = read_bytes(text.as_bytes()).unwrap();
    let versions: Vec<(u64, u32, bool)> = reading
        .records
        .iter()
        .filter_map(|record| match &record.body {
            Body::Call(asked) => Some((asked.dispatch, asked.payload, asked.value.is_some())),
            Body::Outcome(decided) => Some((decided.dispatch, decided.payload, decided.value.is_some())),
            _ => None,
        })
        .collect();
    assert_eq!(versions, [(1, 0, false), (2, 0, false), (1, 1, true), (1, 1, false)]);
}

#[test]
fn each_record_holds_the_digest_of_the_line_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/tape.jsonl");
    let tape = Tape::create(&path, Header::new("s1", 1_000), Arc::new(Ticking::default())).unwrap();
    play(&tape);
    assert!(tape.fault().is_none());
    let text = std::fs::read_to_string(&path).unwrap();
    let reading = read(&path).unwrap();
    let mut prev = None;
    for (at, (line, record)) in text.lines().zip(&reading.records).enumerate() {
        assert_eq!((record.seq, &record.prev), (at as u64, &prev));
        let digest = Sha256::digest(line.as_bytes());
        prev = Some(digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    }
    let memory = new_tape();
    play(&memory);
    assert_eq!(text.lines().collect::<Vec<_>>(), memory.lines());

    let again = Tape::create(&path, Header::new("s2", 1_000), Arc::new(Ticking::default()));
    assert!(matches!(again, Err(TapeError::Exists { .. })), "{again:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn dispatches_of_many_threads_keep_apart() {
    let tape = new_tape();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..20).for_each(|_| play(&tape)));
        }
    });
    let reading = read_bytes(tape.lines().join("\n").as_bytes()).unwrap();
    let mut hooks_of: std::collections::BTreeMap<u64, Vec<String>> = Default::default();
    for record in &reading.records {
        match &record.body {
            Body::Event(fired) => assert!(hooks_of.insert(fired.dispatch, vec![fired.event.to_string()]).is_none()),
            Body::Return(answered) => hooks_of.get_mut(&answered.dispatch).unwrap().push(answered.hook.to_string()),
            Body::Outcome(decided) => hooks_of.get_mut(&decided.dispatch).unwrap().push(decided.event.to_string()),
            _ => {}
        }
    }
    assert_eq!(hooks_of.len(), 8 * 20 * 2);
    for steps in hooks_of.values() {
        let whole = [vec!["tool.pre", "shape", "guard", "tool.pre"], vec!["custom.seen", "custom.seen"]];
        assert!(whole.iter().any(|expected| expected == steps), "{steps:?}");
    }
}

#[test]
fn a_follower_sees_each_line_in_order() {
    #[derive(Debug, Default)]
    struct Lines(std::sync::Mutex<Vec<String>>);
    impl Follower for Lines {
        fn follow(&self, record: &Record<'_>, line: &str) {
            assert_eq!(record.to_line().unwrap(), line);
            self.0.lock().unwrap().push(line.to_owned());
        }
    }
    let tape = new_tape();
    let seen = Arc::new(Lines::default());
    tape.follow(seen.clone());
    play(&tape);
    assert_eq!(*seen.0.lock().unwrap(), tape.lines()[1..]);
}

#[test]
fn a_tape_that_cannot_be_made_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let made = Tape::create(file.join("tape"), Header::new("s", 0), Arc::new(Ticking::default()));
    assert!(matches!(made, Err(TapeError::Open { .. })), "{made:?}");
}

#[test]
fn what_is_no_tape_is_refused_with_its_line() {
    let header = new_tape().lines().remove(0);
    let cases = [
        (String::new(), "the tape is empty; a tape begins with a header record"),
        (String::from("\n"), "the tape is empty; a tape begins with a header record"),
        (String::from("hello\n"), "line 1: not JSON: expected value (column 1)"),
        (header.replace("header", "turn") + "\n", "line 1: the first record is no header; is this a tape?"),
        (format!("{header}\n{{\n{header}\n"), "line 2: not JSON: EOF while parsing an object (column 1)"),
        (
            header.replace("\"format\":1", "\"format\":2").replace("\"session\"", "\"run\"") + "\n",
            "the tape is of format 2, this program reads format 1; use a newer pintle",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(read_bytes(text.as_bytes()).unwrap_err().to_string(), expected, "{text}");
    }
}

/// Takes out one word.
#[derive(Debug)]
struct Hush;

impl Redact for Hush {
    fn redact(&self, text: &str) -> Option<String> {
        self.suspects(text).then(|| text.replace("hunter2", "[REDACTED]"))
    }

    fn suspects(&self, text: &str) -> bool {
        text.contains("hunter2")
    }
}

/// Keeps what it is shown.
#[derive(Debug, Default)]
struct Shown(std::sync::Mutex<Vec<String>>);

impl Follower for Shown {
    fn follow(&self, record: &Record<'_>, line: &str) {
        let mut shown = self.0.lock().unwrap();
        shown.push(line.to_owned());
        shown.push(format!("{:?}", record.body));
    }
}

#[test]
fn a_tape_that_is_scrubbed_holds_no_secret_in_any_record_and_is_whole() {
    let tape = Tape::in_memory(Header::new("s1", 1), Arc::new(Ticking::default()));
    let shown = Arc::new(Shown::default());
    tape.follow(shown.clone());
    tape.scrub(Arc::new(Hush));
    let nested = (0..150).fold(json!("hunter2"), |inner, _| json!([inner]));
    let payload = json!({
        "name": "run", "args": {"hunter2": "x", "a": 1.50}, "arguments": "{\"p\":\"hunter2\"}",
    });
    let call = event("tool.pre", payload);
    let guard = hook("guard", &call.name);
    tape.record(&Entry::Event { event: &call });
    let id = tape.next_call();
    tape.record(&Entry::Call { id, hook: &guard, round: 0, event: &call });
    let caller = Caller { call: id, name: "guard" };
    tape.effect(caller, &Request::CacheGet { key: String::from("hunter2") }, &Ok(Reply::Value(json!(["hunter2"]))));
    tape.effect(caller, &Request::Now, &Err(SeamError(String::from("no hunter2"))));
    let mut verdict = Verdict::deny("it says hunter2").warn("hunter2!").with(Effect::Notice(String::from("hunter2")));
    tape.record(&Entry::Return { id, hook: &guard, verdict: &verdict, duration_us: 1 });
    verdict = Verdict::failed(Failure::new(FailureKind::Crash, "hunter2"));
    tape.record(&Entry::Return { id, hook: &guard, verdict: &verdict, duration_us: 1 });
    let warning = Warning { hook: guard.id.clone(), message: String::from("about hunter2") };
    tape.record(&Entry::Warning { warning: &warning });
    let mut outcome = Outcome::pass(call.with_payload(Payload::new(json!({"changed": "hunter2"}))).payload);
    outcome.reasons.push(Reason::new(guard.id.clone(), "hunter2"));
    tape.record(&Entry::Outcome { event: &call, outcome: &outcome });
    tape.note("message", json!({"text": "hunter2, I said"}));
    tape.note("deep", nested);

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
    let Body::Event(fired) = &reading.records[1].body else { panic!("{text}") };
    assert_eq!(fired.payload["args"], json!({"[REDACTED]": "x", "a": 1.50}));
    assert_eq!(fired.payload["arguments"], json!("{\"p\":\"[REDACTED]\"}"));
    assert_eq!(reading.records.len(), 11);
}
