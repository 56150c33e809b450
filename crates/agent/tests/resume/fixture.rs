//! A project with hooks, an agent with a child agent, and a model that plays a script and keeps its requests.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use pintle_agent::model::{Model, ModelError, ModelReply, ModelRequest, ReplyDelta, ScriptModel};
use pintle_agent::{Session, TurnError};
use pintle_host::SeededRandom;
use pintle_host::contract::{AgentSpec, ToolsPolicy};
use pintle_host::tape::{HeaderRecord, LoadedTape, Tape, read_bytes};
use pintle_host::{CancelToken, Clock, Effect, EventName, Layer, Runtime, SystemClock, Verdict, native};

/// The user's prompts.
pub(crate) const PROMPTS: [&str; 3] = ["Make a list.", "Now change it.", "What is in it?"];

/// The model's replies: parallel calls, a call that hooks deny, one that they rewrite, a child agent, and failures. No
/// two concurrent calls see each other's work, so that every run is the same.
const SCRIPT: &str = r#"
turns:
  - say: I write it down.
    calls: [{tool: write, args: {path: a.txt, content: one}}, {tool: glob, args: {pattern: "b*"}}]
  - calls: [{tool: read, args: {path: a.txt}}]
  - say: There is a list.
  - calls: [{tool: write, args: {path: secret.txt, content: x}}, {tool: glob, args: {pattern: "b*"}}]
  - calls: [{tool: delegate, args: {agent: helper, task: look}}]
  - error: {retryable: true, message: overloaded}
  - calls: [{tool: read, args: {path: b.txt}}, {tool: read, args: {path: a.txt}}]
  - say: It is changed.
  - say: One line is in it.
agents:
  helper:
    - calls: [{tool: read, args: {path: a.txt}}]
    - say: It looks well.
    - say: It looks well again.
    - say: It still looks well.
"#;

/// Counts calls and returns the count as context: a script's counter is part of what the model sees.
const COUNT: &str = r#"---
event: tool.post
priority: 1
script: |
  def handle(event, payload):
      seen = metrics.incr("seen")
      cache.set("last", payload["name"])
      return modify({"content": payload["content"] + " (call " + str(seen) + ")"})
---
"#;

/// A model that keeps its requests.
#[derive(Debug)]
pub(crate) struct ScriptRecordingModel {
    script: ScriptModel,
    pub(crate) requests: Mutex<Vec<ModelRequest>>,
}

impl ScriptRecordingModel {
    pub(crate) fn new() -> Arc<Self> {
        let script = ScriptModel::parse("script.yaml", SCRIPT).unwrap();
        Arc::new(Self { script, requests: Mutex::default() })
    }

    /// The requests from this index on: the agent, the messages and the tools.
    pub(crate) fn requests_since(&self, from: usize) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        let shown = |request: &ModelRequest| {
            let tools: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
            let messages = serde_json::to_string(&request.messages).unwrap();
            format!("{} {messages} {}", request.agent, tools.join(" "))
        };
        requests.iter().skip(from).map(shown).collect()
    }

    pub(crate) fn request_count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

impl Model for ScriptRecordingModel {
    fn name(&self) -> &str {
        "kept"
    }

    fn complete(
        &self,
        request: &ModelRequest,
        on: &mut dyn FnMut(ReplyDelta),
        cancel: &CancelToken,
    ) -> Result<ModelReply, ModelError> {
        self.requests.lock().unwrap().push(request.clone());
        self.script.complete(request, on, cancel)
    }

    fn resume_from(&self, calls: &mut dyn Iterator<Item = ModelRequest>) {
        self.script.resume_from(calls);
    }
}

fn agent_spec() -> AgentSpec {
    let helper = AgentSpec {
        name: String::from("helper"),
        description: String::from("Looks."),
        instruction: String::from("look"),
        ..AgentSpec::default()
    };
    AgentSpec {
        name: String::from("root"),
        instruction: String::from("be brief"),
        policy: ToolsPolicy::default(),
        agents: vec![Arc::new(helper)],
        ..AgentSpec::default()
    }
}

/// Creates the project's directory.
pub(crate) fn make_project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join(".harness/hooks")).unwrap();
    fs::write(dir.path().join(".harness/hooks/count.md"), COUNT).unwrap();
    fs::write(dir.path().join("b.txt"), "two").unwrap();
    dir
}

fn new_runtime(dir: &Path, tape: Tape) -> Arc<Runtime> {
    let tells = |event: &str, text: &'static str| {
        native::hook("tells", EventName::parse(event).unwrap(), move |_| {
            Verdict::pass().with_effect(Effect::Context(text.to_owned()))
        })
    };
    let guard = native::hook("guard", EventName::parse("tool.pre").unwrap(), |call| {
        let args = call.event.payload.field("args").cloned().unwrap_or_default();
        match (call.event.subject(), args["path"].as_str()) {
            (Some("write"), Some("secret.txt")) => Verdict::deny("no secrets"),
            (Some("read"), Some("b.txt")) => {
                Verdict::rewrite(serde_json::json!({"args": {"path": "a.txt"}}).as_object().unwrap().clone())
            }
            _ => Verdict::pass(),
        }
    });
    let hooks = [
        tells("session.start", "the session has begun"),
        tells("session.resume", "the session goes on"),
        tells("prompt.submit", "the person is careful"),
        tells("turn.start", "a turn has begun"),
        guard,
    ];
    Runtime::builder()
        .random(Arc::new(SeededRandom::new(7)))
        .path(dir.join(".harness"), Layer::Project)
        .chain(native::chain("test", Layer::Project, hooks))
        .tape(Arc::new(tape))
        .build()
        .unwrap()
}

/// A new session whose tape is in memory.
pub(crate) fn begin_session(dir: &Path, model: &Arc<ScriptRecordingModel>) -> (Session, Arc<Runtime>) {
    let clock = Arc::new(SystemClock::default());
    let header = HeaderRecord::new("s", clock.unix_ms());
    let runtime = new_runtime(dir, Tape::in_memory(header, clock));
    let session = Session::builder(runtime.clone(), agent_spec(), model.clone()).workspace(dir).name("s");
    (session.sleeper(Arc::new(ResumeNullSleeper)).build().unwrap(), runtime)
}

/// The same session, resumed from its tape in a file.
pub(crate) fn resume_session(
    dir: &Path,
    model: &Arc<ScriptRecordingModel>,
    tape: &Path,
) -> Result<(Session, Arc<Runtime>), String> {
    let clock = Arc::new(SystemClock::default());
    let appended = Tape::append_to(tape, clock).map_err(|error| error.to_string())?;
    let reading = pintle_host::tape::read(tape).map_err(|error| error.to_string())?;
    let runtime = new_runtime(dir, appended);
    let session = Session::builder(runtime.clone(), agent_spec(), model.clone()).workspace(dir);
    Ok((
        session.sleeper(Arc::new(ResumeNullSleeper)).resume(reading).build().map_err(|error| error.to_string())?,
        runtime,
    ))
}

/// Sends the next prompts.
pub(crate) fn say_prompts(session: &mut Session, prompts: &[&str]) -> Result<Vec<String>, TurnError> {
    prompts.iter().map(|prompt| session.turn(prompt).map(|answer| answer.text)).collect()
}

/// The tape in memory as the bytes of a file.
pub(crate) fn text_of(runtime: &Runtime) -> String {
    runtime.tape().unwrap().lines().into_iter().map(|line| line + "\n").collect()
}

pub(crate) fn parse_tape(text: &str) -> LoadedTape {
    read_bytes(text.as_bytes()).unwrap()
}

#[derive(Debug)]
struct ResumeNullSleeper;

impl pintle_agent::Sleeper for ResumeNullSleeper {
    fn sleep(&self, _duration_ms: u64, _cancel: &CancelToken) {}
}
