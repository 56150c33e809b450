//! The agent's actions are on the tape before they are done, and completely.

use std::sync::{Arc, Mutex};

use pintle_agent::model::{Model, ModelError, ModelReply, ModelRequest, ModelTool, ReplyDelta, ScriptModel};
use pintle_agent::{Session, SessionBuilder, Tool, ToolContext, ToolError};
use pintle_host::contract::{AgentSpec, ApprovalScope, PermissionMode};
use pintle_host::tape::record::host::HostRecord;
use pintle_host::tape::{HeaderRecord, RecordBody, Tape};
use pintle_host::{
    ApprovalRequest, ApprovalResponse, Approver, CancelToken, Clock, EventName, Hook, Layer, Runtime, SystemClock,
    Verdict, native,
};
use serde_json::{Value, json};

use crate::resume::fixture::{parse_tape, text_of};

/// The last line of a tape, read while an action was running.
#[derive(Debug, Default)]
struct LastTapeLine(Mutex<Vec<String>>);

impl LastTapeLine {
    fn note_last(&self, tape: &Tape) {
        let line = tape.lines().pop().unwrap();
        let record: Value = serde_json::from_str(&line).unwrap();
        let what = |field: &str| record[field].as_str().unwrap_or_default().to_owned();
        self.0.lock().unwrap().push(format!("{} {}", what("kind"), what("name")).trim().to_owned());
    }
}

/// A model and a tool that read the tape when they are used.
#[derive(Debug)]
struct TapeReadingModel {
    script: ScriptModel,
    definition: ModelTool,
    tape: Arc<Tape>,
    last_line: LastTapeLine,
}

impl Model for TapeReadingModel {
    fn name(&self) -> &str {
        "looking"
    }

    fn complete(
        &self,
        request: &ModelRequest,
        on: &mut dyn FnMut(ReplyDelta),
        cancel: &CancelToken,
    ) -> Result<ModelReply, ModelError> {
        self.last_line.note_last(&self.tape);
        self.script.complete(request, on, cancel)
    }

    fn resume_from(&self, calls: &mut dyn Iterator<Item = ModelRequest>) {
        self.script.resume_from(calls);
    }
}

#[derive(Debug)]
struct TapeReadingTool(Arc<TapeReadingModel>);

impl Tool for TapeReadingTool {
    fn definition(&self) -> &ModelTool {
        &self.0.definition
    }

    fn call(&self, _arguments: &Value, _context: &ToolContext<'_>) -> Result<Value, ToolError> {
        self.0.last_line.note_last(&self.0.tape);
        Ok(json!({"seen": true}))
    }
}

/// Approves the call for the whole session, and counts the requests.
#[derive(Debug, Default)]
struct SessionGrantApprover(Mutex<usize>);

impl Approver for SessionGrantApprover {
    fn request_approval(&self, _question: &ApprovalRequest<'_>) -> ApprovalResponse {
        *self.0.lock().unwrap() += 1;
        ApprovalResponse::Granted { answered_by: String::from("ada"), grant: ApprovalScope::Tool }
    }
}

const SCRIPT: &str = r#"
turns:
  - calls: [{tool: look, args: {at: 1}}]
  - error: {retryable: true, message: overloaded}
  - say: AgentEventLog.
  - calls: [{tool: look, args: {at: 1}}]
  - say: AgentEventLog again.
"#;

struct TapedFixture {
    folder: tempfile::TempDir,
    model: Arc<TapeReadingModel>,
    runtime: Arc<Runtime>,
    approver: Arc<SessionGrantApprover>,
}

impl TapedFixture {
    fn new(tape: Tape, hooks: Vec<Hook>) -> Self {
        let tape = Arc::new(tape);
        let resolver = Arc::new(SessionGrantApprover::default());
        let looking = Arc::new(TapeReadingModel {
            script: ScriptModel::parse("script.yaml", SCRIPT).unwrap(),
            definition: ModelTool {
                name: String::from("look"),
                description: String::from("Looks."),
                parameters: json!({"type": "object"}),
            },
            tape: Arc::clone(&tape),
            last_line: LastTapeLine::default(),
        });
        let runtime = Runtime::builder()
            .chain(native::chain("test", Layer::Project, hooks))
            .approver(resolver.clone())
            .tape(tape)
            .build()
            .unwrap();
        Self { folder: tempfile::tempdir().unwrap(), model: looking, runtime, approver: resolver }
    }

    fn open_session(&self, resume: Option<&str>) -> Session {
        match resume {
            Some(text) => self.builder().resume(parse_tape(text)).build().unwrap(),
            None => self.builder().build().unwrap(),
        }
    }

    fn builder(&self) -> SessionBuilder {
        let agent = AgentSpec { name: String::from("root"), ..AgentSpec::default() };
        Session::builder(self.runtime.clone(), agent, self.model.clone())
            .workspace(self.folder.path())
            .name("s")
            .reopen_data(json!({"by": "a test"}))
            .permission_mode(PermissionMode::Strict)
            .tool(Arc::new(TapeReadingTool(self.model.clone())))
    }
}

fn new_tape() -> Tape {
    let clock = Arc::new(SystemClock::default());
    let header = HeaderRecord::new("s", clock.unix_ms());
    Tape::in_memory(header, clock)
}

#[test]
fn what_is_done_stands_on_the_tape_before_it_is_done() {
    let set = TapedFixture::new(new_tape(), Vec::new());
    let mut session = set.open_session(None);
    session.turn("look").unwrap();
    session.end();
    let seen = set.model.last_line.0.lock().unwrap().clone();
    assert_eq!(seen, ["model_request", "tool_call look", "model_request", "model_request"]);
    let reading = parse_tape(&text_of(&set.runtime));
    let host = |record: &pintle_host::tape::Record<'_>| match &record.body {
        RecordBody::Host(HostRecord::ModelReply(reply)) => {
            let error = reply.error.as_ref().map(|error| error.kind.as_ref());
            Some(error.map_or_else(|| String::from("model_reply"), |kind| format!("model_reply: {kind}")))
        }
        RecordBody::Host(HostRecord::Message(message)) => {
            Some(format!("message of {}", message.message["role"].as_str()?))
        }
        RecordBody::Host(HostRecord::Turn(turn)) => Some(format!("turn {:?}", turn.phase)),
        RecordBody::Host(host) => Some(host.kind().to_owned()),
        RecordBody::Approval(approval) => Some(format!("approval by {}", approval.approver.as_deref()?)),
        _ => None,
    };
    let told: Vec<String> = reading.records.iter().filter_map(host).collect();
    let expected = [
        "session",
        "user_message",
        "turn Start",
        "message of user",
        "model_request",
        "model_reply",
        "message of assistant",
        "approval by ada",
        "tool_call",
        "tool_result",
        "message of tool",
        "model_request",
        "model_reply: retryable",
        "model_request",
        "model_reply",
        "message of assistant",
        "turn End",
    ];
    assert_eq!(told, expected);
}

#[test]
fn what_a_person_allowed_for_the_session_holds_when_it_goes_on() {
    let set = TapedFixture::new(new_tape(), Vec::new());
    let mut session = set.open_session(None);
    session.turn("look").unwrap();
    session.end();
    assert_eq!(*set.approver.0.lock().unwrap(), 1);
    let again = TapedFixture::new(new_tape(), Vec::new());
    let mut session = again.open_session(Some(&text_of(&set.runtime)));
    assert_eq!(session.turns(), 1);
    session.turn("look").unwrap();
    assert_eq!(*again.approver.0.lock().unwrap(), 0, "it was asked again");
}

#[test]
fn what_a_strange_tape_says_that_a_person_allowed_counts_for_nothing() {
    let set = TapedFixture::new(new_tape(), Vec::new());
    let mut session = set.open_session(None);
    session.turn("look").unwrap();
    session.end();
    let again = TapedFixture::new(new_tape(), Vec::new());
    let taken_up = again.builder().resume(parse_tape(&text_of(&set.runtime))).without_grants();
    taken_up.build().unwrap().turn("look").unwrap();
    assert_eq!(*again.approver.0.lock().unwrap(), 1, "it was not asked");
}

#[test]
fn a_hook_of_session_resume_may_keep_a_session_closed() {
    let set = TapedFixture::new(new_tape(), Vec::new());
    let mut session = set.open_session(None);
    session.turn("look").unwrap();
    drop(session);
    let closed = native::hook("closed", EventName::parse("session.resume").unwrap(), |_| Verdict::deny("not today"));
    let again = TapedFixture::new(new_tape(), vec![closed]);
    let mut session = again.open_session(Some(&text_of(&set.runtime)));
    let error = session.start().unwrap_err();
    assert!(error.is_denied() && error.message.contains("not today"), "{error}");
    assert!(session.turn("look").is_err());
}
