//! `test --init`: a case file from a recorded session.

use serde_json::{Value, json};

use crate::fixture::CliFixture;

/// A project with packs, and the session files of this crate's tests.
fn fixture() -> CliFixture {
    let sessions = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sessions");
    let read = |path: &str| std::fs::read_to_string(sessions.join(path)).unwrap();
    CliFixture::new_empty()
        .with_file(".harness/policy.yaml", "use: [shell, git, secrets]\n")
        .with_file("claude.jsonl", read("claude/0b9d8a3e-5f43.jsonl"))
        .with_file("codex.jsonl", read("codex/rollout-2026-01-31T10-00-00-7cd522aa-1.jsonl"))
}

#[test]
fn the_cases_of_a_session_file_hold() {
    for source in ["claude", "codex"] {
        let fixture = fixture();
        let (out, err, status) =
            fixture.pintle(&["test", "--init", &format!("{source}.jsonl"), "--json"]).run_to_parts();
        let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
        let path = format!(".harness/{source}.cases.yaml");
        assert_eq!((status, &report), (Some(0), &json!({"path": path, "cases": 3, "left_out": []})), "{err}");
        let text = std::fs::read_to_string(fixture.path(&path)).unwrap();
        assert!(text.starts_with("# What the hooks decide now") && text.contains("not what is right"), "{text}");
        assert!(text.contains("expect: block\n  rule: \"git.force-push\"\n"), "{text}");
        let (out, err, status) = fixture.pintle(&["test", "."]).run_to_parts();
        assert!(status == Some(0) && out.contains(&format!("{source}.cases.yaml: 3 cases, all hold")), "{out}{err}");
        // A file of the user is never replaced.
        let (_, err, status) = fixture.pintle(&["test", "--init", &format!("{source}.jsonl")]).run_to_parts();
        assert!(status == Some(3) && err.contains("exists already"), "{err}");
    }
}

#[test]
fn a_call_is_written_once_and_without_secrets() {
    let line = |id: &str, command: &str| {
        let call =
            json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command, "description": "x"}});
        let message = json!({"role": "assistant", "content": [call]});
        json!({"type": "assistant", "sessionId": "s", "cwd": "/p", "message": message}).to_string()
    };
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let secret = format!("curl -H 'Authorization: Bearer {token}' https://api.example.com");
    let file = [line("1", "ls"), line("2", "ls"), line("3", &secret), String::from("not json")].join("\n");
    let fixture = CliFixture::new_empty().with_file(".harness/policy.yaml", "use: [git]\n").with_file("s.jsonl", file);
    let (out, err, status) = fixture.pintle(&["test", "--init", "s.jsonl"]).run_to_parts();
    assert!(status == Some(0) && out.contains("2 cases of 3 calls"), "{out}{err}");
    let text = std::fs::read_to_string(fixture.path(".harness/s.cases.yaml")).unwrap();
    assert!(text.contains("- call: \"ls\"\n  expect: allow\n") && !text.contains(&token), "{text}");
}

#[test]
fn what_is_no_session_is_refused() {
    let fixture = fixture().with_file("notes.jsonl", "{}\n").with_file("empty.jsonl", "");
    for (source, problem) in
        [("nosuch.jsonl", "does not exist"), ("notes.jsonl", "notes.jsonl"), ("empty.jsonl", "empty.jsonl")]
    {
        let (out, err, status) = fixture.pintle(&["test", "--init", source]).run_to_parts();
        assert!(status == Some(3) && out.is_empty() && err.contains(problem), "{source}: {out}{err}");
    }
}
