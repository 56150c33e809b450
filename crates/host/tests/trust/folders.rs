//! What the user trusted is what runs, in every directory that the agent works in, for the whole session.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pintle_host::{Decision, Event, Layer, LoadedRuntime, Origin, Runtime};
use serde_json::json;

use crate::trust::fixture::TrustFixture;

const DENIES: &str = "#!/bin/sh\necho 'the guard says no' >&2\nexit 2\n";
const ALLOWS: &str = "#!/bin/sh\nexit 0\n";

/// A project with a guard that runs a command, in the format of a dialect.
fn guarded_project(dialect: &str, command: &str) -> TrustFixture {
    let fixture = TrustFixture::empty();
    let command = serde_json::to_string(command).unwrap();
    match dialect {
        "docker-agent" => fixture.write(
            "agent.yaml",
            format!(
                "agents:\n  root:\n    model: openai/gpt-4o\n    instruction: help\n    hooks:\n      pre_tool_use:\n        - \
                 matcher: shell\n          hooks:\n            - {{name: guard, type: command, command: {command}}}\n"
            ),
        ),
        _ => fixture.write(
            ".claude/settings.json",
            format!("{{\"hooks\": {{\"PreToolUse\": [{{\"hooks\": [{{\"type\": \"command\", \"command\": {command}}}]}}]}}}}"),
        ),
    }
    fixture.write("guard.py", "import rules\nrules.judge()\n");
    fixture.write(
        "rules.py",
        "import sys\n\ndef judge():\n    print('the guard says no', file=sys.stderr)\n    sys.exit(2)\n",
    );
    for (file, text) in [("guard.sh", DENIES), ("hooks/guard.sh", DENIES), ("rules.txt", "rm\n"), ("sub/a.txt", "")] {
        fixture.write(file, text);
    }
    for file in ["guard.sh", "hooks/guard.sh"] {
        pintle_testkit::make_executable(fixture.path(file));
    }
    fixture
}

fn write_allowing_files(fixture: &TrustFixture, dir: &str) {
    for file in ["guard.sh", "hooks/guard.sh"] {
        let file = format!("{dir}/{file}");
        fixture.write(&file, ALLOWS);
        pintle_testkit::make_executable(fixture.path(&file));
    }
    fixture.write(&format!("{dir}/rules.txt"), "");
    fixture.write(&format!("{dir}/rules.py"), "def judge():\n    pass\n");
}

/// The outcome of a forbidden call by an agent in a directory.
fn call_in_dir(fixture: &TrustFixture, built: &LoadedRuntime, cwd: &Path) -> (Decision, String) {
    let fields = json!({"name": "shell", "args": {"command": "rm x"}, "arguments": "{}", "id": "1"});
    let event = fixture.build_event("tool.pre", fields);
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
        let fixture = guarded_project(dialect, command);
        let command = command.replace("ROOT", &fixture.path("").display().to_string());
        let fixture =
            if command.contains("/project/") { with_guard_command(fixture, dialect, &command) } else { fixture };
        fixture.grant_trust();
        fs::create_dir_all(fixture.path("../elsewhere")).unwrap();
        let mut expect = |cwd: &str, wanted: &str| {
            let (decision, reason) = call_in_dir(&fixture, &fixture.build_runtime(), &fixture.path(cwd));
            if decision != Decision::Deny || !reason.contains(wanted) {
                wrong.push(format!("{dialect} {command} in {cwd}: {decision:?} {reason}"));
            }
        };
        if command != root {
            expect("", own);
            expect("sub", without);
        }
        write_allowing_files(&fixture, "sub");
        write_allowing_files(&fixture, "../elsewhere");
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
fn with_guard_command(fixture: TrustFixture, dialect: &str, command: &str) -> TrustFixture {
    let other = guarded_project(dialect, command);
    for file in ["agent.yaml", ".claude/settings.json"] {
        if let Ok(text) = fs::read_to_string(other.path(file)) {
            fixture.write(file, text);
        }
    }
    fixture
}

/// A change of a project.
type ProjectChange = fn(&TrustFixture);

#[test]
fn what_changes_while_a_session_lasts_does_not_run() {
    let changes: [(&str, ProjectChange); 4] = [
        ("edited", |fixture| fixture.write("guard.sh", ALLOWS)),
        ("gone", |fixture| fs::remove_file(fixture.path("guard.sh")).unwrap()),
        ("replaced by a link", |fixture| {
            fixture.write("other.sh", ALLOWS);
            fs::remove_file(fixture.path("guard.sh")).unwrap();
            std::os::unix::fs::symlink("other.sh", fixture.path("guard.sh")).unwrap();
        }),
        ("a pipe", |fixture| {
            fs::remove_file(fixture.path("guard.sh")).unwrap();
            let made = std::process::Command::new("mkfifo").arg(fixture.path("guard.sh")).status().unwrap();
            assert!(made.success());
        }),
    ];
    for dialect in ["docker-agent", "claude-code"] {
        for (what, change) in changes {
            let agreed = guarded_project(dialect, "sh ./guard.sh");
            agreed.grant_trust();
            let named = guarded_project(dialect, "sh ./guard.sh");
            let of_named = Runtime::builder().path(named.path(""), Layer::Project).agent_hooks_apply_globally().load();
            for (fixture, built) in [(&agreed, agreed.build_runtime()), (&named, of_named)] {
                let before = call_in_dir(fixture, &built, &fixture.path(""));
                assert!(before.1.contains("the guard says no"), "{dialect} {before:?}");
                change(fixture);
                let (decision, reason) = call_in_dir(fixture, &built, &fixture.path(""));
                assert_eq!(decision, Decision::Deny, "{dialect}, {what}");
                let wanted = ["changed or was removed after the hook was loaded", "refers to other files"];
                assert!(wanted.iter().any(|wanted| reason.contains(wanted)), "{dialect}, {what}: {reason}");
            }
        }
    }
}

#[test]
fn what_a_named_hook_reads_may_change_while_a_session_lasts() {
    let fixture = guarded_project("docker-agent", "grep -q -f rules.txt && exit 2; exit 0");
    let built = Runtime::builder().path(fixture.path(""), Layer::Project).agent_hooks_apply_globally().load();
    assert_eq!(call_in_dir(&fixture, &built, &fixture.path("")).0, Decision::Deny);
    fixture.write("rules.txt", "other\n");
    assert_eq!(call_in_dir(&fixture, &built, &fixture.path("")).0, Decision::Allow);
}
