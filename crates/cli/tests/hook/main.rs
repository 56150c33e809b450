//! `pintle hook` through the command line that `pintle install` writes, as the host would run it: what the host gets when
//! all goes well, and when the program is killed, aborts, runs out of memory or is gone in the middle of a call.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod folders;
mod parallel;
mod scopes;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long anything may take before a test gives up. Far more than it needs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A home and a project, in which Pintle is installed for a host.
struct HostInstallFixture {
    root: tempfile::TempDir,
    host: &'static str,
}

impl HostInstallFixture {
    fn new(host: &'static str, policy: &str) -> Self {
        let fixture = Self::without_install(host);
        let path = fixture.path("policy.yaml");
        fs::write(&path, policy).unwrap();
        fixture.run_pintle(&["install", host, "--yes", "--hooks", &path.to_string_lossy()]);
        fixture
    }

    /// The same without Pintle in the host.
    fn without_install(host: &'static str) -> Self {
        let root = tempfile::tempdir().unwrap();
        for dir in ["home", "project", "state"] {
            fs::create_dir(root.path().join(dir)).unwrap();
        }
        Self { root, host }
    }

    /// Runs Pintle as the person would; it has to end well.
    fn run_pintle(&self, words: &[&str]) {
        let output = self.command(Path::new(env!("CARGO_BIN_EXE_pintle"))).args(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.path("home"))
            .env("PINTLE_STATE_DIR", self.path("state"))
            .env("PINTLE_USER_SETUP", "1")
            .env("PINTLE_SERVE", "off")
            .current_dir(self.path("project"));
        command
    }

    /// The command line that stands in the host's settings for an event.
    fn installed_line(&self, event: &str) -> String {
        let file = match self.host {
            "claude" => "home/.claude/settings.json",
            "codex" => "home/.codex/hooks.json",
            other => panic!("{other}"),
        };
        let settings: Value = serde_json::from_slice(&fs::read(self.path(file)).unwrap()).unwrap();
        settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap().to_owned()
    }

    fn payload_of(&self, event: &str) -> String {
        json!({
            "session_id": "s1", "cwd": self.path("project"), "hook_event_name": event, "turn_id": "t1",
            "tool_name": "Bash", "tool_use_id": "c1", "tool_input": {"command": "echo hi > out.txt"},
            "tool_response": "", "prompt": "go",
        })
        .to_string()
    }

    /// Starts a line as the host would.
    fn start_line(&self, line: &str, event: &str) -> Child {
        self.start_with_variables(line, event, &[])
    }

    /// The same with variables that the host got from somewhere.
    fn start_with_variables(&self, line: &str, event: &str, variables: &[(&str, PathBuf)]) -> Child {
        self.start_with_payload(line, &self.payload_of(event), variables)
    }

    /// The same with a payload of its own.
    fn start_with_payload(&self, line: &str, payload: &str, variables: &[(&str, PathBuf)]) -> Child {
        let mut child = self
            .command(Path::new("/bin/sh"))
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .args(["-c", line])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that does not read may be gone already.
        let _ = child.stdin.take().unwrap().write_all(payload.as_bytes());
        child
    }

    fn run_line(&self, line: &str, event: &str) -> Output {
        self.start_line(line, event).wait_with_output().unwrap()
    }

    /// The program as it is named in the line.
    fn quoted_program(&self) -> String {
        format!("'{}'", env!("CARGO_BIN_EXE_pintle"))
    }

    /// The `pintle hook` that works on this stage: the one that a shell has started, and not the one that it started
    /// itself to run programs.
    fn find_worker(&self) -> u32 {
        let policy = self.path("policy.yaml").display().to_string();
        let began = Instant::now();
        loop {
            for entry in fs::read_dir("/proc").unwrap().flatten() {
                let Ok(number) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
                let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
                let words: Vec<String> =
                    words.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
                let is_ours = words.first().is_some_and(|word| word.ends_with("pintle")) && words.contains(&policy);
                if is_ours && parent_program(number) != "pintle" {
                    return number;
                }
            }
            assert!(began.elapsed() < PATIENCE, "it never started");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn wait_for(&self, name: &str) {
        let began = Instant::now();
        while !self.path(name).exists() {
            assert!(began.elapsed() < PATIENCE, "`{name}` never came");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The name of the program that started a process.
fn parent_program(number: u32) -> String {
    let status = fs::read_to_string(format!("/proc/{number}/status")).unwrap_or_default();
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap_or_default().trim().to_owned();
    fs::read_to_string(format!("/proc/{parent}/comm")).unwrap_or_default().trim().to_owned()
}

/// A policy whose hook does this for a shell command.
fn policy_file(script: &str) -> String {
    let hook = json!({"type": "command", "command": script, "timeout": 50});
    let entry = json!([{"matcher": "*", "hooks": [hook]}]);
    let root = json!({"model": "openai/gpt-4o", "instruction": "x", "hooks": {"pre_tool_use": entry}});
    format!("agents:\n  root: {root}\n")
}

/// What a host takes for a deny: its own JSON with a reason on standard output, a reason on standard error, status 2.
fn assert_denied(output: &Output, reason: &str) {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let shown = format!("{:?}\nout: {out}\nerr: {err}", output.status);
    let answer: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {shown}"));
    let specific = &answer["hookSpecificOutput"];
    assert_eq!(specific["hookEventName"], "PreToolUse", "{shown}");
    assert_eq!(specific["permissionDecision"], "deny", "{shown}");
    assert!(specific["permissionDecisionReason"].as_str().unwrap().contains(reason), "{shown}");
    assert!(err.contains(reason), "{shown}");
    assert_eq!(output.status.code(), Some(2), "{shown}");
}

const HOSTS: [&str; 2] = ["claude", "codex"];
const GONE: &str = "Pintle did not answer";

#[test]
fn a_policy_denies_and_lets_through_by_the_installed_line() {
    for host in HOSTS {
        let fixture =
            HostInstallFixture::new(host, &policy_file("grep -q 'echo hi' && { echo 'no echo' >&2; exit 2; }; exit 0"));
        assert_denied(&fixture.run_line(&fixture.installed_line("PreToolUse"), "PreToolUse"), "no echo");
        let fixture = HostInstallFixture::new(host, &policy_file("exit 0"));
        let passed = fixture.run_line(&fixture.installed_line("PreToolUse"), "PreToolUse");
        assert_eq!((passed.status.code(), passed.stdout.len()), (Some(0), 0), "{passed:?}");
    }
}

#[test]
fn a_program_that_is_killed_in_the_middle_of_a_call_leaves_a_written_deny() {
    for host in HOSTS {
        for signal in ["KILL", "ABRT", "ILL"] {
            let fixture = HostInstallFixture::new(host, &policy_file("exit 0"));
            let started = fixture.path("started").display().to_string();
            fs::write(fixture.path("policy.yaml"), policy_file(&format!("touch '{started}'; sleep 40"))).unwrap();
            let child = fixture.start_line(&fixture.installed_line("PreToolUse"), "PreToolUse");
            fixture.wait_for("started");
            let killed =
                Command::new("kill").args(["-s", signal, &fixture.find_worker().to_string()]).status().unwrap();
            assert!(killed.success());
            assert_denied(&child.wait_with_output().unwrap(), GONE);
        }
    }
}

#[test]
fn a_program_without_memory_leaves_a_written_deny() {
    for host in HOSTS {
        let fixture = HostInstallFixture::new(host, &policy_file("exit 0"));
        let line = fixture.installed_line("PreToolUse");
        // From far too little to start with, to what is used up while hooks are loaded.
        for limit_kb in [4_000, 12_000, 16_000, 20_000, 24_000, 28_000] {
            let output = fixture.run_line(&format!("ulimit -v {limit_kb}; {line}"), "PreToolUse");
            if output.status.code() != Some(0) {
                let out = String::from_utf8_lossy(&output.stdout).into_owned();
                assert!(out.contains("\"permissionDecision\":\"deny\""), "{limit_kb} kB: {output:?}");
                assert_eq!(output.status.code(), Some(2), "{limit_kb} kB: {output:?}");
            }
        }
        let starved = fixture.run_line(&format!("ulimit -v 12000; {line}"), "PreToolUse");
        assert_denied(&starved, GONE);
    }
}

#[test]
fn a_program_that_is_gone_leaves_a_written_deny() {
    for host in HOSTS {
        let fixture = HostInstallFixture::new(host, &policy_file("exit 0"));
        let line = fixture.installed_line("PreToolUse");
        assert!(line.contains(&fixture.quoted_program()), "{line}");
        assert_denied(
            &fixture.run_line(&line.replace(&fixture.quoted_program(), "'/nowhere/pintle'"), "PreToolUse"),
            GONE,
        );
        assert_denied(&fixture.run_line(&line.replace(&fixture.quoted_program(), "'/bin/false'"), "PreToolUse"), GONE);
    }
}

#[test]
fn a_hook_that_crashes_or_hangs_denies() {
    for host in HOSTS {
        let fixture = HostInstallFixture::new(host, &policy_file("kill -9 $$"));
        assert_denied(
            &fixture.run_line(&fixture.installed_line("PreToolUse"), "PreToolUse"),
            "its failure policy is `closed`",
        );
        let fixture = HostInstallFixture::new(host, &policy_file("sleep 40"));
        let line = fixture
            .installed_line("PreToolUse")
            .replace("hook claude PreToolUse", "hook claude PreToolUse --deadline-ms 400");
        let line = line.replace("hook codex PreToolUse", "hook codex PreToolUse --deadline-ms 400");
        assert_denied(&fixture.run_line(&line, "PreToolUse"), "did not answer within 400 ms");
    }
}

#[test]
fn what_is_not_guarded_says_nothing_and_goes_on() {
    for host in HOSTS {
        let fixture = HostInstallFixture::new(host, &policy_file("exit 0"));
        let line = fixture.installed_line("PostToolUse").replace(&fixture.quoted_program(), "'/nowhere/pintle'");
        let output = fixture.run_line(&line, "PostToolUse");
        assert!(output.stdout.is_empty() && output.status.code() == Some(1), "{output:?}");
    }
}

#[test]
fn a_typed_slip_is_told_and_decides_nothing() {
    let fixture = HostInstallFixture::new("claude", &policy_file("exit 0"));
    for (words, told) in [
        (vec!["hook", "claud"], "did you mean `claude`?"),
        (vec!["hook", "claude", "PreTolUse"], "did you mean `PreToolUse`?"),
        (vec!["hook", "claude", "--dead"], "unexpected argument"),
    ] {
        let output = fixture.command(Path::new(env!("CARGO_BIN_EXE_pintle"))).args(&words).output().unwrap();
        assert!(String::from_utf8_lossy(&output.stderr).contains(told), "{words:?}: {output:?}");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0), "{words:?}");
    }
}

#[test]
fn the_session_of_many_processes_verifies_and_replays() {
    let fixture = HostInstallFixture::new("claude", &policy_file("exit 0"));
    for event in ["UserPromptSubmit", "PreToolUse", "PostToolUse", "PreToolUse", "SessionEnd"] {
        assert!(fixture.run_line(&fixture.installed_line(event), event).status.success());
    }
    let tape = fixture.path("state/bridge/claude/s1/tape.jsonl");
    for words in [&["tape", "verify"][..], &["replay"][..]] {
        let output = fixture.command(Path::new(env!("CARGO_BIN_EXE_pintle"))).args(words).arg(&tape).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}

/// An agent may keep the pipe open behind the payload.
#[test]
fn a_payload_is_judged_when_it_is_whole() {
    let fixture = HostInstallFixture::without_install("claude");
    let mut hook = fixture.command(Path::new(env!("CARGO_BIN_EXE_pintle")));
    let policy = fixture.path("project/no.md");
    fs::write(
        &policy,
        "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return block(\"judged\")\n---\n",
    )
    .unwrap();
    let hook = hook.args(["hook", "claude", "PreToolUse", "--hooks"]).arg(&policy);
    let mut child = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut open = child.stdin.take().unwrap();
    let payload = json!({"session_id": "s1", "cwd": fixture.path("project"), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": "echo '}' \"{\""}, "tool_use_id": "t1"});
    writeln!(open, "{payload}").unwrap();
    let output = child.wait_with_output().unwrap();
    let answer = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(2) && answer.contains("judged"), "{answer}");
    drop(open);
}
