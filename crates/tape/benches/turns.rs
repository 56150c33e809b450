//! The cost of a long session: what its 800th turn adds to the tape, compared with an early one, and how much memory a
//! reader of the whole tape needs.
//!
//! `PINTLE_LONG_TAPE=FILE` also writes a tape of about 150 MB to that file.

#![expect(clippy::print_stdout, reason = "a bench prints its rows")]

use std::borrow::Cow;
use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use pintle_contract::{Event, EventCause, EventName, Journal, Origin};
use pintle_tape::record::host::{
    HostRecord, MessageRecord, MessageSource, MessagesRecord, MessagesReplacedBy, ModelReplyRecord, ModelRequestRecord,
    SessionRecord, ToolCallRecord, ToolResultRecord, TurnPhase, TurnRecord, UserMessageRecord,
};
use pintle_tape::verify::verify_file;
use pintle_tape::{HeaderRecord, ListPrefix, Tape};
use pintle_testkit::FakeClock;
use pintle_testkit::bench::thread_time;
use serde_json::{Value, json};

/// The number of turns of a session.
const TURNS: usize = 800;
/// The number of sessions that are measured.
const SESSIONS: usize = 21;
/// The first turn whose messages are too many for its own record, and the number of turns after it that are compared.
const EARLY: usize = 5;
const COMPARED: usize = 8;
/// The bound of the last turns, as a multiple of the early ones.
const MOST: f64 = 1.2;
/// The size of the tape that is read, and the memory that reading it may take.
const LONG_BYTES: u64 = 150 << 20;
const MOST_MEMORY_KB: u64 = 200 << 10;

/// What a session records.
enum TurnStep {
    Event(Event),
    Host(Box<HostRecord<'static>>),
}

/// A session in which the model calls one tool in each turn. No hook is registered.
struct LongSession {
    tape: Tape,
    origin: Arc<Origin>,
    messages: Vec<Value>,
    /// The number of messages that were sent last, and the number of the conversation.
    sent_count: usize,
    list: u64,
    calls: usize,
    dispatches: u64,
    /// What is not recorded yet.
    steps: Vec<TurnStep>,
    /// The text of a tool's result.
    content: String,
}

impl LongSession {
    fn new(tape: Tape, content: String) -> Self {
        let origin = Origin { session: "long".into(), turn: 1, agent: "root".into(), ..Origin::default() };
        Self {
            tape,
            origin: Arc::new(origin),
            messages: Vec::new(),
            sent_count: 0,
            list: 0,
            calls: 0,
            dispatches: 0,
            steps: Vec::new(),
            content,
        }
    }

    fn record(&mut self, record: impl FnOnce(Cow<'static, Origin>) -> HostRecord<'static>) {
        self.steps.push(TurnStep::Host(Box::new(record(Cow::Owned(Origin::clone(&self.origin))))));
    }

    fn fire(&mut self, name: &'static str, payload: Value) {
        let Ok(name) = EventName::parse(name) else { return };
        let event = Event::new(name, payload, Arc::clone(&self.origin));
        if event.name.as_str() == "completion.pre" {
            // The host knows that its conversation only grew.
            let prefix = ListPrefix { list: self.list, count: self.sent_count };
            prefix.attach_to(&event.payload);
            self.sent_count = self.messages.len();
        }
        self.dispatches += 1;
        self.steps.push(TurnStep::Event(event));
    }

    /// Records what happened since the last time.
    fn write(&mut self) {
        self.steps.drain(..).for_each(|step| step.record_on(&self.tape));
    }

    fn push(&mut self, message: Value) {
        self.messages.push(message.clone());
        self.record(|origin| {
            HostRecord::Message(MessageRecord { origin, conversation: "c".into(), message: Cow::Owned(message) })
        });
    }

    /// Calls the model, and the tool that it asks for.
    fn play_call(&mut self) {
        self.calls += 1;
        let (number, id) = (self.calls as u64, format!("call_{}", self.calls));
        let call = json!({"id": id, "function": {"name": "read", "arguments": "{\"path\":\"note.txt\"}"}});
        self.fire("completion.pre", json!({"model": "m", "messages": self.messages, "iteration": number}));
        let same_as = Some(self.dispatches);
        self.record(|origin| {
            let (conversation, model) = ("c".into(), "m".into());
            HostRecord::ModelRequest(ModelRequestRecord {
                origin,
                conversation,
                request: number,
                model,
                same_as,
                payload: None,
            })
        });
        let reply =
            json!({"text": "", "tool_calls": [{"id": id, "name": "read", "arguments": "{\"path\":\"note.txt\"}"}]});
        self.record(|origin| {
            let reply = Some(Cow::Owned(reply));
            HostRecord::ModelReply(ModelReplyRecord { origin, request: number, duration_us: 9, reply, error: None })
        });
        let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
        self.fire("completion.post", json!({"model": "m", "choices": [{"index": 0, "message": message}], "text": ""}));
        let said = json!({"role": "assistant", "content": "",
            "tool_calls": [{"id": id, "name": "read", "arguments": "{\"path\":\"note.txt\"}"}]});
        self.push(said);
        let args = json!({"path": "note.txt"});
        self.fire("tool.pre", json!({"id": id, "name": "read", "arguments": "{\"path\":\"note.txt\"}", "args": args}));
        self.record(|origin| {
            let args = Cow::Owned(args);
            HostRecord::ToolCall(ToolCallRecord { origin, id: id.clone().into(), name: "read".into(), args })
        });
        let content = format!("{} {}", self.content, self.calls);
        self.record(|origin| {
            let (id, content) = (id.clone().into(), content.clone().into());
            HostRecord::ToolResult(ToolResultRecord {
                origin,
                id,
                name: "read".into(),
                content,
                is_error: false,
                result: None,
            })
        });
        self.fire("tool.post", json!({"call_id": id, "name": "read", "content": content, "is_error": false}));
        self.push(json!({"role": "tool", "content": content, "tool_call_id": id}));
    }

    /// Plays two turns. Returns the bytes that one adds, and the processor time of writing the second one.
    fn measure_turn(&mut self) -> (f64, f64) {
        let before = self.tape.lines().len();
        self.play_call();
        let first = std::mem::take(&mut self.steps);
        self.play_call();
        let second = std::mem::take(&mut self.steps);
        // Building and freeing long requests is not the writer's work, and empties the processor's caches. So both are
        // built before, freed after, and the first one fills the caches again.
        let events: Vec<Event> = first.iter().chain(&second).filter_map(TurnStep::event).cloned().collect();
        let warm = Tape::in_memory(HeaderRecord::new("warm", 0), Arc::new(FakeClock::new()));
        let mut short = Self::new(warm, String::new());
        (0..30).for_each(|_| short.play_call());
        short.write();
        first.into_iter().for_each(|step| step.record_on(&self.tape));
        let start = thread_time();
        second.into_iter().for_each(|step| step.record_on(&self.tape));
        let spent = thread_time() - start;
        drop(events);
        let added: usize = self.tape.lines().iter().skip(before).map(|line| line.len() + 1).sum();
        (added as f64 / 2.0, spent.as_nanos() as f64)
    }
}

impl TurnStep {
    fn event(&self) -> Option<&Event> {
        match self {
            Self::Event(event) => Some(event),
            Self::Host(_) => None,
        }
    }

    fn record_on(self, tape: &Tape) {
        match self {
            Self::Event(event) => {
                tape.record_without_hooks(&event, EventCause::default());
            }
            Self::Host(record) => tape.record_host(*record),
        }
    }
}

/// The least of some values: whatever else the machine does only adds to them.
fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Writes a tape with as many turns as it takes, in sessions of this length.
fn write_long_tape(path: &std::path::Path) -> Result<(), Box<dyn Error>> {
    let tape = Tape::create(path, HeaderRecord::new("long", 0), Arc::new(FakeClock::new()))?;
    let agent = std::env::var("PINTLE_LONG_AGENT").unwrap_or_default();
    let mut session = LongSession::new(tape, "x".repeat(60));
    let opened = json!({"agent": agent, "workspace": agent});
    session.record(|origin| HostRecord::Session(SessionRecord { origin, reopen_data: Cow::Owned(opened) }));
    let mut turn = 0;
    while std::fs::metadata(path)?.len() < LONG_BYTES {
        turn += 1;
        session.origin = Arc::new(Origin { turn, ..Origin::clone(&session.origin) });
        let text = format!("go {turn}");
        session.record(|origin| {
            let (source, text) = (MessageSource::Prompt, text.into());
            HostRecord::UserMessage(UserMessageRecord { origin, source, text })
        });
        session.record(|origin| {
            HostRecord::Turn(TurnRecord { origin, phase: TurnPhase::Start, end_reason: None, usage: None })
        });
        // A conversation is compacted when it is too long for the model.
        session.messages.clear();
        (session.sent_count, session.list) = (0, session.list + 1);
        session.record(|origin| {
            let (conversation, messages) = ("c".into(), Cow::Owned(Vec::new()));
            HostRecord::Messages(MessagesRecord {
                origin,
                conversation,
                replaced_by: MessagesReplacedBy::Compact,
                messages,
            })
        });
        for _ in 0..TURNS {
            session.play_call();
            session.write();
        }
        session.record(|origin| {
            let (phase, end_reason) = (TurnPhase::End, Some("done".into()));
            HostRecord::Turn(TurnRecord { origin, phase, end_reason, usage: None })
        });
    }
    session.fire("session.end", json!({}));
    session.write();
    session.tape.close();
    session.tape.take_error().map_or(Ok(()), |error| Err(error.into()))
}

/// The most memory that the process has used, in KB; `None` where the system does not tell.
fn peak_memory_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok())
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut held = true;
    let mut check = |what: &str, found: f64, most: f64, unit: &str| {
        let is_held = found <= most;
        held &= is_held;
        println!("{} {what}: {found:.2}{unit}, at most {most}{unit}", if is_held { "held:" } else { "MISSED:" });
    };
    if let Some(path) = std::env::var_os("PINTLE_LONG_TAPE") {
        let path = std::path::PathBuf::from(path);
        if !path.exists() {
            write_long_tape(&path)?;
        } else {
            // A process of its own, so that only the reader's memory counts.
            let report = verify_file(&path)?;
            println!("{} records, {} findings", report.records, report.findings.len());
            let memory_kb = peak_memory_kb().unwrap_or_default();
            check("memory of verifying it", memory_kb as f64, MOST_MEMORY_KB as f64, " KB");
            return Ok(if held { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
    }
    let (mut bytes, mut times) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for _ in 0..SESSIONS {
        let tape = Tape::in_memory(HeaderRecord::new("long", 0), Arc::new(FakeClock::new()));
        let mut session = LongSession::new(tape, String::from("a note"));
        for turn in 0..TURNS {
            let side = match turn {
                turn if (EARLY..EARLY + COMPARED).contains(&turn) => 0,
                turn if turn >= TURNS - COMPARED => 1,
                _ => {
                    session.play_call();
                    session.write();
                    continue;
                }
            };
            let (added, spent) = session.measure_turn();
            if let (Some(bytes), Some(times)) = (bytes.get_mut(side), times.get_mut(side)) {
                bytes.push(added);
                times.push(spent);
            }
        }
    }
    let [early_bytes, last_bytes] = bytes.map(|bytes| least(&bytes));
    let [early_ns, last_ns] = times.map(|times| least(&times));
    println!("turn {EARLY}: {early_bytes} bytes, {early_ns} ns; turn {TURNS}: {last_bytes} bytes, {last_ns} ns");
    check("bytes of turn 800 against an early one", last_bytes / early_bytes, MOST, "");
    check("time of turn 800 against an early one", last_ns / early_ns, MOST, "");
    Ok(if held { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
