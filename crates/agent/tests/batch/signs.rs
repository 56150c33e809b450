//! Signs by which hooks and tools of one batch wait for each other, and a session that uses them.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use pintle_agent::model::ModelTool;
use pintle_agent::{Session, SessionBuilder, Tool, ToolContext, ToolError};
use pintle_host::contract::AgentSpec;
use pintle_host::contract::ToolsPolicy;
use pintle_host::native::NativeHandler;
use pintle_host::tape::{HeaderRecord, Tape};
use pintle_host::{ApprovalRequest, ApprovalResponse, Approver, CancelToken, EventName, Hook, HookCall, Layer};
use pintle_host::{Runtime, SystemClock, Verdict, native};
use serde_json::{Value, json};

use crate::support::{QueuedReplyModel, RecordingSleeper, call, say};

/// Whoever waits longer than this for a sign waits in vain, and says so.
const PATIENCE: Duration = Duration::from_secs(30);

/// The signs shown so far. They stay.
#[derive(Debug, Clone, Default)]
pub(crate) struct SignBoard(Arc<(Mutex<BTreeSet<String>>, Condvar)>);

impl SignBoard {
    pub(crate) fn show(&self, sign: impl Into<String>) {
        self.0.0.lock().unwrap().insert(sign.into());
        self.0.1.notify_all();
    }

    /// Waits until a sign is shown. Returns whether it was.
    pub(crate) fn wait_for(&self, sign: &str) -> bool {
        let missing = |shown: &mut BTreeSet<String>| !shown.contains(sign);
        !self.0.1.wait_timeout_while(self.0.0.lock().unwrap(), PATIENCE, missing).unwrap().1.timed_out()
    }
}

/// A hook that calls no other hook's state, so that it may be called about several calls at once.
pub(crate) fn waiting_hook(
    name: &str,
    event: &str,
    answer: impl Fn(&HookCall<'_>) -> Verdict + Send + Sync + 'static,
) -> Hook {
    let hook = native::hook(name, EventName::parse(event).unwrap(), |_| Verdict::pass());
    Hook { handler: Arc::new(NativeHandler::new(name, answer).may_wait_outside()), ..hook }
}

/// The ID of the call that an event is about.
pub(crate) fn call_id(call: &HookCall<'_>) -> String {
    let field = |name: &str| call.event.payload.field(name).and_then(Value::as_str).map(str::to_owned);
    field("id").or_else(|| field("call_id")).unwrap()
}

/// A tool that shows a sign, waits for another one, and returns what it was given to say.
#[derive(Debug)]
struct SignTool {
    definition: ModelTool,
    signs: SignBoard,
}

impl Tool for SignTool {
    fn definition(&self) -> &ModelTool {
        &self.definition
    }

    fn is_read_only(&self) -> bool {
        true
    }

    fn call(&self, arguments: &Value, context: &ToolContext<'_>) -> Result<Value, ToolError> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        text("show").into_iter().for_each(|sign| self.signs.show(sign));
        match text("wait") {
            Some("panic") => panic!("fell over"),
            Some("cancel") => {
                let woken = self.signs.clone();
                let _guard = context.cancel().wake_on_cancel(move || woken.show("cancelled"));
                return Err(ToolError::from(if self.signs.wait_for("cancelled") {
                    "stopped"
                } else {
                    "never stopped"
                }));
            }
            Some(sign) if !self.signs.wait_for(sign) => return Err(format!("waited for `{sign}` in vain").into()),
            _ => {}
        }
        Ok(json!(text("say").unwrap_or("done")))
    }
}

/// A session before it is opened.
pub(crate) struct BatchScenario {
    pub(crate) signs: SignBoard,
    pub(crate) calls: Vec<Value>,
    pub(crate) hooks: Vec<Hook>,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) cancel: CancelToken,
}

/// A session with a tape.
pub(crate) struct BatchFixture {
    pub(crate) session: Session,
    pub(crate) model: Arc<QueuedReplyModel>,
    pub(crate) runtime: Arc<Runtime>,
    _folder: tempfile::TempDir,
}

impl BatchScenario {
    /// An answer with calls of the tool, with these arguments and the IDs `1`, `2`, ….
    pub(crate) fn from_calls(calls: impl IntoIterator<Item = Value>) -> Self {
        Self {
            signs: SignBoard::default(),
            calls: calls.into_iter().collect(),
            hooks: Vec::new(),
            approver: None,
            cancel: CancelToken::default(),
        }
    }

    pub(crate) fn hook(mut self, hook: Hook) -> Self {
        self.hooks.push(hook);
        self
    }

    pub(crate) fn open(self) -> BatchFixture {
        self.open_with(|builder| builder)
    }

    pub(crate) fn open_with(self, more: impl FnOnce(SessionBuilder) -> SessionBuilder) -> BatchFixture {
        let texts: Vec<String> = self.calls.iter().map(Value::to_string).collect();
        let calls: Vec<(&str, &str)> = texts.iter().map(|text| ("sign", text.as_str())).collect();
        let model = QueuedReplyModel::root([call(&calls), say("over")]);
        let tape = Tape::in_memory(HeaderRecord::new("s", 0), Arc::new(SystemClock::default()));
        let builder = Runtime::builder().worker(crate::support::worker()).tape(Arc::new(tape));
        let builder = match self.approver {
            Some(approver) => builder.approver(approver),
            None => builder,
        };
        let runtime = builder.chain(native::chain("test", Layer::Project, self.hooks)).build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let spec = AgentSpec {
            name: String::from("root"),
            policy: ToolsPolicy { allow: vec![String::from("sign")], ..ToolsPolicy::default() },
            ..AgentSpec::default()
        };
        let (description, parameters) = (String::from("Shows signs."), json!({"type": "object"}));
        let definition = ModelTool { name: String::from("sign"), description, parameters };
        let tool = Arc::new(SignTool { definition, signs: self.signs });
        let builder = Session::builder(Arc::clone(&runtime), spec, model.clone()).workspace(folder.path()).name("s");
        let builder = builder.sleeper(Arc::new(RecordingSleeper::default())).tool(tool).cancel(self.cancel);
        BatchFixture { session: more(builder).build().unwrap(), model, runtime, _folder: folder }
    }
}

impl BatchFixture {
    /// Runs the turn and returns the results of the calls, as the model gets them.
    pub(crate) fn play(&mut self) -> Vec<String> {
        let _ = self.session.turn("go");
        let request = self.model.request(self.model.count() - 1);
        let results = request.messages.iter().filter(|message| message.role.to_string() == "tool");
        results.map(|message| message.content.clone()).collect()
    }

    /// Ends the session and returns its tape.
    pub(crate) fn into_tape(self) -> Vec<u8> {
        drop(self.session);
        let lines = self.runtime.tape().unwrap().lines();
        lines.into_iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
    }
}

/// Asks nobody, and remembers the IDs of the calls that it was asked about.
#[derive(Debug, Default)]
pub(crate) struct CountingApprover(pub(crate) Mutex<Vec<String>>);

impl Approver for CountingApprover {
    fn request_approval(&self, question: &ApprovalRequest<'_>) -> ApprovalResponse {
        let id = question.event.payload.field("id").and_then(Value::as_str).unwrap().to_owned();
        self.0.lock().unwrap().push(id);
        ApprovalResponse::Approved { answered_by: String::from("ada") }
    }
}
