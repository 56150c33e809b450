//! Calls of one session that run at the same time.

use std::fs;
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{HostInstallFixture, PATIENCE, policy_file};

const EVENT: &str = "PreToolUse";

/// A hook that says that it runs, and waits until the test lets it go on if the call is a slow one.
fn waiting_policy(fixture: &HostInstallFixture) -> String {
    let [here, go] = ["here", "go"].map(|name| fixture.path(name).display().to_string());
    policy_file(&format!("grep -q slow || exit 0; : > '{here}'/$$; until [ -e '{go}' ]; do sleep 0.01; done"))
}

/// A project whose hooks wait.
fn waiting_fixture() -> HostInstallFixture {
    let fixture = HostInstallFixture::without_install("claude");
    fs::create_dir(fixture.path("here")).unwrap();
    fs::write(fixture.path("policy.yaml"), waiting_policy(&fixture)).unwrap();
    fixture
}

impl HostInstallFixture {
    /// Starts `pintle hook` itself, with the hooks of a file.
    fn start_call(&self, event: &str, command: &str, hooks: &str) -> Child {
        let mut payload: Value = serde_json::from_str(&self.payload_of(event)).unwrap();
        payload["tool_input"] = json!({ "command": command });
        let mut process = self.command(Path::new(env!("CARGO_BIN_EXE_pintle")));
        process.args(["hook", "claude", event, "--hooks"]).arg(self.path(hooks));
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = process.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.to_string().as_bytes()).unwrap();
        child
    }

    fn call(&self, event: &str, command: &str, hooks: &str) -> Output {
        self.start_call(event, command, hooks).wait_with_output().unwrap()
    }

    fn wait_for_hooks(&self, count: usize) {
        let began = Instant::now();
        while fs::read_dir(self.path("here")).unwrap().count() < count {
            assert!(began.elapsed() < PATIENCE, "they never ran at the same time");
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn let_go(&self) {
        fs::write(self.path("go"), "").unwrap();
    }

    fn tape(&self) -> String {
        self.path("state/bridge/claude/s1/tape.jsonl").display().to_string()
    }

    /// Runs a command of the program; gives its status and what it printed.
    fn ask_pintle(&self, words: &[&str]) -> (Option<i32>, String) {
        let output = self.command(Path::new(env!("CARGO_BIN_EXE_pintle"))).args(words).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    }

    /// Ends the session. Its tape has to be complete then, and to replay; gives its report.
    fn end_session(&self, hooks: &str) -> Value {
        assert!(self.call("SessionEnd", "", hooks).status.success());
        let (status, report) = self.ask_pintle(&["tape", "verify", &self.tape(), "--json"]);
        assert_eq!(status, Some(0), "{report}");
        let (status, replayed) = self.ask_pintle(&["replay", &self.tape()]);
        assert!(status == Some(0) && replayed.contains("identical, byte for byte"), "{replayed}");
        let names = fs::read_dir(self.path("state/bridge/claude/s1")).unwrap();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        assert_eq!(names, ["lock", "state.json", "tape.jsonl"]);
        serde_json::from_str(&report).unwrap()
    }
}

fn assert_allowed(output: &Output) {
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0), "{output:?}");
}

#[test]
fn parallel_calls_are_in_their_hooks_at_the_same_time() {
    let fixture = waiting_fixture();
    let calls: Vec<Child> = (0..4).map(|_| fixture.start_call(EVENT, "slow", "policy.yaml")).collect();
    fixture.wait_for_hooks(4);
    fixture.let_go();
    for call in calls {
        assert_allowed(&call.wait_with_output().unwrap());
    }
    let report = fixture.end_session("policy.yaml");
    // Each call is the events `tool.transform` and `tool.pre`, or one of them; the end is one.
    assert_eq!(report["unfinished"], json!([]));
    let tape = fs::read_to_string(fixture.tape()).unwrap();
    assert_eq!(tape.matches("\"kind\":\"bridge\"").count(), 5);
    assert_eq!(tape.matches("\"kind\":\"hooks\"").count(), 1, "all have the same hooks");
}

#[test]
fn a_call_is_answered_while_another_is_in_its_hook() {
    let fixture = waiting_fixture();
    let mut slow = fixture.start_call(EVENT, "slow", "policy.yaml");
    fixture.wait_for_hooks(1);
    assert_allowed(&fixture.call(EVENT, "quick", "policy.yaml"));
    assert!(slow.try_wait().unwrap().is_none(), "it is still in its hook");
    let (_, report) = fixture.ask_pintle(&["tape", "verify", &fixture.tape()]);
    assert!(report.contains("running: valid so far"), "{report}");
    let (_, sessions) = fixture.ask_pintle(&["sessions", "--host", "claude", "--json"]);
    assert!(sessions.contains("\"state\":\"running\""), "{sessions}");
    let (status, refused) = fixture.ask_pintle(&["sessions", "delete", "--host", "claude", "s1", "--yes"]);
    assert!(status == Some(1) && refused.contains("session `s1` is in use"), "{refused}");
    fixture.let_go();
    assert_allowed(&slow.wait_with_output().unwrap());
    fixture.end_session("policy.yaml");
}

#[test]
fn a_session_that_ends_while_calls_are_running_is_closed_by_the_last_one() {
    let fixture = waiting_fixture();
    let calls: Vec<Child> = (0..2).map(|_| fixture.start_call(EVENT, "slow", "policy.yaml")).collect();
    fixture.wait_for_hooks(2);
    assert!(fixture.call("SessionEnd", "", "policy.yaml").status.success());
    assert!(!fs::read_to_string(fixture.tape()).unwrap().contains("\"kind\":\"closed\""));
    fixture.let_go();
    for call in calls {
        assert_allowed(&call.wait_with_output().unwrap());
    }
    let (status, report) = fixture.ask_pintle(&["tape", "verify", &fixture.tape()]);
    assert!(status == Some(0) && report.contains("valid and complete"), "{report}");
    let (_, sessions) = fixture.ask_pintle(&["sessions", "--host", "claude", "--json"]);
    assert!(sessions.contains("\"state\":\"ended\""), "{sessions}");
}

/// Ways to count calls in a script.
const COUNTERS: [&str; 4] = [
    "n = metrics.incr(\"calls\")",
    "n = metrics.get(\"calls\") + 1; metrics.set(\"calls\", n)",
    "n = cache.get(\"calls\", 0) + 1; cache.set(\"calls\", n)",
    "n = ctx.get(\"calls\", 0) + 1; ctx.set(\"calls\", n)",
];

#[test]
fn a_guard_that_counts_lets_exactly_as_many_calls_through_as_it_should() {
    for counter in COUNTERS {
        let fixture = HostInstallFixture::without_install("claude");
        let lines = counter.replace("; ", "\n      ");
        let script = format!(
            "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      {lines}\n      if n > 3:\n          \
             return block(\"call %d is one too many\" % n)\n      return allow()\n---\n"
        );
        fs::write(fixture.path("limit.md"), script).unwrap();
        let calls: Vec<Child> = (0..8).map(|_| fixture.start_call(EVENT, "ls", "limit.md")).collect();
        let outputs: Vec<Output> = calls.into_iter().map(|call| call.wait_with_output().unwrap()).collect();
        let passed = outputs.iter().filter(|output| output.status.code() == Some(0)).count();
        assert_eq!(passed, 3, "{counter}: {outputs:#?}");
        for number in 4..=8 {
            let reason = format!("call {number} is one too many");
            let denied = outputs.iter().filter(|output| String::from_utf8_lossy(&output.stderr).contains(&reason));
            assert_eq!(denied.count(), 1, "{counter}: {reason}");
        }
        fixture.end_session("limit.md");
    }
}

#[test]
fn a_killed_call_is_on_the_tape_and_the_session_goes_on() {
    let fixture = waiting_fixture();
    let mut killed = fixture.start_call(EVENT, "slow and killed", "policy.yaml");
    fixture.wait_for_hooks(1);
    let other = fixture.start_call(EVENT, "slow", "policy.yaml");
    fixture.wait_for_hooks(2);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_allowed(&fixture.call(EVENT, "quick", "policy.yaml"));
    fixture.let_go();
    assert_allowed(&other.wait_with_output().unwrap());
    let tape = fs::read_to_string(fixture.tape()).unwrap();
    assert!(tape.contains("slow and killed") && tape.contains("\"kind\":\"repaired\""), "{tape}");
    let (_, shown) = fixture.ask_pintle(&["tape", "show", &fixture.tape()]);
    assert!(shown.contains("the program ended here, and the tape continues"), "{shown}");
    fixture.end_session("policy.yaml");
}

#[test]
fn a_session_survives_its_calls_being_killed_at_any_moment() {
    let fixture = HostInstallFixture::without_install("claude");
    let script = "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      metrics.incr(\"calls\")\n      \
                  cache.set(\"last\", payload[\"args\"][\"command\"])\n      return allow()\n---\n";
    fs::write(fixture.path("count.md"), script).unwrap();
    assert_allowed(&fixture.call(EVENT, "first", "count.md"));
    let mut answered = 1;
    for round in 0..40_u64 {
        let mut calls: Vec<Child> =
            (0..3).map(|call| fixture.start_call(EVENT, &format!("{round} {call}"), "count.md")).collect();
        // Moments over the whole time that a call takes.
        let began = Instant::now();
        let moment = Duration::from_micros(round * 1_700);
        while began.elapsed() < moment {
            thread::sleep(Duration::from_micros(200));
        }
        let killed = calls.swap_remove(usize::try_from(round % 3).unwrap());
        let killed = [killed, calls.pop().unwrap()];
        for mut call in killed {
            let _ = call.kill();
            answered += usize::from(call.wait_with_output().unwrap().status.success());
        }
        assert_allowed(&calls.pop().unwrap().wait_with_output().unwrap());
        answered += 1;
    }
    let state = fs::read_to_string(fixture.path("state/bridge/claude/s1/state.json")).unwrap();
    let mut lines = state.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let state = lines.rfind(|line| line["layers"].is_object()).unwrap();
    let counted = state["layers"]["project"]["metrics"]["calls"]
        .as_u64()
        .or_else(|| state["layers"].as_object()?.values().find_map(|layer| layer["metrics"]["calls"].as_u64()));
    let report = fixture.end_session("count.md");
    let tape = fs::read_to_string(fixture.tape()).unwrap();
    let notes = tape.matches("\"kind\":\"bridge\"").count();
    assert!(notes > answered, "each call that was answered has its records: {notes} of {answered}");
    assert!(counted.unwrap() >= answered as u64, "{counted:?} of {answered}: {report}");
}
