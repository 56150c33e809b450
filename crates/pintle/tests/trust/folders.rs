//! What the user trusted is what runs, in every directory that the agent works in, for the whole session.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use pintle::{BuiltRuntime, Decision, Event, Layer, Origin, Runtime};
use serde_json::json;

use crate::fixture::TrustFixture;

const DENIES: &str = "#!/bin/sh\necho 'the guard says no' >&2\nexit 2\n";
const ALLOWS: &str = "#!/bin/sh\nexit 0\n";

/// A project with a guard that runs a command, in the format of a dialect.
fn guarded_project(dialect: &str, command: &str) -> TrustFixture {
    let stage = TrustFixture::empty();
    let command = serde_json::to_string(command).unwrap();
    match dialect {
        "docker-agent" => stage.write(
            "agent.yaml",
            format!(
                "agents:\n  root:\n    model: openai/gpt-4o\n    instruction: help\n    hooks:\n      pre_tool_use:\n        - \
                 matcher: shell\n          hooks:\n            - {{name: guard, type: command, command: {command}}}\n"
            ),
        ),
        _ => stage.write(
            ".claude/settings.json",
            format!("{{\"hooks\": {{\"PreToolUse\": [{{\"hooks\": [{{\"type\": \"command\", \"command\": {command}}}]}}]}}}}"),
        ),
    }
    stage.write("guard.py", "import rules\nrules.judge()\n");
    stage.write(
        "rules.py",
        "import sys\n\ndef judge():\n    print('the guard says no', file=sys.stderr)\n    sys.exit(2)\n",
    );
    for (file, text) in [("guard.sh", DENIES), ("hooks/guard.sh", DENIES), ("rules.txt", "rm\n"), ("sub/a.txt", "")] {
        stage.write(file, text);
    }
    for file in ["guard.sh", "hooks/guard.sh"] {
        fs::set_permissions(stage.path(file), fs::Permissions::from_mode(0o755)).unwrap();
    }
    stage
}

fn write_allowing_files(stage: &TrustFixture, folder: &str) {
    for file in ["guard.sh", "hooks/guard.sh"] {
        let file = format!("{folder}/{file}");
        stage.write(&file, ALLOWS);
        fs::set_permissions(stage.path(&file), fs::Permissions::from_mode(0o755)).unwrap();
    }
    stage.write(&format!("{folder}/rules.txt"), "");
    stage.write(&format!("{folder}/rules.py"), "def judge():\n    pass\n");
}

/// The outcome of a forbidden call by an agent in a directory.
fn call_in_dir(stage: &TrustFixture, built: &BuiltRuntime, cwd: &Path) -> (Decision, String) {
    let fields = json!({"name": "shell", "args": {"command": "rm x"}, "arguments": "{}", "id": "1"});
    let event = stage.build_event("tool.pre", fields);
    let origin = Origin { cwd: cwd.display().to_string(), ..Origin::default() };
    let outcome = built.runtime.fire(&Event::new(event.name.clone(), event.payload.value().clone(), Arc::new(origin)));
    (outcome.decision, outcome.reason())
}

#[test]
fn in_every_folder_runs_what_was_agreed_to_or_the_guard_denies() {
    let relative = "its command refers to other files than in the project";
    let own = "the guard says no";
    let root = "\"$(git rev-parse --show-toplevel)\"/guard.sh";
    let cases = [
        ("docker-agent", "./guard.sh", relative, relative),
        ("docker-agent", "sh hooks/guard.sh", relative, relative),
        ("docker-agent", "cd hooks && ./guard.sh", relative, relative),
        ("docker-agent", "for f in hooks/*.sh; do sh $f; done", relative, relative),
        (
            "docker-agent",
            "grep -q -f rules.txt && { echo 'the guard says no' >&2; exit 2; }; exit 0",
            relative,
            relative,
        ),
        // The repository root is not looked up while a call is decided, so every possible root is taken into account.
        ("docker-agent", root, own, relative),
        ("docker-agent", "ROOT/guard.sh", own, own),
        ("docker-agent", "cd ROOT && ./hooks/guard.sh", own, relative),
        ("docker-agent", "grep -q rm && { echo 'the guard says no' >&2; exit 2; }; exit 0", own, own),
        ("claude-code", "./guard.sh", relative, relative),
        ("claude-code", "sh ./hooks/guard.sh", relative, relative),
        ("claude-code", "\"$CLAUDE_PROJECT_DIR\"/guard.sh", own, own),
        ("claude-code", "sh \"$CLAUDE_PROJECT_DIR/hooks/guard.sh\"", own, own),
        // Modules are searched for next to the program.
        ("claude-code", "python3 \"$CLAUDE_PROJECT_DIR/guard.py\"", own, own),
        ("claude-code", "cd \"$CLAUDE_PROJECT_DIR\" && ./guard.sh", own, relative),
    ];
    let mut wrong = Vec::new();
    for (dialect, command, without, planted) in cases {
        let stage = guarded_project(dialect, command);
        let command = command.replace("ROOT", &stage.path("").display().to_string());
        let stage = if command.contains("/project/") { with_guard_command(stage, dialect, &command) } else { stage };
        stage.grant_trust();
        fs::create_dir_all(stage.path("../elsewhere")).unwrap();
        let mut expect = |cwd: &str, wanted: &str| {
            let (decision, reason) = call_in_dir(&stage, &stage.build_runtime(), &stage.path(cwd));
            if decision != Decision::Deny || !reason.contains(wanted) {
                wrong.push(format!("{dialect} {command} in {cwd}: {decision:?} {reason}"));
            }
        };
        if command != root {
            expect("", own);
            expect("sub", without);
        }
        write_allowing_files(&stage, "sub");
        write_allowing_files(&stage, "../elsewhere");
        if command != root {
            expect("", own);
        }
        expect("sub", planted);
        expect("sub/../sub/", planted);
        expect("../elsewhere", planted);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The same project with another command.
fn with_guard_command(stage: TrustFixture, dialect: &str, command: &str) -> TrustFixture {
    let other = guarded_project(dialect, command);
    for file in ["agent.yaml", ".claude/settings.json"] {
        if let Ok(text) = fs::read_to_string(other.path(file)) {
            stage.write(file, text);
        }
    }
    stage
}

/// A change of a project.
type ProjectChange = fn(&TrustFixture);

#[test]
fn what_changes_while_a_session_lasts_does_not_run() {
    let changes: [(&str, ProjectChange); 4] = [
        ("edited", |stage| stage.write("guard.sh", ALLOWS)),
        ("gone", |stage| fs::remove_file(stage.path("guard.sh")).unwrap()),
        ("replaced by a link", |stage| {
            stage.write("other.sh", ALLOWS);
            fs::remove_file(stage.path("guard.sh")).unwrap();
            std::os::unix::fs::symlink("other.sh", stage.path("guard.sh")).unwrap();
        }),
        ("a pipe", |stage| {
            fs::remove_file(stage.path("guard.sh")).unwrap();
            let made = std::process::Command::new("mkfifo").arg(stage.path("guard.sh")).status().unwrap();
            assert!(made.success());
        }),
    ];
    for dialect in ["docker-agent", "claude-code"] {
        for (what, change) in changes {
            let agreed = guarded_project(dialect, "sh ./guard.sh");
            agreed.grant_trust();
            let named = guarded_project(dialect, "sh ./guard.sh");
            let of_named = Runtime::builder().path(named.path(""), Layer::Project).agent_hooks_apply_globally().build();
            for (stage, built) in [(&agreed, agreed.build_runtime()), (&named, of_named)] {
                let before = call_in_dir(stage, &built, &stage.path(""));
                assert!(before.1.contains("the guard says no"), "{dialect} {before:?}");
                change(stage);
                let (decision, reason) = call_in_dir(stage, &built, &stage.path(""));
                assert_eq!(decision, Decision::Deny, "{dialect}, {what}");
                let wanted = ["changed or was removed after the hook was loaded", "refers to other files"];
                assert!(wanted.iter().any(|wanted| reason.contains(wanted)), "{dialect}, {what}: {reason}");
            }
        }
    }
}

#[test]
fn what_a_named_hook_reads_may_change_while_a_session_lasts() {
    let stage = guarded_project("docker-agent", "grep -q -f rules.txt && exit 2; exit 0");
    let built = Runtime::builder().path(stage.path(""), Layer::Project).agent_hooks_apply_globally().build();
    assert_eq!(call_in_dir(&stage, &built, &stage.path("")).0, Decision::Deny);
    stage.write("rules.txt", "other\n");
    assert_eq!(call_in_dir(&stage, &built, &stage.path("")).0, Decision::Allow);
}
