//! A session with a tape in memory, and tools with fixed results.

use std::sync::Arc;

use pintle_agent::model::ModelTool;
use pintle_agent::{Session, SessionBuilder, Tool, ToolContext, ToolError};
use pintle_host::contract::{AgentSpec, PermissionMode};
use pintle_host::tape::{HeaderRecord, Tape};
use pintle_host::{Runtime, SystemClock};
pub(crate) use pintle_testkit::SharedLines;
use serde_json::{Value, json};

use crate::support::{self, QueuedReply, QueuedReplyModel, RecordingSleeper};

/// A session of an agent called `root`.
pub(crate) struct RegisteredFixture {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) model: Arc<QueuedReplyModel>,
    pub(crate) session: Session,
    /// `name arguments` of the tools that really ran.
    pub(crate) ran: SharedLines,
}

/// A tool that always returns the same text.
#[derive(Debug)]
struct FixedTextTool {
    definition: ModelTool,
    gives: Result<String, String>,
    ran: SharedLines,
}

impl Tool for FixedTextTool {
    fn definition(&self) -> &ModelTool {
        &self.definition
    }

    fn call(&self, arguments: &Value, _context: &ToolContext<'_>) -> Result<Value, ToolError> {
        self.ran.add(format!("{} {arguments}", self.definition.name));
        Ok(Value::String(self.gives.clone()?))
    }
}

/// The tools of every session here.
const TOOLS: [(&str, Result<&str, &str>); 6] = [
    ("exec_ls", Ok("a.txt")),
    ("exec_root", Ok("done")),
    ("fetch_page", Ok("<html>")),
    ("fs.write", Ok("written")),
    ("look", Ok("seen")),
    ("break", Err("it broke")),
];

pub(crate) fn runtime() -> Arc<Runtime> {
    let clock = Arc::new(SystemClock::default());
    let tape = Tape::in_memory(HeaderRecord::new("s", 0), clock);
    Runtime::builder().tape(Arc::new(tape)).build().unwrap()
}

/// A session whose model plays these replies, with the hooks that `register` registers.
pub(crate) fn open_fixture(
    replies: impl IntoIterator<Item = QueuedReply>,
    register: impl FnOnce(&Arc<Runtime>),
) -> RegisteredFixture {
    open_fixture_with(QueuedReplyModel::root(replies), support::agent(), register, |builder| builder)
}

pub(crate) fn open_fixture_with(
    model: Arc<QueuedReplyModel>,
    agent: AgentSpec,
    register: impl FnOnce(&Arc<Runtime>),
    more: impl FnOnce(SessionBuilder) -> SessionBuilder,
) -> RegisteredFixture {
    let runtime = runtime();
    register(&runtime);
    open_fixture_on(runtime, model, agent, more)
}

/// A session with a runtime that already has its hooks.
pub(crate) fn open_fixture_on(
    runtime: Arc<Runtime>,
    model: Arc<QueuedReplyModel>,
    agent: AgentSpec,
    more: impl FnOnce(SessionBuilder) -> SessionBuilder,
) -> RegisteredFixture {
    let dir = tempfile::tempdir().unwrap();
    let ran = SharedLines::default();
    let builder = Session::builder(Arc::clone(&runtime), agent, model.clone()).workspace(dir.path()).name("s");
    let builder = TOOLS.iter().fold(builder, |builder, (name, gives)| {
        let definition = ModelTool {
            name: (*name).to_owned(),
            description: String::from("a tool of a test"),
            parameters: json!({"type": "object", "properties": {"path": {"type": "string"}, "n": {"type": "integer"}}}),
        };
        let gives = gives.map(str::to_owned).map_err(str::to_owned);
        builder.tool(Arc::new(FixedTextTool { definition, gives, ran: ran.clone() }))
    });
    let session = more(builder.sleeper(Arc::new(RecordingSleeper::default()))).build().unwrap();
    RegisteredFixture { folder: dir, runtime, model, session, ran }
}

/// A session in which every tool call needs the user's approval.
pub(crate) fn with_strict_mode(builder: SessionBuilder) -> SessionBuilder {
    builder.permission_mode(PermissionMode::Strict)
}

impl RegisteredFixture {
    /// The records of the tape.
    pub(crate) fn records(&self) -> Vec<Value> {
        support::complete_records(self.runtime.tape().unwrap())
    }

    /// The records of these kinds that are about a hook, or about every hook if `hook` is empty.
    pub(crate) fn records_about(&self, hook: &str, kinds: &[&str]) -> Vec<Value> {
        let is_it = |record: &Value| {
            kinds.iter().any(|kind| record["kind"] == *kind) && (hook.is_empty() || record["hook"] == hook)
        };
        self.records().into_iter().filter(is_it).collect()
    }

    /// `kind` of the three hook records of a hook, in order.
    pub(crate) fn hook_kinds(&self, hook: &str) -> Vec<String> {
        let records = self.records_about(hook, &["hook_call", "hook_returned", "hook_vetoed"]);
        records.iter().map(|record| record["kind"].as_str().unwrap().to_owned()).collect()
    }

    /// One request to the model, all messages in one text.
    pub(crate) fn sent(&self, request: usize) -> String {
        support::message_lines(&self.model.request(request)).join("\n")
    }

    /// The results of the tools as the model got them, over the whole session.
    pub(crate) fn results(&self) -> Vec<String> {
        let last = self.model.request(self.model.count() - 1);
        let results = last.messages.iter().filter(|message| message.role.to_string() == "tool");
        results.map(|message| message.content.clone()).collect()
    }
}
