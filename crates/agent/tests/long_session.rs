//! What a call costs in a long session, in records, bytes and searched text: it must not grow with the conversation.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use pintle_agent::Session;
use pintle_agent::model::{Model, ModelError, ModelReply, ModelRequest, ModelToolCall, ReplyDelta};
use pintle_host::contract::Redactor;
use pintle_host::tape::{HeaderRecord, Tape};
use pintle_host::{CancelToken, Layer, Runtime, SystemClock};

/// The number of calls. The tool `think` returns the last 100 thoughts, so its results no longer grow after 100.
const CALLS: usize = 320;

const AGENT: &str = "agents:
  root:
    model: openai/m
    description: thinks
    instruction: Think.
    max_iterations: 1000
    toolsets: [{type: think}]
";

/// A redactor that finds nothing and counts the bytes that it is asked about: all that is encoded for the tape.
#[derive(Debug, Default)]
struct SearchedBytesRedactor(AtomicUsize);

impl Redactor for SearchedBytesRedactor {
    fn redact(&self, _text: &str) -> Option<String> {
        None
    }

    fn may_contain_secret(&self, text: &str) -> bool {
        self.0.fetch_add(text.len(), Ordering::Relaxed);
        false
    }
}

/// What was written when the model was called.
#[derive(Debug, Clone, Copy)]
struct WrittenSize {
    records: usize,
    bytes: usize,
    searched: usize,
}

/// A model that calls `think` and keeps what is on the tape then.
#[derive(Debug)]
struct ThinkingModel {
    tape: Arc<Tape>,
    searched: Arc<SearchedBytesRedactor>,
    written: Mutex<Vec<WrittenSize>>,
}

impl Model for ThinkingModel {
    fn name(&self) -> &str {
        "m"
    }

    fn complete(
        &self,
        _request: &ModelRequest,
        _on: &mut dyn FnMut(ReplyDelta),
        _cancel: &CancelToken,
    ) -> Result<ModelReply, ModelError> {
        let mut written = self.written.lock().unwrap();
        let lines = self.tape.lines();
        let bytes = lines.iter().map(|line| line.len() + 1).sum();
        written.push(WrittenSize { records: lines.len(), bytes, searched: self.searched.0.load(Ordering::Relaxed) });
        let count = written.len();
        if count > CALLS {
            return Ok(ModelReply {
                text: String::from("done"),
                finish_reason: String::from("stop"),
                ..ModelReply::default()
            });
        }
        let arguments = format!("{{\"thought\":\"thought number {count:04}\"}}");
        let call = ModelToolCall { id: format!("call_{count:04}"), name: String::from("think"), arguments };
        let finish_reason = String::from("tool_calls");
        Ok(ModelReply { tool_calls: vec![call], finish_reason, ..ModelReply::default() })
    }
}

#[test]
fn a_call_costs_the_same_however_long_the_conversation_is() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("agent.yaml"), AGENT).unwrap();
    let tape = Arc::new(Tape::in_memory(HeaderRecord::new("s", 0), Arc::new(SystemClock::default())));
    let searched = Arc::new(SearchedBytesRedactor::default());
    tape.set_redactor(searched.clone());
    let builder = Runtime::builder().path(folder.path().join("agent.yaml"), Layer::Project).tape(tape.clone());
    let loaded = builder.load();
    assert!(!loaded.has_errors(), "{:?}", loaded.diagnostics);
    let team = loaded.team.unwrap();
    let spec = team.agents[0].as_ref().clone();
    let model = Arc::new(ThinkingModel { tape, searched, written: Mutex::default() });
    let builder = Session::builder(loaded.runtime, spec, model.clone()).team(team).workspace(folder.path());
    let mut session = builder.name("s").build().unwrap();
    session.turn("go").unwrap();

    let written = model.written.lock().unwrap().clone();
    let cost = |from: usize, to: usize| {
        let (from_state, to_state) = (written[from], written[to]);
        let each = |first: usize, last: usize| (last - first) as f64 / (to - from) as f64;
        (
            each(from_state.records, to_state.records),
            each(from_state.bytes, to_state.bytes),
            each(from_state.searched, to_state.searched),
        )
    };
    let (early, late) = (cost(120, 140), cost(CALLS - 20, CALLS));
    assert_eq!(early.0, late.0, "records");
    assert!(late.0 <= 14.0 && late.1 <= 10_000.0, "{} records and {} bytes for each call", late.0, late.1);
    assert!(late.1 <= early.1 * 1.02, "bytes of a call: {} at first, {} at last", early.1, late.1);
    assert!(late.2 <= early.2 * 1.02, "bytes that were encoded for a call: {} at first, {} at last", early.2, late.2);
}
