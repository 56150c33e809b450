//! Runs sessions of the example's agent with a scripted model, and collects their results.

use std::fs;
use std::sync::Arc;

use pintle_agent::Session;
use pintle_agent::model::ScriptModel;
use pintle_host::contract::TeamSpec;
use pintle_host::tape::{HeaderRecord, Tape};
use pintle_host::{Layer, LoadedRuntime, Runtime};
use serde_json::Value;
use tempfile::TempDir;

use super::logs::HookLogs;
use crate::seeds::tally::{expect, expect_equal};

pub(super) struct SessionScript {
    /// Its name, which hooks see as the session id.
    pub(super) name: &'static str,
    /// Changes to the example's team, for events that its one agent does not fire on its own.
    pub(super) arrange: fn(&mut TeamSpec),
    /// The model's turns, as a script file.
    pub(super) model: &'static str,
    /// The user's actions.
    pub(super) steps: &'static [UserAction],
    /// The messages of turns that fail.
    pub(super) failed_turns: &'static [&'static str],
    /// Every line of every log file, after the file's name; `DATE` replaces a time.
    pub(super) logs: &'static str,
}

/// An action of the user.
pub(super) enum UserAction {
    /// Sends a message.
    Say(&'static str),
    /// Compacts the conversation.
    Compact,
}

/// The results of a session.
pub(super) struct PlayedSession {
    /// The records of its tape.
    pub(super) tape: Vec<Value>,
    /// The lines of each log file, with times replaced.
    pub(super) logs: HookLogs,
    /// The messages of turns that failed.
    pub(super) failed_turns: Vec<String>,
}

/// The files in the agent's workspace.
const FILES: &[(&str, &str)] = &[
    ("GUIDELINES.md", "Be brief.\n"),
    ("PROJECT.md", "A project of two notes.\n"),
    ("notes.txt", "one\ntwo\nthree\n"),
];

/// Loads a file as the program would.
pub(super) fn load(dir: &TempDir, yaml: &str, tape: Option<Arc<Tape>>) -> Result<LoadedRuntime, String> {
    let path = dir.path().join("hooks.yaml");
    fs::write(&path, yaml).map_err(|error| format!("cannot write the file: {error}"))?;
    let builder = Runtime::builder().path(&path, Layer::Agent);
    Ok(tape.into_iter().fold(builder, |builder, tape| builder.tape(tape)).load())
}

impl SessionScript {
    /// Checks a session: its turns, its hooks and every line of its logs.
    pub(super) fn check(&self, played: &PlayedSession) -> Result<(), String> {
        expect_equal(&played.failed_turns.iter().map(String::as_str).collect(), &self.failed_turns.to_vec())?;
        let complaints = played.hook_messages();
        expect(complaints.is_empty(), || format!("hooks complain: {}", complaints.join("; ")))?;
        let (found, wanted) = (played.logs.text(), self.logs.trim_start());
        let differs = found.lines().zip(wanted.lines()).find(|(found, wanted)| found != wanted);
        let count = |text: &str| text.lines().count();
        match differs {
            Some((found, wanted)) => Err(format!("the logs contain `{found}` instead of `{wanted}`")),
            None => expect_equal(&count(&found), &count(wanted)),
        }
    }

    /// Runs the session with the hooks of `yaml`.
    pub(super) fn run(&self, yaml: &str) -> Result<PlayedSession, String> {
        let error = |error: std::io::Error| format!("cannot prepare the session: {error}");
        let (dir, work) = (TempDir::new().map_err(error)?, TempDir::new().map_err(error)?);
        for (name, text) in FILES {
            fs::write(work.path().join(name), text).map_err(error)?;
        }
        let clock = pintle_host::SystemClock::default();
        let tape = Arc::new(Tape::in_memory(HeaderRecord::new(self.name, 0), Arc::new(clock)));
        let built = load(&dir, yaml, Some(Arc::clone(&tape)))?;
        let mut team = built.team.ok_or("the file has no agents")?;
        (self.arrange)(&mut team);
        let root = team.agents.first().ok_or("the file has no agent")?.as_ref().clone();
        let model = ScriptModel::parse(self.name, self.model).map_err(|error| error.to_string())?;
        let logs = HookLogs::start_watching()?;
        let session = Session::builder(built.runtime, root, Arc::new(model)).workspace(work.path()).team(team);
        let mut session = session.name(self.name).build().map_err(|error| error.to_string())?;
        let mut faults = Vec::new();
        for step in self.steps {
            let done = match step {
                UserAction::Say(prompt) => session.turn(prompt).map(drop),
                UserAction::Compact => session.compact(None).map(drop),
            };
            faults.extend(done.err().map(|error| error.message));
        }
        session.end();
        drop(session);
        let records = tape.lines().iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ok(PlayedSession { tape: records, logs: logs.finish()?, failed_turns: faults })
    }
}

impl PlayedSession {
    /// The records of a kind.
    pub(super) fn records<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.tape.iter().filter(move |record| record.get("kind").and_then(Value::as_str) == Some(kind))
    }

    /// The events whose hooks were called, by their canonical names.
    pub(super) fn events_with_hooks(&self) -> Vec<&str> {
        let number = |record: &Value| record.get("dispatch").and_then(Value::as_u64);
        let called: Vec<Option<u64>> = self.records("hook_call").map(number).collect();
        let events = self.records("event").filter(|event| called.contains(&number(event)));
        events.filter_map(|event| event.get("event").and_then(Value::as_str)).collect()
    }

    /// The failures and warnings of hooks.
    pub(super) fn hook_messages(&self) -> Vec<String> {
        let of_hook = |record: &Value, what: &Value| {
            let hook = record.get("hook").and_then(Value::as_str).unwrap_or_default();
            format!("{hook}: {what}")
        };
        let failed = self.records("hook_returned").filter_map(|record| {
            let said = record.get("verdict")?;
            said.get("failure").or_else(|| said.get("warnings")).map(|what| of_hook(record, what))
        });
        failed.chain(self.records("warning").map(|record| of_hook(record, record))).collect()
    }
}
