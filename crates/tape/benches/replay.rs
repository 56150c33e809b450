//! The speed of a replay.
//!
//! The tape has the mix of a real session. A turn has model calls whose `completion.pre` has a history of at most 12
//! messages (about 200 bytes each). Each iteration has two tool calls with hooks that pass, rewrite and (every tenth
//! time) deny, one effect request per call, and the records of the host. The benchmark measures the processor time of
//! one thread. It also measures the parts of a replay alone, a SHA-256 pass over the same lines, and a tape that differs in
//! its last outcome, which replay must parse completely.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark panics if its setup fails, and prints its results"
)]

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use pintle_contract::{
    CancelToken, Clock, EffectError, EffectReply, EffectRequest, EffectRunner, Event, EventCause, EventName, HookCall,
    Journal, Layer, NoApprover, Origin, Profile, Verdict,
};
use pintle_engine::{DispatchContext, HookSet, dispatch};
use pintle_tape::record::host::{HostRecord, MessageRecord, ToolCallRecord, ToolResultRecord};
use pintle_tape::replay::{ReplayOptions, replay};
use pintle_tape::{HeaderRecord, Tape, read_bytes};
use pintle_testkit::bench::{median, print_figure, thread_time};
use pintle_testkit::{ScriptedHandler, chain, hook};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// The required speed.
const RECORDS_PER_SECOND: f64 = 150_000.0;
const RECORDS: usize = 10_000;
/// The number of repetitions of a phrase of 29 bytes in each text: of most tapes, and of the tape with blobs.
const SMALL: usize = 5;
const LARGE: usize = 110;
/// The number of runs, of which the median counts.
const RUNS: usize = 21;

#[derive(Debug, Default)]
struct ReplayBenchClock(AtomicU64);

impl Clock for ReplayBenchClock {
    fn unix_ms(&self) -> u64 {
        1_750_000_000_000 + self.0.fetch_add(1, Ordering::Relaxed)
    }

    fn monotonic_us(&self) -> u64 {
        self.0.fetch_add(11, Ordering::Relaxed)
    }
}

#[derive(Debug)]
struct CountingEffects(Arc<Tape>);

impl EffectRunner for CountingEffects {
    fn perform(
        &self,
        caller: pintle_contract::EffectCaller<'_>,
        request: EffectRequest,
    ) -> Result<EffectReply, EffectError> {
        let reply = Ok(EffectReply::Int(7));
        self.0.record_effect(caller, &request, &reply);
        reply
    }
}

fn parse_event_name(name: &str) -> EventName {
    EventName::parse(name).unwrap()
}

fn build_hooks() -> HookSet {
    let counts = |call: &HookCall<'_>| {
        let _ = call.effects.metric_incr(call.caller(), "calls", 1);
        Verdict::pass()
    };
    let shapes = |call: &HookCall<'_>| {
        let mut args = call.event.payload.field("args").cloned().unwrap_or_default();
        args["timeout_ms"] = json!(1000);
        Verdict::rewrite(Map::from_iter([(String::from("args"), args)]))
    };
    let guards = |call: &HookCall<'_>| match call.event.payload.field("id").and_then(Value::as_str) {
        Some(id) if id.ends_with('9') => Verdict::deny("not this one"),
        _ => Verdict::pass(),
    };
    let pass = || ScriptedHandler::from_verdict(Verdict::pass());
    HookSet::new(vec![chain(
        Layer::Project,
        Profile::SequentialFirstDeny,
        [
            hook("audit", parse_event_name("tool.pre"), ScriptedHandler::from_fn(counts)),
            hook("shape", parse_event_name("tool.pre"), ScriptedHandler::from_fn(shapes)),
            hook("guard", parse_event_name("tool.pre"), ScriptedHandler::from_fn(guards)),
            hook("result", parse_event_name("tool.post"), pass()),
            hook("window", parse_event_name("completion.pre"), pass()),
        ],
    )])
}

/// A tape whose messages and results repeat a phrase `length` times.
fn build_tape(length: usize) -> Vec<u8> {
    let clock = Arc::new(ReplayBenchClock::default());
    let tape = Arc::new(Tape::in_memory(HeaderRecord::new("bench", 1_750_000_000_000), clock.clone()));
    let set = build_hooks();
    tape.record_hooks(set.chains());
    let effects = CountingEffects(Arc::clone(&tape));
    let cancel = CancelToken::default();
    let origin = |turn| {
        Arc::new(Origin { session: String::from("bench"), turn, agent: String::from("root"), ..Origin::default() })
    };
    let fire = |event: &str, turn: u32, payload: Value| {
        let context = DispatchContext {
            journal: &*tape as &dyn Journal,
            clock: &*clock,
            effects: &effects,
            approver: &NoApprover,
            cancel: &cancel,
            shadow: false,
            cause: EventCause::default(),
            memory: None,
        };
        dispatch(&set, &Event::new(parse_event_name(event), payload, origin(turn)), &context)
    };
    let words = |number: usize| format!("message {number}: {}", "some words of a conversation ".repeat(length));
    let mut history: Vec<Value> = Vec::new();
    let (mut turn, mut number) = (0, 0);
    while tape.lines().len() < RECORDS {
        turn += 1;
        for _ in 0..8 {
            history.push(json!({"role": "user", "content": words(number)}));
            let from = history.len().saturating_sub(12);
            fire("completion.pre", turn, json!({"model": "m", "messages": history[from..], "tools": []}));
            for _ in 0..2 {
                number += 1;
                let (id, args) = (format!("call_{number}"), json!({"path": format!("src/file_{number}.rs")}));
                let payload = json!({"id": id, "name": "read_file", "arguments": args.to_string(), "args": args});
                let outcome = fire("tool.pre", turn, payload);
                let origin = origin(turn);
                let (id, tool) = (Cow::from(id), Cow::from("read_file"));
                if outcome.is_allowed() {
                    let args = outcome.payload.field("args").cloned().unwrap_or_default();
                    tape.record_host(HostRecord::ToolCall(ToolCallRecord {
                        origin: Cow::Borrowed(&origin),
                        id: id.clone(),
                        name: tool.clone(),
                        args: Cow::Owned(args),
                    }));
                    tape.record_host(HostRecord::ToolResult(ToolResultRecord {
                        origin: Cow::Borrowed(&origin),
                        id: id.clone(),
                        name: tool,
                        content: Cow::Owned(words(number)),
                        is_error: false,
                        result: None,
                    }));
                }
                let content = words(number);
                let result =
                    json!({"id": id, "name": "read_file", "content": content, "result": content, "is_error": false});
                fire("tool.post", turn, result);
                let message = json!({"role": "tool", "content": content, "tool_call_id": id});
                tape.record_host(HostRecord::Message(MessageRecord {
                    origin: Cow::Borrowed(&origin),
                    conversation: Cow::Borrowed("root"),
                    message: Cow::Borrowed(&message),
                }));
                history.push(message);
            }
        }
    }
    let mut text = tape.lines()[..RECORDS].join("\n");
    text.push('\n');
    text.into_bytes()
}

/// The processor time of a run.
fn time_run<T>(mut run: impl FnMut() -> T) -> Duration {
    let once = || {
        let start = thread_time();
        std::hint::black_box(run());
        thread_time().saturating_sub(start).as_secs_f64()
    };
    Duration::from_secs_f64(median(std::iter::repeat_with(once).take(RUNS).collect()))
}

fn print_row(label: &str, took: Duration, size_bytes: usize) {
    let seconds = took.as_secs_f64();
    let (rate, mib) = (RECORDS as f64 / seconds, size_bytes as f64 / seconds / f64::from(1 << 20));
    println!("{label:<44} {:>9.2} ms {rate:>12.0} records/s {mib:>8.0} MiB/s", seconds * 1e3);
}

fn main() -> ExitCode {
    let (large, tape) = (build_tape(LARGE), build_tape(SMALL));
    let size = tape.len();
    println!("a tape of {RECORDS} records, {size} bytes, {:.0} bytes a record", size as f64 / RECORDS as f64);
    let mut kinds = std::collections::BTreeMap::<String, usize>::new();
    for record in read_bytes(&tape).unwrap().records {
        *kinds.entry(record.body.kind().to_owned()).or_default() += 1;
    }
    println!("{kinds:?}");
    let replay_once = |tape: &[u8], is_same: bool| {
        let replayed = replay(tape, &ReplayOptions { threads: Some(NonZeroUsize::MIN), stop_point: None }).unwrap();
        assert_eq!(replayed.difference.is_none(), is_same, "{:?}", replayed.difference);
    };
    let reading = read_bytes(&tape).unwrap();
    print_row("  read (lines to records, one thread)", time_run(|| read_bytes(&tape).unwrap()), size);
    print_row(
        "  write (records to lines, one thread)",
        time_run(|| reading.records.iter().map(|one| one.to_line().unwrap().len()).sum::<usize>()),
        size,
    );
    let hash =
        || tape.split(|byte| *byte == b'\n').map(|line| Sha256::digest(line)[0]).fold(0, |sum: u8, one| sum ^ one);
    let hashed = time_run(hash);
    print_row("  hash (every line, one thread)", hashed, size);
    let took = time_run(|| replay_once(&tape, true));
    print_row("replay", took, size);
    println!("{:<44} {:>9.2} times the hash", "", took.as_secs_f64() / hashed.as_secs_f64());
    print_row("replay, texts of 3 KiB in blobs", time_run(|| replay_once(&large, true)), large.len());
    let text = String::from_utf8(tape).unwrap();
    let (before, outcome) = text.rsplit_once("\"approved\":false").unwrap();
    let other = format!("{before}\"approved\":true{outcome}");
    print_row("replay of a tape that differs", time_run(|| replay_once(other.as_bytes(), false)), size);
    let rate = |took: Duration| RECORDS as f64 / took.as_secs_f64();
    print_figure("records replayed in a second", rate(took), Some(rate(hashed)));
    let held = rate(took) >= RECORDS_PER_SECOND;
    println!("{} at least {RECORDS_PER_SECOND} records/s", if held { "held:" } else { "MISSED:" });
    if held { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
