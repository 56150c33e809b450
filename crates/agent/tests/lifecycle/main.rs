//! The life of a session as its hooks see it: reminders, the points at which events fire, edited files, waiting, and the
//! end (Harn, session hooks).

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests fail by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod edits;
mod ending;
mod guide;
mod points;
mod reminders;
mod waiting;

use std::sync::{Arc, Mutex};

use pintle::tape::{HeaderRecord, Tape};
use pintle::{AgentSpec, Effect, Hook, Layer, Reminder, Runtime, SystemClock, Verdict, native};
use pintle_agent::{Session, SessionBuilder};
use serde_json::Value;

use support::{NoSleep, Play, agent, hook};

/// What was fired, in order: the event and its payload.
#[derive(Debug, Clone, Default)]
struct Heard(Arc<Mutex<Vec<(String, Value)>>>);

impl Heard {
    /// A hook on each event that keeps it and has no opinion.
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
    fn of(&self, event: &str) -> Vec<Value> {
        let heard = self.0.lock().unwrap();
        heard.iter().filter(|(name, _)| name == event).map(|(_, payload)| payload.clone()).collect()
    }
}

/// A session of an agent called `root`, with a tape.
struct Stage {
    session: Session,
    model: Arc<Play>,
    runtime: Arc<Runtime>,
    folder: tempfile::TempDir,
}

fn stage(model: Arc<Play>, hooks: impl IntoIterator<Item = Hook>) -> Stage {
    stage_with(model, agent(), hooks, |builder| builder)
}

fn stage_with(
    model: Arc<Play>,
    spec: AgentSpec,
    hooks: impl IntoIterator<Item = Hook>,
    more: impl FnOnce(SessionBuilder) -> SessionBuilder,
) -> Stage {
    let folder = tempfile::tempdir().unwrap();
    let tape = Tape::in_memory(HeaderRecord::new("s", 0), Arc::new(SystemClock::default()));
    let builder = Runtime::builder().worker(support::worker()).tape(Arc::new(tape));
    let runtime = builder.chain(native::chain("test", Layer::Project, hooks)).build().runtime;
    let builder = Session::builder(Arc::clone(&runtime), spec, model.clone()).workspace(folder.path()).name("s");
    let session = more(builder.sleeper(Arc::new(NoSleep::default()))).build().unwrap();
    Stage { session, model, runtime, folder }
}

impl Stage {
    /// The host's records of reminders, as `what body` with the turn in which it happened.
    fn reminded(&self) -> Vec<String> {
        let lines = self.runtime.tape().unwrap().lines();
        let records = lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let reminders = records.filter(|record| record["kind"] == "reminder");
        let line = |record: Value| {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let turn = record["origin"]["turn"].as_u64().unwrap_or(0);
            format!("{turn} {} {}", text(&record["what"]), text(&record["reminder"]["body"]))
        };
        reminders.map(line).collect()
    }

    /// How often each of the words is in each request.
    fn sent(&self, words: &str) -> Vec<usize> {
        let count = |at| support::told(&self.model.request(at)).join("\n").matches(words).count();
        (0..self.model.count()).map(count).collect()
    }
}

/// A hook that reminds the model of something each time it is asked.
fn remind(event: &str, reminder: Reminder) -> Hook {
    hook("reminds", event, move |_| Verdict::pass().with_effect(Effect::Reminder(reminder.clone())))
}
