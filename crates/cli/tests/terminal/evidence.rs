//! What a tape proves: that nothing is done that is not on it, that its end is there, and that what is written
//! elsewhere is all of it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread;

use serde_json::{Value, json};

use crate::fixture::CliFixture;
use crate::run::create_tidy_agent;

const WRITER: &str = "---\nname: writer\nmodel:\n  provider: script\n  name: script.yaml\n---\nYou write.\n";

/// An agent that writes so many files of so many bytes, one after the other.
fn create_writer(files: usize, bytes: usize) -> CliFixture {
    let text = "x".repeat(bytes);
    let call = |number: usize| {
        format!("  - calls: [{{tool: write, args: {{path: f{number}.txt, content: n{number}{text}}}}}]\n")
    };
    let calls: String = (0..files).map(call).collect();
    let script = format!("prompts: [Write.]\nturns:\n{calls}  - say: Done.\n");
    CliFixture::new_empty().with_file("agent/harness.md", WRITER).with_file("agent/script.yaml", script)
}

/// The files that the tools wrote, and those whose tools are on the tape.
fn list_written(fixture: &CliFixture, tape: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let there =
        fs::read_dir(fixture.path("agent")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let there = there.filter(|name| name.ends_with(".txt")).collect();
    let tape = fs::read_to_string(fixture.path(tape)).unwrap_or_default();
    let records = tape.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let calls = records.filter(|record| record["kind"] == "tool_call");
    let told =
        calls.map(|call| call.pointer("/args/path").and_then(serde_json::Value::as_str).unwrap().to_owned()).collect();
    (there, told)
}

#[test]
#[cfg(target_os = "linux")]
fn where_no_record_can_be_written_no_tool_runs_and_the_person_is_told() {
    let fixture = create_writer(12, 700);
    // A limit on the size of files stands for a full disk.
    let script = format!(
        "trap \'\' XFSZ; ulimit -f 64; exec {} run agent --quiet --tape t.jsonl </dev/null",
        env!("CARGO_BIN_EXE_pintle")
    );
    let output = std::process::Command::new("sh").args(["-c", &script]).current_dir(fixture.path("")).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains("error: this session is no longer recorded: cannot write record "), "{err}");
    let (there, told) = list_written(&fixture, "t.jsonl");
    assert_eq!(there, told, "{err}");
    assert!((1..12).contains(&there.len()), "{there:?}");
    // What is there is whole lines, and not the whole session.
    let (out, _, status) = fixture.pintle(&["tape", "verify", "t.jsonl"]).run_to_parts();
    assert!(out.contains("unfinished: valid as far as it goes"), "{out}");
    assert_eq!(status, Some(1));
}

#[test]
fn a_session_tells_the_digest_that_its_tape_is_checked_by() {
    let fixture = create_tidy_agent();
    let (out, _, _) = fixture.pintle(&["run", "agent", "--tape", "t.jsonl"]).run_to_parts();
    let digest = out.lines().find_map(|line| line.strip_prefix("digest: ")).unwrap().to_owned();
    let verify = |more: &[&str]| fixture.pintle(&[&["tape", "verify", "t.jsonl"], more].concat()).run_to_parts();
    let (out, err, status) = verify(&[]);
    assert!(out.contains(&format!("digest: {digest}")) && out.starts_with("valid and complete"), "{out}{err}");
    assert_eq!(status, Some(0));
    assert_eq!(verify(&["--expect", &digest]).2, Some(0));
    assert_eq!(verify(&["--expect", &digest[..16].to_uppercase()]).2, Some(0));
    let (out, _, status) = verify(&["--expect", &"0".repeat(64)]);
    assert!(out.contains(&format!("its digest is {digest}; expected 000")) && status == Some(1), "{out}");
    assert_eq!(verify(&["--expect", "abc"]).2, Some(3));
    let (out, _, _) = fixture.pintle(&["run", "agent", "--json", "--tape", "u.jsonl"]).run_to_parts();
    let records: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records[0]["kind"], "header");
    let digest = records.last().unwrap()["digest"].as_str().unwrap();
    assert_eq!(fixture.pintle(&["tape", "verify", "u.jsonl", "--expect", digest]).run_to_parts().2, Some(0));
}

#[test]
fn tape_without_its_end_is_unfinished_and_one_in_use_is_running() {
    let fixture = create_tidy_agent();
    fixture.pintle(&["run", "agent", "--quiet", "--tape", "agent/.pintle/tapes/t.jsonl"]).run_to_parts();
    let file = fixture.path("agent/.pintle/tapes/t.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let state = || {
        let (out, _, _) = fixture.pintle(&["sessions", "--directory", "agent", "--json"]).run_to_parts();
        serde_json::from_str::<serde_json::Value>(&out).unwrap()[0]["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state(), "ended");
    let lines: Vec<&str> = text.lines().collect();
    for count in [1, 2, lines.len() / 2, lines.len() - 2, lines.len() - 1] {
        fs::write(&file, lines[..count].join("\n") + "\n").unwrap();
        let (out, _, status) = fixture.pintle(&["tape", "verify", file.to_str().unwrap()]).run_to_parts();
        assert!(out.contains("unfinished: valid as far as it goes"), "{count}: {out}");
        assert_eq!((status, state().as_str()), (Some(1), "interrupted"), "{count}");
        let (out, _, status) = fixture.pintle(&["tape", "verify", "--json", file.to_str().unwrap()]).run_to_parts();
        assert!(out.contains("\"valid\":true,\"complete\":false") && status == Some(1), "{out}");
    }
    fs::write(&file, &text).unwrap();
    let writing = File::options().append(true).open(&file).unwrap();
    writing.try_lock().unwrap();
    let (out, _, status) = fixture.pintle(&["tape", "verify", file.to_str().unwrap()]).run_to_parts();
    assert!(out.starts_with("running: valid so far"), "{out}");
    assert_eq!((status, state().as_str()), (Some(1), "running"));
}

#[test]
fn sessions_that_begin_at_once_have_tapes_of_their_own() {
    let fixture = create_tidy_agent();
    thread::scope(|scope| {
        let run = || fixture.pintle(&["run", "agent", "--quiet"]).run_to_parts();
        let runs: Vec<_> = (0..16).map(|_| scope.spawn(run)).collect();
        for run in runs {
            let (_, err, status) = run.join().unwrap();
            assert_eq!((err.as_str(), status), ("", Some(0)));
        }
    });
    assert_eq!(fs::read_dir(fixture.path("agent/.pintle/tapes")).unwrap().count(), 16);
}

#[test]
#[cfg(target_os = "linux")]
fn what_cannot_be_written_is_no_success() {
    let fixture = create_tidy_agent();
    fixture.pintle(&["run", "agent", "--quiet", "--tape", "t.jsonl"]).run_to_parts();
    let commands: [&[&str]; 9] = [
        &["tape", "export", "t.jsonl"],
        &["tape", "show", "t.jsonl"],
        &["tape", "show", "t.jsonl", "--json"],
        &["tape", "verify", "t.jsonl"],
        &["events"],
        &["hooks", "agent"],
        &["validate", "agent"],
        &["--help"],
        &["--version"],
    ];
    for command in commands {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (err, status) = fixture.pintle(command).run_writing_to(full);
        assert_eq!(status, Some(1), "{command:?}: {err}");
        if !command[0].starts_with("--") {
            assert!(
                err.contains("error: cannot write to standard output: No space left on device"),
                "{command:?}: {err}"
            );
        }
    }
    // Whoever stops reading makes no mistake.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let (err, status) =
        fixture.pintle(&["tape", "export", "t.jsonl"]).run_writing_to(File::from(std::os::fd::OwnedFd::from(writer)));
    assert_eq!((err.as_str(), status), ("", Some(0)));
}

#[test]
fn files_can_ask_that_secrets_are_kept_off_the_tape_and_none_forbids_it() {
    let token = format!("{}{}", ["gh", "p_"].concat(), "0aZ1bY2cX3dW4eV5fU6gT7hS8iR9jQ0kP1lO");
    let prompt = format!("hello {token}");
    let harness =
        |key: &str| format!("---\nname: root\nmodel: {{provider: script, name: script.yaml}}\n{key}---\nWork.\n");
    let config = |value: &str| format!("settings: {{redact_secrets: {value}}}\n");
    for (user, managed, project, holds) in [
        ("false", "false", "", true),
        ("false", "false", "redact_secrets: false\n", true),
        ("true", "false", "", false),
        ("false", "true", "", false),
        ("false", "false", "redact_secrets: true\n", false),
        ("true", "false", "redact_secrets: false\n", false),
        ("false", "true", "redact_secrets: false\n", false),
    ] {
        let fixture = CliFixture::new_empty()
            .with_file("agent/harness.md", harness(project))
            .with_file("agent/script.yaml", "turns: [{say: Done.}]\n")
            .with_file("user/config.yaml", config(user))
            .with_file("managed/config.yaml", config(managed));
        let managed_dir = fixture.path("managed");
        let (_, err, status) = fixture
            .pintle(&["run", "agent", &prompt, "--quiet", "--tape", "t.jsonl", "--config-dir", "user"])
            .with_variable("PINTLE_MANAGED_DIR", managed_dir.to_str().unwrap())
            .run_to_parts();
        assert_eq!(status, Some(0), "{err}");
        let tape = fs::read_to_string(fixture.path("t.jsonl")).unwrap();
        assert_eq!(tape.contains(&token), holds, "user {user}, managed {managed}, project {project:?}");
    }
}

/// All files in a directory and those in it.
fn list_files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { list_files(&path) } else { vec![path] }).collect()
}

#[test]
fn secrets_can_be_kept_off_the_tape_of_every_agent() {
    let token = format!("{}{}", ["gh", "p_"].concat(), "0aZ1bY2cX3dW4eV5fU6gT7hS8iR9jQ0kP1lO");
    let fixture = create_tidy_agent();
    let fixture = fixture.with_file(
        "agent/.harness/hooks/guard.md",
        "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n",
    );
    let script = format!("turns: [{{say: Use {token} then.}}]");
    let fixture = fixture.with_file("agent/script.yaml", script).with_file(
        "rewriting/.harness/hooks/mark.md",
        "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return modify({\"args\": {\"command\": payload[\"args\"][\"command\"] + \" # seen\"}})\n---\n",
    );
    let prompt = format!("hello {token}");
    let run = |more: &[&str], variable: &str, tape: &str| {
        let arguments = [&["run", "agent", &prompt, "--quiet", "--tape", tape], more].concat();
        fixture.pintle(&arguments).with_variable("PINTLE_REDACT_SECRETS", variable).run_to_parts();
        let holds = fs::read_to_string(fixture.path(tape)).unwrap().contains(&token);
        let verified = fixture.pintle(&["tape", "verify", tape]).run_to_parts();
        assert_eq!(verified.2, Some(0), "{}", verified.0);
        assert_eq!(fixture.pintle(&["replay", tape]).run_to_parts().2, Some(0));
        holds
    };
    assert!(run(&[], "0", "a.jsonl"));
    assert!(!run(&["--redact-secrets"], "", "b.jsonl"));
    assert!(!run(&[], "1", "c.jsonl"));
    let cwd = fixture.path("agent").display().to_string();
    let payload = |event: &str, more: Value| {
        let mut payload = json!({"session_id": "s1", "cwd": cwd, "hook_event_name": event});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        payload.to_string()
    };
    let call = json!({"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": format!("echo {token}")}});
    let mut result = call.clone();
    result["tool_response"] = json!({"stdout": token, "stderr": ""});
    let payloads = [
        payload("UserPromptSubmit", json!({"prompt": format!("hello {token}")})),
        payload("PreToolUse", call),
        payload("PostToolUse", result),
    ];
    for (state, more, holds) in [("one", &[][..], true), ("two", &["--redact-secrets"], false)] {
        let dir = fixture.path(state);
        let rewriting = fixture.path("rewriting");
        let arguments =
            ["hook", "claude", "--hooks", rewriting.to_str().unwrap(), "--state-dir", dir.to_str().unwrap()];
        let arguments = [&arguments, more].concat();
        for payload in &payloads {
            let (out, err, status) = fixture.pintle(&arguments).with_input(payload).run_to_parts();
            assert_eq!(status, Some(0), "{out}{err}");
        }
        // The tape has the token, and so have what the session keeps for the end of the turn and the call as a hook changed
        // it, which is for other entries of the same agent.
        let files = list_files(&dir.join("bridge/claude"));
        let with_token = files.iter().filter(|file| String::from_utf8_lossy(&fs::read(file).unwrap()).contains(&token));
        assert_eq!(with_token.count(), if holds { 3 } else { 0 }, "{files:?}");
    }
}
