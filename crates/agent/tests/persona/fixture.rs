//! A session with a tape in memory, and hooks that keep the events.

use std::sync::{Arc, Mutex};

use pintle_agent::model::{ModelReply, ModelTool, ModelUsage};
use pintle_agent::{Session, SessionBuilder, Tool, ToolContext, ToolError};
use pintle_host::contract::{BudgetSpec, PersonaSpec, StepSpec};
use pintle_host::tape::{HeaderRecord, Tape};
use pintle_host::{
    ApprovalRequest, ApprovalResponse, Approver, EventName, HookCall, HookEvent, HookReturn, Layer, Runtime,
    SystemClock, Verdict, native,
};
pub(crate) use pintle_testkit::SharedLines;
use serde_json::{Value, json};

use crate::support::{self, QueuedReply, QueuedReplyModel, RecordingSleeper, agent, worker};

/// The canonical names of the events of personas.
const EVENTS: [&str; 8] = [
    "step.pre",
    "step.post",
    "approval.requested",
    "handoff.emitted",
    "persona.paused",
    "persona.resumed",
    "budget.threshold",
    "tool.pre",
];

/// A session of an agent called `root`.
pub(crate) struct PersonaFixture {
    /// Keeps the workspace as long as the session.
    _folder: tempfile::TempDir,
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) model: Arc<QueuedReplyModel>,
    pub(crate) session: Session,
    /// `EVENT persona/step` of the events of personas, with their main fields.
    pub(crate) events: SharedLines,
}

/// Keeps the events of personas, whatever the hooks of a test do with them.
fn recording_chain(log: &SharedLines) -> pintle_host::Chain {
    let hooks = EVENTS.map(|name| {
        let log = log.clone();
        let hook = native::hook("heard", EventName::parse(name).unwrap(), move |call: &HookCall<'_>| {
            log.add(event_line(call));
            Verdict::pass()
        });
        pintle_host::Hook { guard: false, ..hook }
    });
    native::chain("heard", Layer::Managed, hooks)
}

fn event_line(call: &HookCall<'_>) -> String {
    let (origin, payload) = (&call.event.origin, call.event.payload.value());
    let name = call.event.name.as_str();
    let rest = match name {
        "step.pre" => payload["args"].to_string(),
        "step.post" => format!("{} error={}", payload["output"], payload["is_error"]),
        "budget.threshold" => format!(
            "{} {} {}/{} at {}",
            payload["scope"].as_str().unwrap(),
            payload["budget"].as_str().unwrap(),
            payload["used"],
            payload["limit"],
            payload["threshold_percent"]
        ),
        "approval.requested" => format!("{} {}: {}", payload["kind"], payload["name"], payload["reason"]),
        "handoff.emitted" => format!("{} {} -> {}", payload["kind"], payload["from"], payload["to"]),
        "persona.paused" | "persona.resumed" => format!("{} by {}", payload["reason"], payload["by"]),
        _ => payload["name"].to_string(),
    };
    format!("{name} {}/{} {rest}", origin.persona, origin.step)
}

/// A tool that records that it ran.
#[derive(Debug)]
struct PersonaEchoTool(ModelTool);

impl Tool for PersonaEchoTool {
    fn definition(&self) -> &ModelTool {
        &self.0
    }

    fn call(&self, _arguments: &Value, _context: &ToolContext<'_>) -> Result<Value, ToolError> {
        Ok(json!(format!("{} ran", self.0.name)))
    }
}

/// A session whose model plays these replies, with the hooks that `register` registers.
pub(crate) fn open_fixture(
    replies: impl IntoIterator<Item = QueuedReply>,
    register: impl FnOnce(&Runtime),
) -> PersonaFixture {
    open_fixture_with(QueuedReplyModel::root(replies), None, register, |builder| builder)
}

pub(crate) fn open_fixture_with(
    model: Arc<QueuedReplyModel>,
    approver: Option<Arc<dyn Approver>>,
    register: impl FnOnce(&Runtime),
    more: impl FnOnce(SessionBuilder) -> SessionBuilder,
) -> PersonaFixture {
    let heard = SharedLines::default();
    let tape = Tape::in_memory(HeaderRecord::new("s", 0), Arc::new(SystemClock::default()));
    let builder = Runtime::builder().worker(worker()).tape(Arc::new(tape)).chain(recording_chain(&heard));
    let builder = match approver {
        Some(approver) => builder.approver(approver),
        None => builder,
    };
    let runtime = builder.build().unwrap();
    register(&runtime);
    let dir = tempfile::tempdir().unwrap();
    let builder = Session::builder(Arc::clone(&runtime), agent(), model.clone()).workspace(dir.path()).name("s");
    let builder = ["look", "deploy", "exec_ls"].into_iter().fold(builder, |builder, name| {
        let parameters = json!({"type": "object", "properties": {}});
        let definition = ModelTool { name: name.to_owned(), description: String::from("a tool"), parameters };
        builder.tool(Arc::new(PersonaEchoTool(definition)))
    });
    let session = more(builder.sleeper(Arc::new(RecordingSleeper::default()))).build().unwrap();
    PersonaFixture { _folder: dir, runtime, model, session, events: heard }
}

impl PersonaFixture {
    /// The records of the tape.
    pub(crate) fn records(&self) -> Vec<Value> {
        support::complete_records(self.runtime.tape().unwrap())
    }

    /// The payloads of one event since the last call.
    pub(crate) fn take_events_of(&self, event: &str) -> Vec<String> {
        let start = format!("{event} ");
        self.events.all().iter().filter_map(|line| line.strip_prefix(&start)).map(str::to_owned).collect()
    }
}

/// A reply that costs this many tokens.
pub(crate) fn costly_reply(input_tokens: u64, output_tokens: u64) -> QueuedReply {
    Ok(ModelReply {
        text: format!("for {}", input_tokens + output_tokens),
        finish_reason: String::from("stop"),
        usage: ModelUsage { input_tokens, output_tokens },
        ..ModelReply::default()
    })
}

/// A persona with these steps.
pub(crate) fn persona_spec(name: &str, steps: impl IntoIterator<Item = StepSpec>) -> PersonaSpec {
    PersonaSpec { name: name.to_owned(), steps: steps.into_iter().collect(), ..PersonaSpec::default() }
}

pub(crate) fn token_budget(max_tokens: u64) -> BudgetSpec {
    BudgetSpec { max_tokens: Some(max_tokens), max_usd: None }
}

/// A hook's closure that writes a line and passes.
pub(crate) fn line_hook(
    lines: &SharedLines,
    word: &'static str,
) -> impl Fn(&HookEvent<'_>) -> HookReturn + Send + Sync + use<> {
    let lines = lines.clone();
    move |event| {
        lines.add(format!("{word} {}/{}", event.persona(), event.step()));
        HookReturn::allow()
    }
}

/// Gives the same response to every request and keeps the requests.
#[derive(Debug)]
pub(crate) struct YesNoApprover {
    answers: Mutex<Vec<bool>>,
    pub(crate) requests: SharedLines,
}

impl YesNoApprover {
    /// Gives these responses one after another, then denies.
    pub(crate) fn with_answers(answers: impl IntoIterator<Item = bool>) -> Arc<Self> {
        let mut answers: Vec<bool> = answers.into_iter().collect();
        answers.reverse();
        Arc::new(Self { answers: Mutex::new(answers), requests: SharedLines::default() })
    }
}

impl Approver for YesNoApprover {
    fn request_approval(&self, question: &ApprovalRequest<'_>) -> ApprovalResponse {
        let texts: Vec<&str> = question.reasons.iter().map(|reason| reason.text.as_str()).collect();
        self.requests.add(format!("{}: {}", question.event.name, texts.join("; ")));
        let by = String::from("the test");
        if self.answers.lock().unwrap().pop().unwrap_or(false) {
            ApprovalResponse::Approved { answered_by: by }
        } else {
            ApprovalResponse::Refused { answered_by: by }
        }
    }
}

/// A session of this agent, without hooks.
pub(crate) fn open_agent_fixture(
    agent: pintle_host::contract::AgentSpec,
    model: Arc<QueuedReplyModel>,
) -> PersonaFixture {
    let heard = SharedLines::default();
    let tape = Tape::in_memory(HeaderRecord::new("s", 0), Arc::new(SystemClock::default()));
    let builder = Runtime::builder().worker(worker()).tape(Arc::new(tape)).chain(recording_chain(&heard));
    let runtime = builder.build().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let builder = Session::builder(Arc::clone(&runtime), agent, model.clone()).workspace(dir.path()).name("s");
    let session = builder.sleeper(Arc::new(RecordingSleeper::default())).build().unwrap();
    PersonaFixture { _folder: dir, runtime, model, session, events: heard }
}

/// A session of a member of a team.
pub(crate) fn open_team_fixture(
    agent: pintle_host::contract::AgentSpec,
    team: pintle_host::contract::TeamSpec,
    model: Arc<QueuedReplyModel>,
) -> PersonaFixture {
    let heard = SharedLines::default();
    let runtime = Runtime::builder().worker(worker()).chain(recording_chain(&heard)).build().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let builder = Session::builder(Arc::clone(&runtime), agent, model.clone()).workspace(dir.path()).name("s");
    let session = builder.team(team).sleeper(Arc::new(RecordingSleeper::default())).build().unwrap();
    PersonaFixture { _folder: dir, runtime, model, session, events: heard }
}
