//! Pintle is installed in two scopes of a host, which runs both entries of every event: the hooks are asked once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{GONE, HostInstallFixture, PATIENCE, assert_denied, parent_program};

const EVENT: &str = "PreToolUse";
const REASON: &str = "not here";

/// The person's hooks: each notes that it ran, and a slow call waits until the test lets it go on.
fn person_settings(fixture: &HostInstallFixture) -> String {
    let [calls, here, go] = ["calls", "here", "go"].map(|name| fixture.path(name).display().to_string());
    let guard = format!(
        "input=$(cat); echo x >> '{calls}'; \
         case $input in *slow*) : > '{here}'; until [ -e '{go}' ]; do sleep 0.01; done;; esac; \
         case $input in *FORBIDDEN*) echo '{REASON}' >&2; exit 2;; esac"
    );
    let entry = |script: String| json!({"type": "command", "command": script});
    let any = |script: String| json!([{"matcher": "*", "hooks": [entry(script)]}]);
    let hooks = json!({
        "pre_tool_use": any(guard),
        "user_prompt_submit": [entry(format!("echo x >> '{calls}'; echo 'be brief'"))],
    });
    json!({"settings": {"hooks": hooks}}).to_string()
}

/// Makes the agent continue, and says how often it was asked.
const STOP: &str = r#"---
event: agent.stop
script: |
  def handle(event, payload):
      return block("run the tests first: " + str(metrics.incr("stops")))
---
"#;

/// A person with hooks, and both scopes installed.
fn create_fixture() -> HostInstallFixture {
    let fixture = HostInstallFixture::without_install("claude");
    fs::create_dir_all(fixture.path("home/.config/pintle/hooks")).unwrap();
    fs::write(fixture.path("home/.config/pintle/hooks/stop.md"), STOP).unwrap();
    fs::write(fixture.path("home/.config/pintle/config.yaml"), person_settings(&fixture)).unwrap();
    for scope in ["user", "project"] {
        fixture.run_pintle(&["install", "claude", "--yes", "--scope", scope]);
    }
    fixture.forget_calls();
    fixture
}

impl HostInstallFixture {
    fn lines_of_scopes(&self, event: &str) -> [String; 2] {
        let line = |file: &str| {
            let settings: Value = serde_json::from_slice(&fs::read(self.path(file)).unwrap()).unwrap();
            settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap().to_owned()
        };
        ["home/.claude/settings.json", "project/.claude/settings.json"].map(line)
    }

    fn payload_with(&self, event: &str, id: &str, command: &str) -> String {
        let mut payload: Value = serde_json::from_str(&self.payload_of(event)).unwrap();
        payload["tool_use_id"] = json!(id);
        payload["tool_input"] = json!({ "command": command });
        payload.to_string()
    }

    /// Runs the lines at the same time, as the host does.
    fn run_at_once(&self, lines: &[String], payload: &str) -> Vec<Output> {
        let running: Vec<Child> = lines.iter().map(|line| self.start_with_payload(line, payload, &[])).collect();
        running.into_iter().map(|child| child.wait_with_output().unwrap()).collect()
    }

    fn run_one(&self, line: &str, payload: &str) -> Output {
        self.start_with_payload(line, payload, &[]).wait_with_output().unwrap()
    }

    /// Installing sends test calls through the hooks.
    fn forget_calls(&self) {
        let _ = fs::remove_file(self.path("calls"));
    }

    /// How often hooks ran.
    fn count_calls(&self) -> usize {
        fs::read_to_string(self.path("calls")).unwrap_or_default().lines().count()
    }

    /// The records of shared calls.
    fn call_records(&self) -> Vec<PathBuf> {
        let list = |dir: &Path| {
            fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect::<Vec<_>>()
        };
        let shards = list(&self.path("state/bridge/claude/.calls"));
        shards.iter().flat_map(|dir| list(dir)).filter(|path| !path.ends_with("gate")).collect()
    }

    /// Waits until a second entry waits for the decision of the first.
    fn wait_for_second_entry(&self) {
        let began = Instant::now();
        let has_two = |path: &PathBuf| {
            let record: Value = serde_json::from_slice(&fs::read(path).unwrap_or_default()).unwrap_or_default();
            record["reporters"].as_array().is_some_and(|reporters| reporters.len() == 2)
        };
        while !self.call_records().iter().any(has_two) {
            assert!(began.elapsed() < PATIENCE, "no second entry came");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The `pintle hook` of this fixture that its host's shell started.
    fn find_deciding_process(&self) -> String {
        let root = self.path("").display().to_string();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let words =
                String::from_utf8_lossy(&fs::read(entry.path().join("cmdline")).unwrap_or_default()).into_owned();
            let is_ours =
                words.split('\0').next().is_some_and(|word| word.ends_with("/pintle")) && words.contains(&root);
            if is_ours && words.contains("\0hook\0") && parent_program(name.parse().unwrap()) != "pintle" {
                return name;
            }
        }
        panic!("nobody decides");
    }
}

fn assert_silent(output: &Output) {
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0), "{output:?}");
}

#[test]
fn both_entries_deny_and_allow_alike_and_the_hooks_are_asked_once() {
    let fixture = create_fixture();
    let lines = fixture.lines_of_scopes(EVENT);
    for round in 0..12 {
        let is_denied = round % 2 == 0;
        let command = if is_denied { "echo FORBIDDEN" } else { "echo hi" };
        let outputs = fixture.run_at_once(&lines, &fixture.payload_with(EVENT, &format!("c{round}"), command));
        outputs.iter().for_each(|output| if is_denied { assert_denied(output, REASON) } else { assert_silent(output) });
        assert_eq!(fixture.count_calls(), round + 1);
    }
    let tape = fs::read_to_string(fixture.path("state/bridge/claude/s1/tape.jsonl")).unwrap();
    assert_eq!(tape.matches("\"kind\":\"bridge\"").count(), 12, "each call is recorded once");
}

#[test]
fn entries_that_run_one_after_the_other_are_one_call_and_the_same_entry_again_is_another() {
    let fixture = create_fixture();
    let [user, project] = fixture.lines_of_scopes(EVENT);
    let payload = fixture.payload_with(EVENT, "c1", "echo FORBIDDEN");
    for (line, calls) in [(&user, 1), (&project, 1), (&project, 2), (&user, 2), (&user, 3), (&user, 4), (&project, 4)] {
        assert_denied(&fixture.run_one(line, &payload), REASON);
        assert_eq!(fixture.count_calls(), calls);
    }
}

#[test]
fn what_is_said_to_the_model_is_said_once() {
    let fixture = create_fixture();
    let prompt = ("UserPromptSubmit", "be brief");
    for (event, text) in [prompt, ("Stop", "run the tests first: 1"), prompt, ("Stop", "run the tests first: 2")] {
        let lines = fixture.lines_of_scopes(event);
        let outputs = fixture.run_at_once(&lines, &fixture.payload_of(event));
        let said = outputs.iter().filter(|output| String::from_utf8_lossy(&output.stdout).contains(text)).count();
        let silent = outputs.iter().filter(|output| output.stdout.is_empty() && output.status.success()).count();
        assert_eq!((said, silent), (1, 1), "{outputs:?}");
    }
    assert_eq!(fixture.count_calls(), 2);
}

#[test]
fn a_killed_entry_denies_and_the_one_that_waited_for_it_decides() {
    for (command, is_denied) in [("slow FORBIDDEN", true), ("slow", false)] {
        let fixture = create_fixture();
        let lines = fixture.lines_of_scopes(EVENT);
        let payload = fixture.payload_with(EVENT, "c1", command);
        let first = fixture.start_with_payload(&lines[0], &payload, &[]);
        fixture.wait_for("here");
        let deciding = fixture.find_deciding_process();
        let second = fixture.start_with_payload(&lines[1], &payload, &[]);
        fixture.wait_for_second_entry();
        assert!(Command::new("/bin/kill").args(["-KILL", &deciding]).status().unwrap().success());
        assert_denied(&first.wait_with_output().unwrap(), GONE);
        fs::write(fixture.path("go"), "").unwrap();
        let second = second.wait_with_output().unwrap();
        if is_denied {
            assert_denied(&second, REASON)
        } else {
            assert_silent(&second)
        }
        assert_eq!(fixture.count_calls(), 2, "the second entry asked the hooks itself");
    }
}

#[test]
fn entries_with_other_hooks_are_asked_for_themselves() {
    let fixture = create_fixture();
    fs::write(fixture.path("team.yaml"), crate::policy_file("echo 'this project says no' >&2; exit 2")).unwrap();
    let policy = fixture.path("team.yaml").display().to_string();
    fixture.run_pintle(&["install", "claude", "--yes", "--scope", "project", "--hooks", &policy]);
    fixture.forget_calls();
    let lines = fixture.lines_of_scopes(EVENT);
    let outputs = fixture.run_at_once(&lines, &fixture.payload_with(EVENT, "c1", "echo hi"));
    assert_silent(&outputs[0]);
    assert_denied(&outputs[1], "this project says no");
    assert_eq!(fixture.count_calls(), 2);
}

#[test]
fn without_a_usable_record_every_entry_decides() {
    let fixture = create_fixture();
    let lines = fixture.lines_of_scopes(EVENT);
    let payload = fixture.payload_with(EVENT, "c1", "echo FORBIDDEN");
    assert_denied(&fixture.run_one(&lines[0], &payload), REASON);
    let records = fixture.call_records();
    assert_eq!(records.len(), 1);
    for text in ["", "{", "{\"reporters\": [], \"answer\": \"allow\"}", "[]"] {
        fs::write(&records[0], text).unwrap();
        assert_denied(&fixture.run_one(&lines[1], &payload), REASON);
    }
    let dir = fixture.path("state/bridge/claude/.calls");
    fs::remove_dir_all(&dir).unwrap();
    fs::write(&dir, "a file").unwrap();
    lines.iter().for_each(|line| assert_denied(&fixture.run_one(line, &payload), REASON));
    assert_eq!(fixture.count_calls(), 7);
}
