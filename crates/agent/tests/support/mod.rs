//! Fixtures for the agent's tests: a model that plays replies, and hooks that keep what they see.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

#[path = "../../../host/tests/worker/mod.rs"]
mod worker;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use pintle_agent::model::{Model, ModelError, ModelReply, ModelRequest, ModelToolCall, ModelUsage, ReplyDelta};
use pintle_agent::{Session, SessionBuilder, Sleeper};
use pintle_host::tape::{Tape, read_bytes};
use pintle_host::{CancelToken, Chain, EventName, Hook, HookCall, Layer, Runtime, Verdict, native};
use serde_json::Value;

pub(crate) use worker::worker;

pub(crate) type QueuedReply = Result<ModelReply, ModelError>;

/// A model that plays replies, with separate ones for each agent.
#[derive(Debug, Default)]
pub(crate) struct QueuedReplyModel {
    replies: Mutex<HashMap<String, VecDeque<QueuedReply>>>,
    pub(crate) requests: Mutex<Vec<ModelRequest>>,
}

impl QueuedReplyModel {
    pub(crate) fn root(replies: impl IntoIterator<Item = QueuedReply>) -> Arc<Self> {
        let play = Arc::new(Self::default());
        play.add("root", replies);
        play
    }

    pub(crate) fn add(&self, agent: &str, replies: impl IntoIterator<Item = QueuedReply>) {
        self.replies.lock().unwrap().entry(agent.to_owned()).or_default().extend(replies);
    }

    pub(crate) fn request(&self, index: usize) -> ModelRequest {
        self.requests.lock().unwrap().get(index).unwrap().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

impl Model for QueuedReplyModel {
    fn name(&self) -> &str {
        "play"
    }

    fn complete(&self, request: &ModelRequest, on: &mut dyn FnMut(ReplyDelta), _cancel: &CancelToken) -> QueuedReply {
        self.requests.lock().unwrap().push(request.clone());
        let mut replies = self.replies.lock().unwrap();
        let next = replies.get_mut(&request.agent).and_then(VecDeque::pop_front);
        let reply = next.unwrap_or_else(|| Err(ModelError::fatal(format!("no reply left for {}", request.agent))));
        if let Ok(reply) = &reply {
            on(ReplyDelta::Text(reply.text.clone()));
        }
        reply
    }
}

pub(crate) fn say(text: &str) -> QueuedReply {
    Ok(ModelReply {
        text: text.to_owned(),
        finish_reason: String::from("stop"),
        usage: ModelUsage { input_tokens: 10, output_tokens: 1 },
        ..ModelReply::default()
    })
}

/// A reply that calls tools: name and arguments as the model writes them. Ids are `1`, `2`, ….
pub(crate) fn call(calls: &[(&str, &str)]) -> QueuedReply {
    let call = |(index, (name, arguments)): (usize, &(&str, &str))| ModelToolCall {
        id: (index + 1).to_string(),
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
    };
    Ok(ModelReply {
        tool_calls: calls.iter().enumerate().map(call).collect(),
        finish_reason: String::from("tool_calls"),
        usage: ModelUsage { input_tokens: 10, output_tokens: 1 },
        ..ModelReply::default()
    })
}

/// The fired events: the event's name, the agent, and the payload.
#[derive(Debug, Clone, Default)]
pub(crate) struct AgentEventLog(Arc<Mutex<Vec<(String, String, Value)>>>);

impl AgentEventLog {
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.lock().unwrap().iter().map(|(name, ..)| name.clone()).collect()
    }

    /// The payloads of one event, in order.
    pub(crate) fn payloads_of(&self, event: &str) -> Vec<Value> {
        let seen = self.0.lock().unwrap();
        seen.iter().filter(|(name, ..)| name == event).map(|(.., payload)| payload.clone()).collect()
    }

    /// `agent:event` of all fired events.
    pub(crate) fn by_agent(&self) -> Vec<String> {
        self.0.lock().unwrap().iter().map(|(name, agent, _)| format!("{agent}:{name}")).collect()
    }

    /// A chain before all others that keeps every event and passes.
    pub(crate) fn chain(&self) -> Chain {
        let names = [
            "session.start",
            "session.end",
            "turn.start",
            "turn.end",
            "tool.pre",
            "tool.post",
            "completion.pre",
            "completion.post",
            "delegation.pre",
            "delegation.post",
            "delegation.post_verify",
            "agent.stop",
            "error",
            "limit.iterations",
            "meta.register_tool",
            "meta.register_hook",
            "meta.register_agent",
            "meta.call_tool",
        ];
        let hooks = names.map(|name| {
            let seen = self.clone();
            hook("seen", name, move |call| {
                let event = call.event;
                let entry = (event.name.to_string(), event.origin.agent.clone(), event.payload.value().clone());
                seen.0.lock().unwrap().push(entry);
                Verdict::pass()
            })
        });
        // A recorder that counts as a guard would be called again after every rewrite.
        native::chain("seen", Layer::Managed, hooks.into_iter().map(|hook| Hook { guard: false, ..hook }))
    }
}

pub(crate) fn hook(name: &str, event: &str, answer: impl Fn(&HookCall<'_>) -> Verdict + Send + Sync + 'static) -> Hook {
    native::hook(name, EventName::parse(event).unwrap(), answer)
}

/// Denies an event with a reason.
pub(crate) fn deny(event: &str, reason: &'static str) -> Hook {
    hook("no", event, move |_| Verdict::deny(reason))
}

/// Replaces fields of an event's payload.
pub(crate) fn rewrite(event: &str, fields: Value) -> Hook {
    hook("changed", event, move |_| Verdict::rewrite(fields.as_object().unwrap().clone()))
}

pub(crate) fn runtime(seen: &AgentEventLog, hooks: impl IntoIterator<Item = Hook>) -> Arc<Runtime> {
    let builder = Runtime::builder().worker(worker()).chain(seen.chain());
    builder.chain(native::chain("test", Layer::Project, hooks)).build().unwrap()
}

#[derive(Debug, Default)]
pub(crate) struct RecordingSleeper(pub Mutex<Vec<u64>>);

impl Sleeper for RecordingSleeper {
    fn sleep(&self, duration_ms: u64, _cancel: &CancelToken) {
        self.0.lock().unwrap().push(duration_ms);
    }
}

/// A session of an agent called `root` in its own directory.
pub(crate) struct AgentFixture {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) seen: AgentEventLog,
    pub(crate) model: Arc<QueuedReplyModel>,
    pub(crate) session: Session,
}

pub(crate) fn agent() -> pintle_host::contract::AgentSpec {
    pintle_host::contract::AgentSpec {
        name: String::from("root"),
        policy: pintle_host::contract::ToolsPolicy {
            allow: vec![String::from("shell")],
            ..pintle_host::contract::ToolsPolicy::default()
        },
        instruction: String::from("be brief"),
        ..pintle_host::contract::AgentSpec::default()
    }
}

pub(crate) fn open_fixture(
    model: Arc<QueuedReplyModel>,
    hooks: impl IntoIterator<Item = Hook>,
    spec: pintle_host::contract::AgentSpec,
) -> AgentFixture {
    open_fixture_with(model, hooks, spec, |builder| builder)
}

pub(crate) fn open_fixture_with(
    model: Arc<QueuedReplyModel>,
    hooks: impl IntoIterator<Item = Hook>,
    spec: pintle_host::contract::AgentSpec,
    more: impl FnOnce(SessionBuilder) -> SessionBuilder,
) -> AgentFixture {
    let dir = tempfile::tempdir().unwrap();
    let seen = AgentEventLog::default();
    let runtime = runtime(&seen, hooks);
    let builder = Session::builder(runtime, spec, model.clone()).workspace(dir.path()).name("s");
    let session = more(builder.sleeper(Arc::new(RecordingSleeper::default()))).build().unwrap();
    AgentFixture { folder: dir, seen, model, session }
}

/// The records of a tape in memory, with all values and origins in place.
pub(crate) fn complete_records(tape: &Tape) -> Vec<Value> {
    let loaded = read_bytes(tape.lines().join("\n").as_bytes()).unwrap();
    loaded.records.iter().map(|record| serde_json::from_str(&record.to_line().unwrap()).unwrap()).collect()
}

/// One request to the model, as `role: text` lines.
pub(crate) fn message_lines(request: &ModelRequest) -> Vec<String> {
    request.messages.iter().map(|message| format!("{}: {}", message.role, message.content)).collect()
}
