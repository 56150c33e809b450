//! A home, a project, and both ways to get an answer for a call.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long anything may take before a test gives up. Far more than it needs.
const PATIENCE: Duration = Duration::from_secs(60);

/// The full program, and the one that asks a resident.
pub(crate) const FULL: &str = env!("CARGO_BIN_EXE_pintle");
pub(crate) const CLIENT: &str = env!("CARGO_BIN_EXE_pintle-hook");

/// A directory with a project, a home and one state directory for each program, so that neither sees the other's sessions.
pub(crate) struct ResidentFixture {
    root: tempfile::TempDir,
}

impl ResidentFixture {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for dir in ["home", "project/.harness/hooks", "config", "elsewhere"] {
            fs::create_dir_all(root.path().join(dir)).unwrap();
        }
        Self { root }
    }

    /// The same with a file in the project.
    pub(crate) fn with_file(self, path: &str, text: &str) -> Self {
        self.write(path, text);
        self
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path("project").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        if text.starts_with("#!") {
            pintle_testkit::make_executable(&path);
        }
    }

    /// A program with the variables of this fixture, in the project.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.path("home"))
            .current_dir(self.path("project"));
        command
    }

    /// The state directory of a program.
    pub(crate) fn state(&self, program: &str) -> PathBuf {
        self.path(if program == CLIENT { "state-client" } else { "state-full" })
    }

    /// A call of the project's hooks.
    pub(crate) fn hook_command(&self, program: &str, event: &str) -> Command {
        let mut command = self.command(program);
        command.args(["hook", "claude", event, "--hooks", "."]);
        command.arg("--config-dir").arg(self.path("config")).arg("--state-dir").arg(self.state(program));
        command
    }

    /// The payload of a call.
    pub(crate) fn payload(&self, event: &str, tool: &str, input: &Value) -> Vec<u8> {
        let call = json!({
            "session_id": "s1", "cwd": self.path("project"), "hook_event_name": event, "tool_name": tool,
            "tool_use_id": "c1", "tool_input": input, "tool_response": "done", "prompt": "go",
        });
        call.to_string().into_bytes()
    }

    pub(crate) fn shell_payload(&self, line: &str) -> Vec<u8> {
        self.payload("PreToolUse", "Bash", &json!({"command": line}))
    }

    /// Asks about a command line.
    pub(crate) fn ask(&self, program: &str, line: &str) -> Output {
        run(self.hook_command(program, "PreToolUse"), &self.shell_payload(line))
    }

    /// Starts the resident of this fixture's environment, and waits until it listens.
    pub(crate) fn start_resident(&self) -> ResidentProcess {
        self.start_resident_with(&[])
    }

    pub(crate) fn start_resident_with(&self, arguments: &[&str]) -> ResidentProcess {
        loop {
            let mut command = self.command(FULL);
            command.args(["serve", "--resident", "--state-dir"]).arg(self.state(CLIENT)).args(arguments);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            // One that a caller started may be about to listen, and ends when it is told to.
            match self.start_as_resident(command) {
                Some(resident) => return resident,
                None => drop(self.serve("stop")),
            }
        }
    }

    /// Starts a program that is to become the resident; `None` if it ends before it listens.
    pub(crate) fn start_as_resident(&self, mut command: Command) -> Option<ResidentProcess> {
        let mut resident = ResidentProcess { child: command.spawn().unwrap() };
        let began = Instant::now();
        while self.sockets().is_empty() {
            assert!(began.elapsed() < PATIENCE, "the resident does not listen");
            if resident.child.try_wait().unwrap().is_some() {
                return None;
            }
            std::thread::yield_now();
        }
        Some(resident)
    }

    /// The sockets of residents.
    pub(crate) fn sockets(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.state(CLIENT).join("serve")).into_iter().flatten().flatten();
        entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "sock"))
            .collect()
    }

    /// What the residents of a state directory say of themselves.
    pub(crate) fn status(&self) -> Vec<Value> {
        let output = self.serve("status");
        let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        rows.into_iter().map(|row| row["resident"].clone()).collect()
    }

    pub(crate) fn serve(&self, action: &str) -> Output {
        let mut command = self.command(FULL);
        command.args(["serve", action, "--json", "--state-dir"]).arg(self.state(CLIENT));
        run(command, b"")
    }

    /// How many calls the residents answered.
    pub(crate) fn answered(&self) -> u64 {
        self.status().iter().map(|status| status["calls"].as_u64().unwrap()).sum()
    }

    /// The records of a program's session, without what differs from run to run.
    pub(crate) fn records(&self, program: &str, session: &str) -> Vec<Value> {
        let tape = self.state(program).join("bridge/claude").join(session).join("tape.jsonl");
        let text = fs::read_to_string(tape).unwrap_or_default();
        text.lines().map(|line| without_chance(serde_json::from_str(line).unwrap())).collect()
    }
}

/// A record without its times and hashes.
fn without_chance(mut record: Value) -> Value {
    match &mut record {
        Value::Object(fields) => {
            fields.retain(|name, _| {
                name != "prev" && !name.ends_with("_ms") && !name.ends_with("_us") && name != "digest"
            });
            fields.values_mut().for_each(|value| *value = without_chance(value.take()));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| *value = without_chance(value.take())),
        _ => {}
    }
    record
}

/// A running resident, which ends with the test.
pub(crate) struct ResidentProcess {
    child: Child,
}

impl ResidentProcess {
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits for its end, and says whether that was a good one.
    pub(crate) fn wait(&mut self) -> bool {
        self.child.wait().unwrap().success()
    }
}

impl Drop for ResidentProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

pub(crate) fn start(mut command: Command, input: &[u8]) -> Child {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that does not read may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input);
    child
}

pub(crate) fn run(command: Command, input: &[u8]) -> Output {
    start(command, input).wait_with_output().unwrap()
}

/// Whether an answer of Claude Code's hook denies.
pub(crate) fn is_denied(output: &Output) -> bool {
    String::from_utf8_lossy(&output.stdout).contains("\"deny\"") || output.status.code() == Some(2)
}

/// A text in which both state directories are one.
pub(crate) fn normalized(bytes: &[u8], root: &Path) -> String {
    let text = String::from_utf8_lossy(bytes).replace(&*root.to_string_lossy(), "ROOT");
    text.replace("state-client", "state").replace("state-full", "state")
}
