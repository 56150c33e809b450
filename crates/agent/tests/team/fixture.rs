//! A session of a team member, and its fired events as lines of text.

use std::sync::{Arc, Barrier, Mutex};

use pintle_agent::model::{Model, ModelTool};
use pintle_agent::{
    AgentEvent, Observer, Session, SessionBuilder, Tool, ToolContext, ToolError, TurnError, TurnErrorKind,
};
use pintle_host::contract::{
    AgentSpec, ExitSpec, HistorySpec, MemberSpec, OnMaxIterations, PermissionMode, PermissionRule, PermissionsSpec,
};
use pintle_host::dialects::docker_agent::LOOP_RULES;
use pintle_host::event::EventKind;
use pintle_host::{ApprovalResponse, Approver, EventName, Hook, Layer, Runtime, Verdict, native};
use pintle_testkit::ScriptedApprover;
use serde_json::{Value, json};

use crate::support::{QueuedReply, QueuedReplyModel, RecordingSleeper};

/// The fields of each event that are shown after its name.
const SHOWN: &[(&str, &[&str])] = &[
    ("session.start", &["source"]),
    ("session.resume", &["source", "previous_max_iterations", "new_max_iterations"]),
    ("session.end", &["reason"]),
    ("prompt.submit", &["prompt"]),
    ("prompt.steer", &["messages"]),
    ("prompt.followup", &["prompt", "waiting"]),
    ("iteration.start", &["iteration"]),
    ("iteration.end", &["iteration", "reason"]),
    ("tool.transform", &["name", "args"]),
    ("tool.guard", &["name", "args"]),
    ("tool.pre", &["name", "args"]),
    ("permission.ask", &["reason", "metadata"]),
    ("permission.reply", &["decision", "source", "detail"]),
    ("tool.result", &["content"]),
    ("tool.post", &["content", "executed"]),
    ("user.input", &["reason"]),
    ("notification", &["level", "message"]),
    ("error", &["kind", "message", "code"]),
    ("limit.iterations", &["limit", "action"]),
    ("agent.switch", &["from", "to", "kind"]),
    ("compact.pre", &["source", "instructions"]),
    ("compact.before", &["reason"]),
    ("compact.post", &["reason", "summary"]),
    ("agent.stop", &["response"]),
];

/// Events that only fire if a hook names them; `tests/lifecycle` tests them.
const FOR_LISTENERS: [&str; 8] = [
    "approval.requested",
    "file.edited",
    "finish.post",
    "finish.pre",
    "finish.unsettled",
    "iteration.post",
    "session.error",
    "session.idle",
];

/// The fired events, one line per event.
#[derive(Debug, Clone, Default)]
pub(crate) struct TeamEventLog(Arc<Mutex<Vec<String>>>);

impl TeamEventLog {
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    /// The lines of some events.
    pub(crate) fn lines_of(&self, events: &[&str]) -> Vec<String> {
        let named = |line: &String| events.iter().any(|event| line.split(' ').next() == Some(event));
        self.lines().into_iter().filter(named).collect()
    }

    fn hooks(&self) -> impl Iterator<Item = Hook> {
        let is_asked_for = |kind: &&EventKind| kind.def().family().is_none() && !FOR_LISTENERS.contains(&kind.name());
        let events = EventKind::ALL.iter().filter(is_asked_for);
        let record = self.clone();
        events.map(move |kind| {
            let record = record.clone();
            let hook = native::hook("record", *kind, move |call| {
                let name = call.event.name.as_str();
                let fields = SHOWN.iter().find(|(event, _)| *event == name).map(|(_, fields)| *fields);
                let mut line = name.to_owned();
                for field in fields.unwrap_or_default() {
                    match call.event.payload.field(field) {
                        Some(Value::String(text)) => line.push_str(&format!(" {text}")),
                        Some(Value::Null) | None => {}
                        Some(other) => line.push_str(&format!(" {other}")),
                    }
                }
                record.0.lock().unwrap().push(line);
                Verdict::pass()
            });
            // A recorder that counts as a guard would be called again after every rewrite.
            Hook { guard: false, ..hook }
        })
    }
}

/// Where the commands `meet` and `wait` wait for each other, so that both have begun before one of them ends.
static MEETING: Barrier = Barrier::new(2);

/// A tool that returns its arguments, or fails.
#[derive(Debug)]
pub(crate) struct TeamEchoTool {
    definition: ModelTool,
    category: &'static str,
    is_read_only: bool,
}

impl TeamEchoTool {
    pub(crate) fn new_tool(name: &str, category: &'static str, is_read_only: bool) -> Arc<dyn Tool> {
        let (description, parameters) = (String::from("Echoes."), json!({"type": "object"}));
        let definition = ModelTool { name: name.to_owned(), description, parameters };
        Arc::new(Self { definition, category, is_read_only })
    }
}

impl Tool for TeamEchoTool {
    fn definition(&self) -> &ModelTool {
        &self.definition
    }

    fn category(&self) -> Option<&str> {
        Some(self.category)
    }

    fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    fn call(&self, arguments: &Value, context: &ToolContext<'_>) -> Result<Value, ToolError> {
        match arguments.get("cmd").and_then(Value::as_str) {
            Some("fail") => Err(ToolError::from("exit status 1")),
            Some("meet") => {
                MEETING.wait();
                Ok(json!("ran meet"))
            }
            Some("wait") => {
                MEETING.wait();
                while !context.cancel().is_cancelled() {
                    std::thread::yield_now();
                }
                Err(ToolError::from("stopped"))
            }
            Some(command) => Ok(json!(format!("ran {command}"))),
            None => Ok(json!("ok")),
        }
    }
}

/// The notices for the user.
#[derive(Debug, Default)]
pub(crate) struct TeamNoticeLog(Mutex<Vec<String>>);

impl TeamNoticeLog {
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Observer for TeamNoticeLog {
    fn observe(&self, _origin: &pintle_host::Origin, event: &AgentEvent<'_>) {
        let line = match event {
            AgentEvent::Notice { message } => format!("notice: {message}"),
            AgentEvent::Text { text } => format!("text: {text}"),
            AgentEvent::ModelAnswered { text, .. } => format!("answered: {text}"),
            AgentEvent::Message { text, .. } => format!("message: {text}"),
            _ => return,
        };
        self.0.lock().unwrap().push(line);
    }
}

/// A session before it is built.
pub(crate) struct TeamScenario {
    pub(crate) replies: Vec<QueuedReply>,
    pub(crate) hooks: Vec<Hook>,
    pub(crate) spec: AgentSpec,
    pub(crate) permissions: PermissionsSpec,
    pub(crate) answer: Option<ApprovalResponse>,
    /// Whether the runtime redacts secrets.
    pub(crate) redacts_secrets: bool,
}

/// A session that can be run.
pub(crate) struct TeamFixture {
    pub(crate) session: Session,
    pub(crate) model: Arc<QueuedReplyModel>,
    pub(crate) events: TeamEventLog,
    pub(crate) approver: Arc<ScriptedApprover>,
    pub(crate) notices: Arc<TeamNoticeLog>,
    _folder: tempfile::TempDir,
}

pub(crate) fn member_spec(name: &str) -> AgentSpec {
    AgentSpec {
        name: name.to_owned(),
        instruction: String::from("be brief"),
        exit: ExitSpec {
            on_max_iterations: OnMaxIterations::Ask,
            max_consecutive_tool_calls: 5,
            ..ExitSpec::default()
        },
        history: HistorySpec { max_messages: usize::MAX, max_tokens: usize::MAX },
        rules: LOOP_RULES,
        member: Some(MemberSpec::default()),
        ..AgentSpec::default()
    }
}

impl TeamScenario {
    /// A member whose mode asks for nothing.
    pub(crate) fn from_replies(replies: impl IntoIterator<Item = QueuedReply>) -> Self {
        Self {
            replies: replies.into_iter().collect(),
            hooks: Vec::new(),
            spec: member_spec("root"),
            permissions: PermissionsSpec { mode: Some(PermissionMode::Autonomous), ..PermissionsSpec::default() },
            answer: None,
            redacts_secrets: false,
        }
    }

    pub(crate) fn hook(mut self, hook: Hook) -> Self {
        self.hooks.push(hook);
        self
    }

    pub(crate) fn mode(mut self, mode: PermissionMode) -> Self {
        self.permissions.mode = Some(mode);
        self
    }

    pub(crate) fn answer(mut self, answer: ApprovalResponse) -> Self {
        self.answer = Some(answer);
        self
    }

    pub(crate) fn spec(mut self, adjust: impl FnOnce(&mut AgentSpec)) -> Self {
        adjust(&mut self.spec);
        self
    }

    pub(crate) fn open(self) -> TeamFixture {
        self.open_with(|builder| builder)
    }

    /// Opens it with its own model.
    pub(crate) fn open_on(self, model: Arc<dyn Model>) -> TeamFixture {
        self.build(Some(model), |builder| builder)
    }

    pub(crate) fn open_with(self, more: impl FnOnce(SessionBuilder) -> SessionBuilder) -> TeamFixture {
        self.build(None, more)
    }

    fn build(self, other: Option<Arc<dyn Model>>, more: impl FnOnce(SessionBuilder) -> SessionBuilder) -> TeamFixture {
        let dir = tempfile::tempdir().unwrap();
        let record = TeamEventLog::default();
        let resolver = Arc::new(ScriptedApprover::new(self.answer.clone().unwrap_or(ApprovalResponse::Unavailable)));
        let runtime = Runtime::builder()
            .chain(native::chain("record", Layer::Managed, record.hooks()))
            .chain(native::chain("test", Layer::Project, self.hooks))
            .redact_secrets(self.redacts_secrets);
        let runtime = match self.answer {
            Some(_) => runtime.approver(Arc::clone(&resolver) as Arc<dyn Approver>),
            None => runtime,
        };
        let model = Arc::new(QueuedReplyModel::default());
        model.add(&self.spec.name, self.replies);
        let told = Arc::new(TeamNoticeLog::default());
        let builder = Session::builder(runtime.build().unwrap(), self.spec, other.unwrap_or_else(|| model.clone()))
            .workspace(dir.path())
            .name("s")
            .permissions(self.permissions)
            .observer(told.clone())
            .sleeper(Arc::new(RecordingSleeper::default()))
            .tool(TeamEchoTool::new_tool("shell", "shell", false))
            .tool(TeamEchoTool::new_tool("look", "filesystem", true))
            .tool(TeamEchoTool::new_tool("change", "filesystem", false));
        let session = more(builder).build().unwrap();
        TeamFixture { session, model, events: record, approver: resolver, notices: told, _folder: dir }
    }

    /// Runs one turn and returns the events from the prompt on.
    pub(crate) fn play_events(self) -> Vec<String> {
        let mut fixture = self.open();
        let _ = fixture.session.turn("go");
        fixture.events.take().into_iter().skip(1).collect()
    }
}

/// Compares lines with a text of one line each; a line of the text that ends in `…` is a prefix.
pub(crate) fn check_lines(lines: &[String], expected: &str) {
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let fits = |line: &str, expected: &str| match expected.strip_suffix('…') {
        Some(start) => line.starts_with(start),
        None => line == expected,
    };
    let is_same =
        lines.len() == expected.len() && lines.iter().zip(&expected).all(|(line, expected)| fits(line, expected));
    assert!(is_same, "found:\n{}\n\nexpected:\n{}", lines.join("\n"), expected.join("\n"));
}

pub(crate) fn parse_rule(text: &str) -> PermissionRule {
    let (tool, condition) = text.split_once(':').unwrap_or((text, ""));
    let pair = condition.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    PermissionRule {
        text: text.to_owned(),
        tool: tool.to_owned(),
        arguments: pair.into_iter().collect(),
        location: pintle_host::contract::Location::default(),
    }
}

/// A hook whose deny ends the run, as docker-agent's `post_tool_use`.
pub(crate) fn stop_hook(event: &str, reason: &'static str) -> Hook {
    let hook = native::hook("stopper", EventName::parse(event).unwrap(), move |_| Verdict::deny(reason));
    Hook { on_deny: pintle_host::contract::DenyEffect::StopRun, ..hook }
}

pub(crate) fn is_denied<T: std::fmt::Debug>(result: Result<T, TurnError>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.kind, TurnErrorKind::Denied, "{error}");
    error.message
}
