//! A project in a folder of its own, and the program in it.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use pintle_agent::model::{MessageRole, ModelMessage};
use pintle_host::tape::record::host::HostRecord;
use pintle_host::tape::{LoadedTape, RecordBody};
use tempfile::TempDir;

use crate::moments::KillMoment;

const AGENT: &str = "---
name: tidy
model: {provider: script, name: script.yaml}
tools_policy: {mode: allowlist, allow: [shell, list, read, write, delegate]}
---
You keep this folder tidy.
";

const HELPER: &str = "---\ndescription: Looks.\n---\nLook.\n";

/// How many prompts the script has.
pub(crate) const PROMPTS: usize = 2;

/// Several turns, parallel calls, tools that take some milliseconds, a helper.
const SCRIPT: &str = r#"
prompts: [One., Two.]
turns:
  - say: I look around.
    calls:
      - {tool: shell, args: {command: "sleep 0.004; echo a"}}
      - {tool: list, args: {path: .}}
  - calls: [{tool: write, args: {path: notes.txt, content: seen}}]
  - say: One is done.
  - calls: [{tool: delegate, args: {agent: helper, task: look}}, {tool: read, args: {path: notes.txt}}]
  - calls: [{tool: shell, args: {command: "true # forbidden"}}]
  - say: Two is done.
agents:
  helper:
    - calls: [{tool: shell, args: {command: "sleep 0.003; echo d"}}]
    - say: It looks well.
    - say: It looks well again.
    - say: And again.
    - say: And once more.
"#;

const HOOK: &str = r#"---
event: tool.pre
script: |
  def handle(event, payload):
      metrics.incr("calls")
      if "forbidden" in payload["args"].get("command", ""):
          return block("that is not for agents")
      return allow()
---
"#;

/// A project in a folder of its own.
pub(crate) struct KillFixture(TempDir);

impl KillFixture {
    /// A project, with a hook that is a script if it is to have one: that takes as long to load as all the rest.
    pub(crate) fn new(has_hook: bool) -> Self {
        let fixture = Self(tempfile::tempdir().unwrap());
        let files = [
            ("harness.md", AGENT),
            ("script.yaml", SCRIPT),
            (".harness/agents/helper.md", HELPER),
            ("nobodys/empty.txt", ""),
        ];
        for (path, text) in files.into_iter().chain(has_hook.then_some((".harness/hooks/guard.md", HOOK))) {
            let path = fixture.0.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fixture
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pintle"));
        command.args(arguments).current_dir(self.0.path()).env("PINTLE_CONFIG_DIR", self.0.path().join("nobodys"));
        command.stdin(Stdio::null());
        command
    }

    /// Runs the program to its end; gives what it printed and its exit status.
    pub(crate) fn run(&self, arguments: &[&str]) -> (String, Option<i32>) {
        let output = self.command(arguments).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout) + &text(&output.stderr), output.status.code())
    }

    /// Runs the program until a moment, and kills it there. Gives whether it was at work then.
    pub(crate) fn run_until(&self, arguments: &[&str], moment: KillMoment) -> bool {
        let mut child = self.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let began = Instant::now();
        let mut seen = RecordCounter::default();
        let mut is_there = || match moment {
            KillMoment::Records(records) => seen.count_records(self.tape_path()) >= records,
            KillMoment::Delay(wait) => began.elapsed() >= wait,
        };
        while is_running(&mut child) && !is_there() {
            std::thread::sleep(std::time::Duration::from_micros(200));
        }
        let was_running = is_running(&mut child);
        // On this platform that is `kill -9`.
        let _ = child.kill();
        child.wait().unwrap();
        was_running
    }

    /// The bytes of the session's tape; none before there is one.
    pub(crate) fn read_tape(&self) -> Vec<u8> {
        self.tape_path().map(|path| fs::read(path).unwrap()).unwrap_or_default()
    }

    fn tape_path(&self) -> Option<PathBuf> {
        let entries = fs::read_dir(self.0.path().join(".pintle/tapes"));
        let mut tapes: Vec<PathBuf> = entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        assert!(tapes.len() < 2, "a session has one tape");
        tapes.pop()
    }
}

/// How many records a tape has, of which only what is new is read.
#[derive(Default)]
struct RecordCounter {
    tape: Option<File>,
    count: usize,
}

impl RecordCounter {
    fn count_records(&mut self, path: Option<PathBuf>) -> usize {
        self.tape = self.tape.take().or_else(|| path.map(|path| File::open(path).unwrap()));
        let mut new = Vec::new();
        self.tape.iter_mut().for_each(|tape| {
            tape.read_to_end(&mut new).unwrap();
        });
        self.count += new.iter().filter(|byte| **byte == b'\n').count();
        self.count
    }
}

fn is_running(child: &mut Child) -> bool {
    child.try_wait().unwrap().is_none()
}

/// The messages of the session's own agent.
pub(crate) fn messages_of(tape: &LoadedTape) -> Vec<ModelMessage> {
    let message = |record: &pintle_host::tape::Record<'_>| match &record.body {
        RecordBody::Host(HostRecord::Message(message)) if message.origin.run.is_empty() => {
            Some(serde_json::from_value(message.message.clone().into_owned()).unwrap())
        }
        _ => None,
    };
    tape.records.iter().filter_map(message).collect()
}

/// No message is lost and none is there twice: each prompt once and in order, each reply once, each call with one result.
pub(crate) fn check_conversation(messages: &[ModelMessage], label: &str) {
    let of = |role: MessageRole| messages.iter().filter(move |message| message.role == role);
    let prompts: Vec<&str> = of(MessageRole::User).map(|message| message.content.as_str()).collect();
    assert_eq!(prompts, ["One.", "Two."], "{label}");
    let replies: Vec<&str> =
        of(MessageRole::Assistant).map(|message| message.content.as_str()).filter(|text| !text.is_empty()).collect();
    assert_eq!(replies, ["I look around.", "One is done.", "Two is done."], "{label}");
    let calls: Vec<&str> =
        of(MessageRole::Assistant).flat_map(|message| &message.tool_calls).map(|call| call.id.as_str()).collect();
    assert_eq!(calls.len(), 6, "{label}");
    let known = of(MessageRole::Tool).all(|message| !message.content.ends_with("not found"));
    assert!(known, "{label}: a tool is not there");
    let mut results: HashMap<&str, usize> = HashMap::new();
    of(MessageRole::Tool)
        .filter_map(|message| message.tool_call_id.as_deref())
        .for_each(|id| *results.entry(id).or_default() += 1);
    assert!(
        calls.iter().all(|call| results.get(call) == Some(&1)) && results.len() == calls.len(),
        "{label}: {results:?}"
    );
}
