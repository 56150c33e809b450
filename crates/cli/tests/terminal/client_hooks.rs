//! Hooks that were written for other agents, in these and in others.

use serde_json::{Value, json};

use crate::fixture::CliFixture;

/// The answer to a payload, and the exit status.
fn call_hook(fixture: &CliFixture, host: &str, payload: &Value, more: &[&str]) -> (String, Option<i32>) {
    let event = payload["hook_event_name"].as_str().unwrap();
    let arguments = [&["hook", host, event], more].concat();
    let text = payload.to_string();
    let (out, err, status) = fixture.pintle(&arguments).with_input(&text).run_to_parts();
    (out + &err, status)
}

/// A call of Claude Code's shell.
fn shell_call(fixture: &CliFixture) -> Value {
    json!({"session_id": "s", "hook_event_name": "PreToolUse", "cwd": fixture.path(""), "tool_name": "Bash",
        "tool_input": {"command": "ls"}, "tool_use_id": "u"})
}

/// Settings of Claude Code with one hook of an event.
fn claude_settings(event: &str, command: &str) -> String {
    json!({"env": {"STAGE": "test"}, "hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}})
        .to_string()
}

const READS_CONTENT: &str = "#!/bin/sh\nif grep -q '\"content\":\"[^\"]*SECRET' ; then echo '{\"permission\":\"deny\",\"user_message\":\"a secret\"}'; else echo '{\"permission\":\"allow\"}'; fi\n";

#[test]
fn hooks_that_judge_a_file_get_its_content_in_every_agent() {
    let hooks = json!({"version": 1, "hooks": {"beforeReadFile": [{"command": "sh .cursor/hooks/r.sh"}]}});
    let fixture = CliFixture::new_empty()
        .with_file(".cursor/hooks.json", hooks.to_string())
        .with_file(".cursor/hooks/r.sh", READS_CONTENT)
        .with_file("a.txt", "the SECRET\n")
        .with_file("b.txt", "nothing\n");
    let named = ["--hooks", ".cursor/hooks.json"];
    for (file, is_denied) in [("a.txt", true), ("b.txt", false), ("missing.txt", false)] {
        let read = json!({"session_id": file, "hook_event_name": "PreToolUse", "cwd": fixture.path(""),
            "tool_name": "Read", "tool_input": {"file_path": fixture.path(file)}, "tool_use_id": "u"});
        let (said, _) = call_hook(&fixture, "claude", &read, &named);
        assert_eq!(said.contains("a secret"), is_denied, "{file}: {said}");
    }
    let own = |content: &str| {
        json!({"conversation_id": content, "generation_id": "g", "hook_event_name": "beforeReadFile",
            "workspace_roots": [fixture.path("")], "file_path": fixture.path("b.txt"), "content": content})
    };
    assert!(call_hook(&fixture, "cursor", &own("a SECRET"), &named).0.contains("a secret"));
    assert!(!call_hook(&fixture, "cursor", &own("harmless"), &named).0.contains("a secret"));
}

#[test]
fn settings_give_their_variables_to_hooks() {
    let command = "echo 'export A=1' >> \"$CLAUDE_ENV_FILE\" && echo \"stage $STAGE\"";
    let fixture = CliFixture::new_empty().with_file(".claude/settings.json", claude_settings("SessionStart", command));
    let start = json!({"session_id": "s", "hook_event_name": "SessionStart", "cwd": fixture.path(""), "source": "startup",
        "transcript_path": null, "model": "m", "permission_mode": "default"});
    let (said, status) = call_hook(&fixture, "codex", &start, &["--hooks", ".claude/settings.json"]);
    assert!(status == Some(0) && said.contains("stage test"), "{said}");
}

#[test]
fn a_hook_file_that_registers_nothing_denies_nothing() {
    for (text, is_read) in [
        (r#"{"version": 1, "hooks": {}}"#, true),
        (r#"{"hooks": {"ConfigChange": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#, true),
        (r#"{"hook": {"PreToolUse": []}}"#, false),
        (r#"{"a": 1}"#, false),
    ] {
        let fixture = CliFixture::new_empty().with_file("my.json", text);
        let (said, status) = call_hook(&fixture, "claude", &shell_call(&fixture), &["--hooks", "my.json"]);
        assert_eq!(status, Some(if is_read { 0 } else { 2 }), "{text}: {said}");
        let (out, err, status) = fixture.pintle(&["validate", "my.json"]).run_to_parts();
        assert_eq!(status, Some(if is_read { 0 } else { 3 }), "{text}: {out}{err}");
        assert!(!format!("{out}{err}").contains("frontmatter"), "{text}: {out}{err}");
    }
}

#[test]
fn a_hook_without_a_name_is_named_by_its_script() {
    let command = "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/h.sh --strict";
    let fixture = CliFixture::new_empty()
        .with_file(".claude/settings.json", claude_settings("PreToolUse", &format!("sh {command}")))
        .with_file(".claude/hooks/h.sh", "echo 'flat' >&2; exit 2\n");
    let (said, _) = call_hook(&fixture, "claude", &shell_call(&fixture), &["--hooks", ".claude/settings.json"]);
    assert!(said.contains(r#"blocked by hook \"h.sh\": flat"#), "{said}");
}

#[test]
fn a_users_own_hooks_apply_in_other_agents_once_they_are_trusted() {
    let fixture = CliFixture::new_empty()
        .with_file(
            "home/.claude/settings.json",
            claude_settings("PreToolUse", "echo \"mine in $CLAUDE_PROJECT_DIR\" >&2; exit 2"),
        )
        .with_file("elsewhere/.git/HEAD", "");
    let home = fixture.path("home").display().to_string();
    let call = json!({"session_id": "s", "turn_id": "t", "model": "m", "hook_event_name": "PreToolUse", "cwd": fixture.path("elsewhere"),
        "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "u", "transcript_path": null, "permission_mode": "default"});
    let mut call_count = 0;
    let mut call_in = |host: &str| {
        call_count += 1;
        let mut call = call.clone();
        call["session_id"] = json!(format!("s{call_count}"));
        let text = call.to_string();
        let run = fixture.pintle(&["hook", host, "PreToolUse"]).in_folder("elsewhere").with_variable("HOME", &home);
        let (out, err, status) = run.with_input(&text).run_to_parts();
        (out + &err, status)
    };
    assert_eq!(call_in("codex").1, Some(0), "not trusted");
    let trusted = fixture.pintle(&["trust", &home, "--yes"]).with_variable("HOME", &home).run_to_parts();
    assert_eq!(trusted.2, Some(0), "{trusted:?}");
    let (said, status) = call_in("codex");
    assert!(status == Some(2) && said.contains("mine in") && said.contains("/elsewhere"), "{said}");
    assert_eq!(call_in("claude").1, Some(0), "Claude Code runs them itself");
}

/// What Pintle installed there itself is no hook of the project: it would call itself, and a team's `validate` in CI would
/// warn of an event that only Pintle handles.
#[test]
fn installed_entries_are_no_hooks() {
    for program in ["pintle", "pintle-hook", "/opt/a b/pintle", "/opt/pintle-0.1.0/pintle-hook", "/c/pintle-hook.exe"] {
        let fixture = CliFixture::new_empty().with_file(".harness/policy.yaml", "use: [shell]\n");
        let home = fixture.path("home").display().to_string();
        let words = ["install", "claude", "--yes", "--scope", "project", "--program", program];
        let (_, err, status) = fixture.pintle(&words).with_variable("HOME", &home).run_to_parts();
        assert_eq!(status, Some(0), "{err}");
        let (out, err, status) = fixture.pintle(&["validate", "--deny-warnings", "."]).run_to_parts();
        assert_eq!(
            (out.as_str(), err.as_str(), status),
            ("1 hook, 0 tools, 0 agents in 2 files: no problems\n", "", Some(0)),
            "{program}"
        );
    }
}
