//! A session with hooks from files.
use std::sync::Arc;

use pintle_agent::SessionBuilder;
use pintle_host::contract::AgentSpec;
use pintle_host::tape::{HeaderRecord, Tape};
use pintle_host::{Layer, LoadedRuntime, Runtime, RuntimeBuilder, SystemClock};
use serde_json::Value;

use crate::plugins::stage::{RegisteredFixture, open_fixture_on};
use crate::support::{QueuedReply, QueuedReplyModel, agent};

/// Loads files, of which `path` is the one that is named (empty: their directory). The files are then removed.
pub(crate) fn load_plugin(files: &[(&str, &str)], path: &str) -> LoadedRuntime {
    load_plugin_with(files, path, |builder| builder)
}

pub(crate) fn load_plugin_with(
    files: &[(&str, &str)],
    path: &str,
    more: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder,
) -> LoadedRuntime {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = dir.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let tape = Tape::in_memory(HeaderRecord::new("s", 0), Arc::new(SystemClock::default()));
    more(Runtime::builder().path(dir.path().join(path), Layer::Project).tape(Arc::new(tape))).load()
}

/// A session with a plugin, whose model plays these replies.
pub(crate) fn open_with_plugin(plugin: &str, replies: impl IntoIterator<Item = QueuedReply>) -> RegisteredFixture {
    open_with_files(&[("policy.star", plugin)], "policy.star", QueuedReplyModel::root(replies), agent(), |builder| {
        builder
    })
}

pub(crate) fn open_with_files(
    files: &[(&str, &str)],
    path: &str,
    model: Arc<QueuedReplyModel>,
    agent: AgentSpec,
    more: impl FnOnce(SessionBuilder) -> SessionBuilder,
) -> RegisteredFixture {
    let built = load_plugin(files, path);
    let faults: Vec<String> = built.diagnostics.iter().map(ToString::to_string).collect();
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(built.declarations().next().is_some(), "nothing was registered");
    open_fixture_on(built.runtime, model, agent, more)
}

impl RegisteredFixture {
    /// The names of the hooks that were called for an event, in order.
    pub(crate) fn hooks_called(&self, event: &str) -> Vec<String> {
        let records = self.records();
        let of_event: Vec<&Value> =
            records.iter().filter(|record| record["kind"] == "event" && record["event"] == event).collect();
        let calls = records.iter().filter(|record| {
            record["kind"] == "hook_call" && of_event.iter().any(|event| event["dispatch"] == record["dispatch"])
        });
        calls.map(|record| record["hook"].as_str().unwrap().to_owned()).collect()
    }

    /// The tools of the test that ran, with their arguments. Calls of one reply run concurrently, so they are sorted.
    pub(crate) fn sorted_tools_run(&self) -> Vec<String> {
        let mut ran = self.ran.all();
        ran.sort();
        ran
    }

    /// The payload of an event, as it was fired.
    pub(crate) fn fired_payloads(&self, event: &str) -> Vec<Value> {
        let events = self.records_about("", &["event"]).into_iter().filter(|record| record["event"] == event);
        events.map(|record| record["payload"].clone()).collect()
    }
}
