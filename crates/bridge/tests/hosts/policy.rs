//! An agent cannot change its own policy, in any host and by any notation; reading stays allowed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use pintle_bridge::{HostDef, HostResponse};
use pintle_host::{EventName, Verdict, native};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fixture::respond_with_state;

/// A project with policy of every kind, next to a state directory.
fn create_project() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("project");
    for file in [
        ".harness/hooks/guard.md",
        ".claude/settings.json",
        ".github/workflows/ci.yml",
        "src/main.rs",
        "docs/notes.md",
        "sub/deep/file",
    ] {
        fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs::write(root.join(file), "x").unwrap();
    }
    symlink(".harness", root.join("way")).unwrap();
    symlink("../.claude/settings.json", root.join("docs/link")).unwrap();
    fs::hard_link(root.join(".claude/settings.json"), root.join("docs/hard")).unwrap();
    fs::create_dir(dir.path().join("state")).unwrap();
    dir
}

fn project_root(fixture: &TempDir) -> std::path::PathBuf {
    fixture.path().canonicalize().unwrap().join("project")
}

fn respond_to_call(fixture: &TempDir, host: &str, event: &str, tool: &str, input: &Value) -> HostResponse {
    let cwd = project_root(fixture);
    let payload = match host {
        "cline" => json!({"hookName": "tool_call", "taskId": "s1", "workspaceRoots": [cwd],
            "tool_call": {"id": "1", "name": tool, "input": input}, "preToolUse": {"toolName": tool, "parameters": {}}}),
        "copilot" => json!({"sessionId": "s1", "cwd": cwd, "toolName": tool, "toolArgs": input}),
        _ => json!({"session_id": "s1", "conversation_id": "s1", "hook_event_name": event, "cwd": cwd,
            "workspace_roots": [cwd], "tool_name": tool, "tool_input": input}),
    };
    let host = HostDef::by_name(host).unwrap();
    let def = host.find_event(event).unwrap();
    respond_with_state(host, def, payload.to_string().as_bytes(), Vec::new(), Some(&fixture.path().join("state")))
}

fn is_denied(answer: &HostResponse) -> bool {
    let says = format!("{}{}", answer.stdout, answer.stderr);
    says.contains("an agent must not change its own policy")
}

/// Whether Claude Code's shell may run a command.
fn is_command_allowed(fixture: &TempDir, command: &str) -> bool {
    !is_denied(&respond_to_call(fixture, "claude", "PreToolUse", "Bash", &json!({"command": command})))
}

#[test]
fn file_tools_of_every_host_leave_policy_alone() {
    let fixture = create_project();
    let patch = "*** Begin Patch\n*** Update File: .harness/hooks/guard.md\n@@\n-x\n+y\n*** End Patch\n";
    let moved = "*** Begin Patch\n*** Update File: docs/notes.md\n*** Move to: .harness/hooks/new.md\n*** End Patch\n";
    let calls = [
        ("claude", "PreToolUse", "Write", json!({"file_path": "@", "content": "x"})),
        ("claude", "PreToolUse", "Edit", json!({"file_path": "@", "old_string": "x", "new_string": "y"})),
        ("claude", "PreToolUse", "MultiEdit", json!({"file_path": "@", "edits": [{"old_string": "x"}]})),
        ("claude", "PreToolUse", "NotebookEdit", json!({"notebook_path": "@", "new_source": "x"})),
        ("claude", "PermissionRequest", "Write", json!({"file_path": "@", "content": "x"})),
        ("claude", "PreToolUse", "mcp__fs__write_file", json!({"path": "@", "content": "x"})),
        ("claude", "PreToolUse", "mcp__fs__move_file", json!({"source": "docs/notes.md", "destination": "@"})),
        ("claude", "PreToolUse", "mcp__git__apply", json!({"files": [{"name": "@"}]})),
        ("claude", "PreToolUse", "BrandNewTool", json!({"where": "@"})),
        ("claude", "PreToolUse", "mcp__shell__get_output", json!({"command": "echo x > '@'"})),
        ("claude", "PreToolUse", "mcp__x__run", json!({"steps": [{"cmd": "tee", "args": ["@"]}]})),
        ("gemini", "BeforeTool", "mcp_term_exec", json!({"cwd": "src/..", "command": ["cp", "README.md", "@"]})),
        ("gemini", "BeforeTool", "write_file", json!({"file_path": "@", "content": "x"})),
        ("gemini", "BeforeTool", "replace", json!({"file_path": "@", "old_string": "x", "new_string": "y"})),
        ("qwen", "PreToolUse", "edit", json!({"file_path": "@", "old_string": "x", "new_string": "y"})),
        ("copilot", "preToolUse", "create", json!({"path": "@", "file_text": "x"})),
        ("copilot", "preToolUse", "edit", json!({"path": "@", "old_str": "x", "new_str": "y"})),
        ("cline", "PreToolUse", "editor", json!({"path": "@", "new_text": "x"})),
        ("cursor", "preToolUse", "Delete", json!({"path": "@"})),
    ];
    let own = project_root(&fixture).join(".harness/hooks/guard.md").display().to_string();
    let spellings = [
        ".harness/hooks/guard.md",
        "./src/../.harness/hooks/new.md",
        ".harness/plugins/p.star",
        ".HARNESS/hooks/x.md",
        "way/hooks/guard.md",
        "docs/link",
        "docs/hard",
        ".claude/settings.local.json",
        ".github/hooks/x.json",
        "sub/.codex/hooks.json",
        "harn.toml",
        "src/../.github/copilot/settings.json",
        "file://$",
        "$",
    ];
    for (host, event, tool, input) in &calls {
        for path in spellings {
            let path = path.replace('$', &own);
            let input: Value = serde_json::from_str(&input.to_string().replace('@', &path)).unwrap();
            let answer = respond_to_call(&fixture, host, event, tool, &input);
            assert!(is_denied(&answer), "{host} {tool} {input}: {answer:?}");
        }
        for path in ["src/main.rs", ".github/workflows/ci.yml", "docs/notes.md", "harness/x", "new/file"] {
            let input: Value = serde_json::from_str(&input.to_string().replace('@', path)).unwrap();
            let answer = respond_to_call(&fixture, host, event, tool, &input);
            assert!(!is_denied(&answer), "{host} {tool} {input}: {answer:?}");
        }
    }
    for text in [patch, moved] {
        assert!(
            is_denied(&respond_to_call(&fixture, "codex", "PreToolUse", "apply_patch", &json!({"command": text}))),
            "{text}"
        );
        let there = format!("cd .harness && apply_patch <<'EOF'\n{}EOF\n", text.replace(".harness/", ""));
        assert!(
            is_denied(&respond_to_call(&fixture, "codex", "PreToolUse", "Bash", &json!({"command": there}))),
            "{there}"
        );
    }
    let state = fixture.path().join("state/bridge/claude/s1/tape.jsonl").display().to_string();
    let home = json!({"file_path": "~/.claude/settings.json", "content": "x"});
    for input in [json!({"file_path": state, "content": "x"}), home] {
        assert!(is_denied(&respond_to_call(&fixture, "claude", "PreToolUse", "Write", &input)), "{input}");
    }
    for (tool, input) in [
        ("Read", json!({"file_path": own})),
        ("Grep", json!({"pattern": "x", "path": ".harness"})),
        ("Glob", json!({"pattern": ".harness/**"})),
        ("mcp__fs__read_file", json!({"path": own})),
        ("mcp__shell__run", json!({"command": format!("cat {own}")})),
        ("mcp__git__git_commit", json!({"repo_path": project_root(&fixture), "message": "x"})),
        ("Write", json!({"file_path": "docs/new.md", "content": ".harness/hooks/guard.md"})),
    ] {
        assert!(!is_denied(&respond_to_call(&fixture, "claude", "PreToolUse", tool, &input)), "{tool} {input}");
    }
}

/// The command lines of a table, in which `\\n` is the end of a line.
fn read_lines(table: &str) -> Vec<String> {
    let lines = table.lines().filter(|line| !line.starts_with("# "));
    lines.map(|line| line.replace("\\n", "\n")).collect()
}

#[test]
fn plain_shell_writes_to_policy_are_denied_and_reading_it_is_not() {
    let fixture = create_project();
    fs::write(project_root(&fixture).join("notes.md"), "x").unwrap();
    fs::create_dir(project_root(&fixture).join("empty")).unwrap();
    let root = project_root(&fixture).display().to_string();
    let denied = read_lines(include_str!("../data/policy_denied.txt"));
    // Nothing hides behind a limit.
    let padded = [
        format!("{}rm -rf .", "true; ".repeat(1100)),
        format!("rm -rf {} .", "a ".repeat(1100)),
        format!("touch {} && rm -rf .", "a{1..20} b{1..20} ".repeat(30)),
        format!("rm -rf . # {}", "x".repeat(300_000)),
        format!("{}rm -rf .harness", "eval ".repeat(20)),
        format!("find . {} -type f {} -delete", "\\( ".repeat(80), "\\) ".repeat(80)),
    ];
    let passed: Vec<String> = denied
        .iter()
        .map(|command| command.replace("$ROOT", &root))
        .chain(padded)
        .filter(|command| is_command_allowed(&fixture, command))
        .collect();
    assert!(passed.is_empty(), "{passed:#?}");
    let allowed = read_lines(include_str!("../data/policy_allowed.txt"));
    let refused: Vec<&String> = allowed.iter().filter(|command| !is_command_allowed(&fixture, command)).collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn every_hosts_shell_is_judged_and_every_command_of_a_list() {
    let fixture = create_project();
    let remove = "rm -rf .harness";
    for (host, event, tool, input) in [
        ("claude", "PreToolUse", "Monitor", json!({"command": remove})),
        ("codex", "PreToolUse", "shell", json!({"command": ["bash", "-lc", remove]})),
        ("codex", "PreToolUse", "exec_command", json!({"cmd": "rm -rf hooks", "workdir": ".harness"})),
        ("gemini", "BeforeTool", "run_shell_command", json!({"command": "rm -rf hooks", "dir_path": ".harness"})),
        ("qwen", "PreToolUse", "monitor", json!({"command": remove})),
        ("copilot", "preToolUse", "bash", json!({"command": remove})),
        ("copilot", "preToolUse", "write_bash", json!({"input": remove})),
        ("cline", "PreToolUse", "run_commands", json!({"commands": ["ls", remove]})),
        ("cursor", "preToolUse", "Shell", json!({"command": remove})),
        ("claude", "PreToolUse", "PowerShell", json!({"command": "Remove-Item -Recurse .harness"})),
        ("copilot", "preToolUse", "powershell", json!({"command": "'x' | Set-Content .claude/settings.json"})),
    ] {
        let answer = respond_to_call(&fixture, host, event, tool, &input);
        assert!(is_denied(&answer), "{host} {tool}: {answer:?}");
    }
}

#[test]
fn hook_cannot_turn_a_call_against_policy_and_the_tape_has_the_denial() {
    let fixture = create_project();
    let state = fixture.path().join("state");
    let turn = native::hook("turns", EventName::parse("tool.pre").unwrap(), |_| {
        let args = json!({"command": "rm -rf .harness"});
        Verdict::rewrite(serde_json::Map::from_iter([(String::from("args"), args)]))
    });
    let payload = json!({"session_id": "s2", "hook_event_name": "PreToolUse", "cwd": project_root(&fixture), "tool_name": "Bash",
        "tool_input": {"command": "ls"}});
    let host = HostDef::by_name("claude").unwrap();
    let def = host.find_event("PreToolUse").unwrap();
    let answer = respond_with_state(host, def, payload.to_string().as_bytes(), vec![turn], Some(&state));
    assert!(answer.exit_code == 2 && is_denied(&answer), "{answer:?}");
    let tape = fs::read_to_string(Path::new(&state).join("bridge/claude/s2/tape.jsonl")).unwrap();
    let note = tape.lines().find(|line| line.contains("\"bridge\"") && line.contains("PreToolUse")).unwrap();
    assert!(note.contains("\"decision\":\"deny\"") && note.contains("blocked by pintle"), "{note}");
}
