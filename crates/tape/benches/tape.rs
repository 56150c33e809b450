//! The cost of a record: writing it at each level of durability, reading it, and verifying it.
//!
//! Writing and reading are measured in processor time and compared with the least work on the same bytes. A sync waits
//! for the disk, so it is measured in wall-clock time.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use pintle_contract::{
    Chain, Clock, EffectCaller, EffectReply, EffectRequest, Event, EventCause, EventName, Journal, JournalEntry, Layer,
    Origin, Outcome, Profile, Verdict,
};
use pintle_tape::checkpoint::CheckpointSigner as _;
use pintle_tape::proof::{InclusionProof, MachineKey, MachineSigner, check_evidence};
use pintle_tape::verify::{verify_bytes, verify_file_with_texts};
use pintle_tape::{Durability, HeaderRecord, Tape, read_bytes};
use pintle_testkit::bench::{BenchBound, BenchReport};
use pintle_testkit::{ScriptedHandler, chain, hook};
use serde_json::json;

#[derive(Debug)]
struct TapeBenchClock(Instant);

impl Clock for TapeBenchClock {
    fn unix_ms(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
    }

    fn monotonic_us(&self) -> u64 {
        self.0.elapsed().as_micros() as u64
    }
}

/// An ordinary session: a tool call that one hook checks, with one effect request for the time.
struct TapeBenchSession {
    event: Event,
    chain: Chain,
    verdict: Verdict,
    outcome: Outcome,
}

/// The number of records per dispatch.
const RECORDS: usize = 5;
/// The number of dispatches on the tape that is read.
const DISPATCHES: usize = 100;
/// The number of records of a long tape.
const LONG_RECORDS: u64 = 100_000;

impl TapeBenchSession {
    fn new() -> Result<Self, Box<dyn Error>> {
        let name = EventName::parse("tool.pre").map_err(|error| error.to_string())?;
        let payload = json!({
            "id": "call_17", "name": "run_command", "arguments": "{\"command\":\"cargo test -p engine\"}",
            "args": {"command": "cargo test -p engine"}, "category": "shell",
        });
        let origin = Origin { session: "s-20251122".into(), turn: 3, agent: "root".into(), ..Origin::default() };
        let event = Event::new(name.clone(), payload, Arc::new(origin));
        let judge = hook("command_guard", name, ScriptedHandler::from_verdict(Verdict::pass()));
        Ok(Self {
            outcome: Outcome { hooks_called: 1, ..Outcome::unchanged(event.payload.clone()) },
            chain: chain(Layer::Project, Profile::SequentialFirstDeny, [judge]),
            verdict: Verdict::allow("nothing in the command speaks against it"),
            event,
        })
    }

    fn create_tape(&self, path: &std::path::Path) -> Result<Tape, Box<dyn Error>> {
        let tape = Tape::create(path, HeaderRecord::new("bench", 0), Arc::new(TapeBenchClock(Instant::now())))?;
        tape.record_hooks([&self.chain]);
        Ok(tape)
    }

    /// Writes the records of one dispatch.
    fn play(&self, tape: &Tape) {
        let Some(hook) = self.chain.hooks.first() else { return };
        let event = &self.event;
        let dispatch = tape.begin_dispatch(&JournalEntry::Event { event, cause: EventCause::default() });
        let id = tape.next_call();
        tape.record(dispatch, &JournalEntry::Call { id, hook, round: 0, event });
        let caller = EffectCaller::new(id, "command_guard").with_dispatch(dispatch);
        tape.record_effect(caller, &EffectRequest::Now, &Ok(EffectReply::Int(1_763_770_000_000)));
        tape.record(dispatch, &JournalEntry::Return { id, hook, verdict: &self.verdict, duration_us: 12 });
        tape.record(dispatch, &JournalEntry::Outcome { event, outcome: &self.outcome });
    }
}

/// The median wall-clock time of the runs, in nanoseconds.
fn wall_ns(runs: usize, mut act: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            act();
            start.elapsed().as_nanos() as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times.get(runs / 2).copied().unwrap_or_default()
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let session = TapeBenchSession::new()?;
    let path = |name: &str| dir.path().join(name);

    let tape = session.create_tape(&path("none.jsonl"))?;
    (0..DISPATCHES).for_each(|_| session.play(&tape));
    let bytes = std::fs::read(path("none.jsonl"))?;
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').skip(2).take(RECORDS).collect();
    let mut plain = File::create(path("plain"))?;
    let failed = Cell::new(false);

    let records = DISPATCHES * RECORDS + 2;
    let mut report = BenchReport::new(&format!("{records} records of {} bytes on average", bytes.len() / records));
    let written = report.compare(
        "one dispatch of 5 records, against their bytes alone",
        BenchBound::AtMostNs(5_000.0 * RECORDS as f64),
        || session.play(&tape),
        || failed.set(failed.get() | lines.iter().any(|line| plain.write_all(line).is_err())),
    );
    report.check("writing a record at level none", BenchBound::AtMostNs(5_000.0), written.thing_ns / RECORDS as f64);
    let memory = Tape::in_memory(HeaderRecord::new("bench", 0), Arc::new(TapeBenchClock(Instant::now())));
    memory.record_hooks([&session.chain]);
    let in_memory = report.compare("one dispatch, kept in memory", BenchBound::None, || session.play(&memory), || ());
    report.check("a record kept in memory", BenchBound::None, in_memory.thing_ns / RECORDS as f64);

    let read = report.compare(
        "reading all",
        BenchBound::None,
        || read_bytes(&bytes),
        || bytes.iter().map(|b| u64::from(*b)).sum::<u64>(),
    );
    report.check("reading a record", BenchBound::AtMostNs(5_000.0), read.thing_ns / records as f64);
    let verified = report.compare("verifying all", BenchBound::None, || verify_bytes(&bytes), || ());
    report.check("verifying a record", BenchBound::None, verified.thing_ns / records as f64);

    for level in Durability::ALL {
        let tape = session.create_tape(&path(&format!("{level}.wall.jsonl")))?.with_durability(level);
        let dispatch = wall_ns(200, || session.play(&tape));
        report.check(
            &format!("a record at level {level}, wall-clock time"),
            BenchBound::None,
            dispatch / RECORDS as f64,
        );
        failed.set(failed.get() | tape.take_error().is_some());
    }
    let tape = session.create_tape(&path("sync.jsonl"))?;
    let synced = wall_ns(200, || {
        session.play(&tape);
        tape.sync();
    });
    report.check("one dispatch and the sync at a turn's end, wall-clock time", BenchBound::None, synced);
    failed.set(failed.get() | tape.take_error().is_some() | memory.take_error().is_some());

    let key_path = path("machine.key");
    let key = MachineKey::open_or_create(&key_path)?.public().clone();
    let sign = || Arc::new(MachineSigner::new(Ok(key_path.clone())));
    let tape = session.create_tape(&path("signed.jsonl"))?.with_checkpoints(sign());
    let signed = wall_ns(200, || {
        tape.record_note("remark", json!(1));
        tape.record_checkpoint(1);
    });
    report.check("a note and a checkpoint, wall-clock time", BenchBound::None, signed);
    let read_and_signed = wall_ns(200, || drop(sign().sign("a\n1\nb\n")));
    report.check("reading the key and signing, wall-clock time", BenchBound::None, read_and_signed);
    while tape.cursor().is_some_and(|cursor| cursor.record_count() < LONG_RECORDS) {
        session.play(&tape);
    }
    tape.close();
    let verified = wall_ns(5, || {
        let is_proved = verify_file_with_texts(path("signed.jsonl"), &[1].into())
            .map(|report| check_evidence(&report, std::slice::from_ref(&key), None).objections.is_empty());
        failed.set(failed.get() | !is_proved.unwrap_or(false));
    });
    report.check("verifying 100,000 records with a key, wall-clock time", BenchBound::None, verified);
    let unsigned = wall_ns(5, || drop(verify_file_with_texts(path("signed.jsonl"), &BTreeSet::new())));
    report.check("verifying them without one, wall-clock time", BenchBound::None, unsigned);
    let proved = wall_ns(5, || drop(InclusionProof::from_tape(path("signed.jsonl"), 7)));
    report.check("proving one of them, wall-clock time", BenchBound::None, proved);
    Ok(if failed.get() { ExitCode::FAILURE } else { report.finish() })
}
