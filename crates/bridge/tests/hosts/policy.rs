//! An agent cannot change its own policy, in any host and by any notation; reading stays allowed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use pintle::{EventName, Verdict, native};
use pintle_bridge::{HostDef, HostResponse};
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

#[test]
fn plain_shell_writes_to_policy_are_denied_and_reading_it_is_not() {
    let fixture = create_project();
    fs::write(project_root(&fixture).join("notes.md"), "x").unwrap();
    fs::create_dir(project_root(&fixture).join("empty")).unwrap();
    let root = project_root(&fixture).display().to_string();
    let denied = [
        "echo x > .harness/hooks/guard.md",
        "echo x>>.harness/hooks/guard.md",
        "echo x >| '.harness/hooks/guard.md'",
        "cat 2> .claude/settings.json",
        "make &> .claude/settings.json",
        "printf x | tee -a .harness/hooks/new.md",
        "rm -rf .harness",
        "rm -rf ./way/hooks",
        "rm -fr .",
        "rm -rf .h*",
        "rm .claude/settings.{json,local.json}",
        "sudo rm -f \"$HOME/.claude/settings.json\"",
        "unshare -r rm .harness/hooks/audit.md",
        "flock /tmp/lock rm -r .harness",
        "rm ~/.claude/settings.json",
        "rm $ROOT/.harness/hooks/guard.md",
        "mv .harness /tmp/away",
        "mv docs/notes.md .harness/hooks/",
        "cp docs/notes.md .harness/hooks/guard.md",
        "cp -t .harness/hooks docs/notes.md",
        "cp /tmp/.harness -r .",
        "ln -sf /tmp/evil .claude/settings.json",
        "sed -i 's/a/b/' .harness/hooks/guard.md",
        "sed -n -i.bak s/a/b/ .harness/hooks/guard.md",
        "perl -pi -e s/a/b/ .harness/hooks/guard.md",
        "chmod 000 .harness/hooks/guard.md",
        "truncate -s0 .claude/settings.json",
        "dd if=/dev/zero of=.claude/settings.json",
        "cd .harness && rm -rf hooks",
        "(cd .harness; echo x > hooks/new.md)",
        "mkdir -p sub/.harness/hooks",
        "touch .harness/plugins/p.star",
        "true && : ; if true; then rm .claude/settings.json; fi",
        "bash -c 'rm -rf .harness'",
        "sh -lc \"echo x > .claude/settings.json\"",
        "eval rm -rf .harness",
        "echo 'rm -rf .harness' | sh",
        "bash <<'EOF'\nrm -rf .harness\nEOF",
        "cat > .harness/hooks/new.md <<EOF\nx\nEOF",
        "echo $(rm -rf .harness)",
        "echo \"`rm -rf .harness`\"",
        "find .harness -name '*.md' -delete",
        "find . -name settings.json -path './.claude/settings.json' -exec rm {} +",
        "echo .harness/hooks/guard.md | xargs rm",
        "git rm -rf .harness",
        "git checkout HEAD -- .harness/hooks/guard.md",
        "curl -o .claude/settings.json https://a.test",
        "tar -xf a.tar -C .harness",
        "python3 -c \"open('.harness/hooks/guard.md','w').write('')\"",
        "python3 - <<'EOF'\nimport shutil\nshutil.rmtree('.harness')\nEOF",
        "node -e 'require(\"fs\").rmSync(\".claude/settings.json\")'",
        "r''m -rf .har\\ness",
        "rm -rf $'\\x2eharness'",
        "FOO=1 env -i nice -n 5 rm -rf .harness",
        "X=.harness; rm -rf $X",
        "export D=.harness && rm -r \"${D}/hooks\"",
        "for f in .harness/hooks/*; do rm \"$f\"; done",
        "function f { rm -rf .harness; }; f",
        "> .claude/settings.json",
        "\\rm -rf -- .harness",
        "exec 3>.harness/hooks/guard.md",
        "make >&.claude/settings.json",
        "ls .harness/hooks/* | xargs -n1 rm",
        "find . -name '*.md' -delete",
        "find . -type f -delete",
        "find . -maxdepth 3 -iname '*.MD' -exec rm {} \\;",
        "find . -name '*.md' -exec sed -i s/a/b/ {} +",
        "find . -name hooks -type d -exec rm -rf {} +",
        "find . -name '.h*' -exec mv {} /tmp/away \\;",
        "find . \\( -name '*.txt' -o -name '*.md' \\) -delete",
        "find . ! \\( -name '*.txt' -o -name '*.rs' \\) -delete",
        "find . -name '*.md' -exec sh -c 'rm \"$1\"' _ {} \\;",
        "find . -name '*.md' -exec sh -c 'echo x > {}' \\;",
        "find . -name '*.md' -print0 | xargs -0 rm",
        "find .harness/hooks -type f -delete",
        "find \"$PWD\" -path '*/hooks/*' -delete",
        "find -delete",
        "find . -not -path './src/*' -delete",
        "fd -H guard -x rm",
        "fd -HI -e md . . -X rm -f",
        "git clean -fdx",
        "git clean -f -- .harness",
        "git clean -fd .",
        "git checkout -- .harness",
        "git checkout -- .",
        "git checkout .",
        "git restore .",
        "git restore --staged --worktree :/",
        "git -C docs checkout -- ../.harness",
        "git -C .harness clean -fd",
        "git mv .harness x",
        "git stash push -- .harness",
        "mv .harness x",
        "mv .claude old",
        "rm -rf -- ..",
        "rm -r .harness/hooks/..",
        "rm -rf sub/../.harness/./hooks",
        "rm -rf \"$PWD\"",
        "rm -rf ./.[!.]*",
        "cd docs && rm -rf ..",
        "rsync -a --delete /tmp/empty/ .",
        "rsync -a --delete-after /tmp/empty/ ./.harness/",
        "rsync -a /tmp/evil/ .harness/",
        "tar xf a.tar -C .claude settings.json",
        "unzip -o a.zip -d .harness",
        "python3 -c \"import shutil; shutil.rmtree('.')\"",
        "python3 -c \"import os; os.rename('.claude', 'x')\"",
        "node -e 'fs.rmSync(\".\", {recursive: true})'",
        "pintle uninstall claude --yes",
        "/usr/bin/pintle trust --yes",
        "pintle trust -y",
        "pintle install claude --shadow",
    ];
    let passed: Vec<String> = denied
        .iter()
        .map(|command| command.replace("$ROOT", &root))
        .filter(|command| is_command_allowed(&fixture, command))
        .collect();
    assert!(passed.is_empty(), "{passed:#?}");
    let allowed = [
        "cat .harness/hooks/guard.md",
        "ls -la .harness > listing.txt",
        "grep -rn x .harness .claude 2>/dev/null",
        "cp .harness/hooks/guard.md /tmp/copy.md",
        "diff .claude/settings.json docs/notes.md",
        "git add .harness && git commit -m 'rm -rf .harness > x'",
        "git diff -- .harness/hooks/guard.md",
        "tar czf out.tgz .harness",
        "sed -n 1,5p .harness/hooks/guard.md",
        "rm -rf target node_modules build*",
        "find . -name '*.pyc' -delete",
        "find . -name '*.md'",
        "find . -name '*.md' -exec grep -l x {} +",
        "find . -name '*.md' -exec sed -n 1p {} \\;",
        "find . -name '*.md' -exec cp {} /tmp/copies \\;",
        "find . -name '*.md' -exec sh -c 'wc -l \"$1\" > /dev/null' _ {} \\;",
        "find . -name '*.md' | xargs wc -l",
        "find . -name '*.pyc' | xargs rm",
        "find . -name '*.pyc' -print0 | xargs -0 rm -f",
        "find . -name __pycache__ -type d -exec rm -rf {} +",
        "find . -type d -empty -delete",
        "find . \\( -name '*.log' -o -name '*.tmp' \\) -type f -delete",
        "find . -maxdepth 1 -name '*.md' -not -path './.*' -delete",
        "find . -path ./.harness -prune -o -name '*.md' -exec sed -i s/a/b/ {} +",
        "find target -delete",
        "find docs -name '*.md' -delete",
        "find /tmp/nothing-of-ours -mtime +3 -delete",
        "fd -e md -x wc -l",
        "fd -e pyc -x rm",
        "git clean -fdxn",
        "git clean -fd target",
        "git clean --dry-run -fdx",
        "git checkout main && git checkout -b feature/hooks",
        "git checkout -- src",
        "git restore src/main.rs",
        "git restore --staged .",
        "git reset --hard HEAD~1",
        "git reset HEAD .harness/hooks/guard.md",
        "git rm -r --cached .harness",
        "git rm src/main.rs",
        "git status --short && git log -3 && git show HEAD:.harness/hooks/guard.md",
        "git stash && git stash pop",
        "git pull --rebase && git merge main",
        "cargo build --release && cargo test --workspace",
        "npm ci && npm run build",
        "rsync -a --delete src/ /tmp/copy/",
        "rsync -a src/ docs/",
        "tar xzf release.tar.gz",
        "python3 -c \"import shutil; shutil.rmtree('target')\"",
        "ls | xargs wc -l",
        "mv docs/notes.md .",
        "cp docs/notes.md .",
        "mkdir -p .claude .github/workflows",
        "echo 'see .harness/hooks' > docs/notes.md",
        "echo '# > .harness/x' # rm -rf .harness",
        "cat > docs/how.md <<'EOF'\nrm -rf .harness\nEOF",
        "python3 check.py .harness/hooks/guard.md",
        "chmod +x scripts/run.sh",
        "make 2>&1 | tee build.log",
        "X=target; rm -rf $X && for f in build/*; do rm \"$f\"; done",
        "pintle validate .harness && pintle trust && pintle install claude --report",
    ];
    let refused: Vec<&str> = allowed.into_iter().filter(|command| !is_command_allowed(&fixture, command)).collect();
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
