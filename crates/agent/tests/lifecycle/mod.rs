//! A session as its hooks see it: reminders, the points at which events fire, edited files, waiting, and the end.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail by panicking")]

use crate::support;

mod edits;
mod ending;
mod guide;
mod points;
mod reminders;
mod waiting;

use std::sync::{Arc, Mutex};

use pintle_agent::{Session, SessionBuilder};
use pintle_host::contract::AgentSpec;
use pintle_host::tape::{HeaderRecord, Tape};
use pintle_host::{Effect, Hook, Layer, Reminder, Runtime, SystemClock, Verdict, native};
use serde_json::Value;

use support::{QueuedReplyModel, RecordingSleeper, agent, hook};

/// The fired events, in order, with their payloads.
#[derive(Debug, Clone, Default)]
struct FiredEventLog(Arc<Mutex<Vec<(String, Value)>>>);

impl FiredEventLog {
    /// A hook on each event that keeps it and passes.
    fn hooks(&self, events: &[&str]) -> Vec<Hook> {
        let keep = |event: &&str| {
            let heard = self.clone();
            let keep = hook("heard", event, move |call| {
                heard.0.lock().unwrap().push((call.event.name.to_string(), call.event.payload.value().clone()));
                Verdict::pass()
            });
            Hook { guard: false, ..keep }
        };
        events.iter().map(keep).collect()
    }

    fn names(&self) -> Vec<String> {
        self.0.lock().unwrap().iter().map(|(name, _)| name.clone()).collect()
    }

    /// The payloads of one event.
    fn payloads_of(&self, event: &str) -> Vec<Value> {
        let heard = self.0.lock().unwrap();
        heard.iter().filter(|(name, _)| name == event).map(|(_, payload)| payload.clone()).collect()
    }
}

/// A session of an agent called `root`, with a tape.
struct LifecycleFixture {
    session: Session,
    model: Arc<QueuedReplyModel>,
    runtime: Arc<Runtime>,
    folder: tempfile::TempDir,
}

fn open_fixture(model: Arc<QueuedReplyModel>, hooks: impl IntoIterator<Item = Hook>) -> LifecycleFixture {
    open_fixture_with(model, agent(), hooks, |builder| builder)
}

fn open_fixture_with(
    model: Arc<QueuedReplyModel>,
    spec: AgentSpec,
    hooks: impl IntoIterator<Item = Hook>,
    more: impl FnOnce(SessionBuilder) -> SessionBuilder,
) -> LifecycleFixture {
    let dir = tempfile::tempdir().unwrap();
    let tape = Tape::in_memory(HeaderRecord::new("s", 0), Arc::new(SystemClock::default()));
    let builder = Runtime::builder().worker(support::worker()).tape(Arc::new(tape));
    let runtime = builder.chain(native::chain("test", Layer::Project, hooks)).build().unwrap();
    let builder = Session::builder(Arc::clone(&runtime), spec, model.clone()).workspace(dir.path()).name("s");
    let session = more(builder.sleeper(Arc::new(RecordingSleeper::default()))).build().unwrap();
    LifecycleFixture { session, model, runtime, folder: dir }
}

impl LifecycleFixture {
    /// The tape's records of reminders, as `what body` with the turn in which it happened.
    fn reminder_records(&self) -> Vec<String> {
        let records = support::complete_records(self.runtime.tape().unwrap());
        let reminders = records.into_iter().filter(|record| record["kind"] == "reminder");
        let line = |record: Value| {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let turn = record["origin"]["turn"].as_u64().unwrap_or(0);
            format!("{turn} {} {}", text(&record["transition"]), text(&record["reminder"]["body"]))
        };
        reminders.map(line).collect()
    }

    /// How often each of the texts is in each request.
    fn count_sent(&self, words: &str) -> Vec<usize> {
        let count = |index| support::message_lines(&self.model.request(index)).join("\n").matches(words).count();
        (0..self.model.count()).map(count).collect()
    }
}

/// A hook that injects a reminder at each call.
fn reminder_hook(event: &str, reminder: Reminder) -> Hook {
    hook("reminds", event, move |_| Verdict::pass().with_effect(Effect::Reminder(reminder.clone())))
}
