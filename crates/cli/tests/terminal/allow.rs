//! `pintle allow`: one refused call passes once, and nothing else does.

use std::fs;
use std::process::Command;

use serde_json::json;

use crate::fixture::{CliFixture, snapshot};
use crate::pause::run_with_code;

const POLICY: &str = "use: [git, shell, self-protection]\ndeny:\n  - run: npm publish\n";

/// A user with a policy.
fn create_fixture(policy: &str) -> CliFixture {
    let fixture = CliFixture::new_empty();
    fs::write(fixture.user_path("policy.yaml"), policy).unwrap();
    fixture
}

/// What the hook answers: `deny`, `ask` or nothing, with what the user is told.
fn call(fixture: &CliFixture, event: &str, id: &str, command: &str, description: &str) -> (String, String) {
    let input = json!({
        "session_id": "s", "transcript_path": "", "cwd": fixture.path(""), "hook_event_name": event,
        "tool_name": "Bash", "tool_input": {"command": command, "description": description}, "tool_use_id": id,
    });
    let (out, err, _) = fixture.pintle(&["hook", "claude", event]).with_input(&input.to_string()).run_to_parts();
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap_or_default();
    let decision = answer.pointer("/hookSpecificOutput/permissionDecision");
    let decision = decision.or(answer.pointer("/hookSpecificOutput/decision/behavior"));
    let told = answer.get("systemMessage").and_then(serde_json::Value::as_str).unwrap_or(&err);
    (decision.and_then(serde_json::Value::as_str).unwrap_or_default().to_owned(), told.to_owned())
}

fn decide(fixture: &CliFixture, id: &str, command: &str) -> String {
    call(fixture, "PreToolUse", id, command, "").0
}

#[test]
fn one_call_passes_once_and_is_recorded() {
    let fixture = create_fixture(POLICY);
    for command in ["git push --force", "npm publish"] {
        assert_eq!(decide(&fixture, "t1", command), "deny");
        let screen = run_with_code(&fixture, &["allow"]);
        assert!(screen.contains(command) && screen.contains("allowed once"), "{screen}");
        // Another call, also one that only looks like it.
        assert_eq!(decide(&fixture, "t2", &format!("{command} origin main")), "deny");
        assert_eq!(decide(&fixture, "t2", &format!("{command} ")), "deny");
        let (decision, told) = call(&fixture, "PreToolUse", "t3", command, "as the user says");
        assert!(decision.is_empty() && told.contains("you allowed this call once, so it passes"), "{decision} {told}");
        // The same call is asked about, and handled by another entry.
        assert_eq!(call(&fixture, "PermissionRequest", "t3", command, "").0, "");
        assert_eq!(decide(&fixture, "t3", command), "");
        assert_eq!(decide(&fixture, "t4", command), "deny", "once");
    }
    let mut find = Command::new("grep");
    let found = find.args(["-rhoE", "\"kind\":\"allowed_once\".*"]).arg(fixture.user_path("")).output().unwrap();
    let notes = String::from_utf8(found.stdout).unwrap();
    assert!(notes.contains("git.force-push") && notes.contains("policy.npm-publish"), "{notes}");
}

#[test]
fn a_script_that_changed_is_another_call() {
    let fixture = create_fixture(POLICY).with_file("x.sh", "git push --force\n");
    assert_eq!(decide(&fixture, "t1", "sh x.sh"), "deny");
    assert!(run_with_code(&fixture, &["allow"]).contains("allowed once"));
    fs::write(fixture.path("x.sh"), "git push --force; git push origin --delete main\n").unwrap();
    assert_eq!(decide(&fixture, "t2", "sh x.sh"), "deny");
    fs::write(fixture.path("x.sh"), "git push --force\n").unwrap();
    assert_eq!(decide(&fixture, "t3", "sh x.sh"), "", "it is what the user saw");
}

#[test]
fn what_a_user_may_not_allow_stays_refused() {
    let fixture = create_fixture("use: [self-protection]\n").with_file("organisation/policy.yaml", "use: [git]\n");
    let organisation = fixture.path("organisation").display().to_string();
    let refuse = |command: &str| {
        let input = json!({
            "session_id": "s", "transcript_path": "", "cwd": fixture.path(""), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t",
        });
        let run = fixture.pintle(&["hook", "claude", "PreToolUse"]).with_variable("PINTLE_MANAGED_DIR", &organisation);
        let (out, ..) = run.with_input(&input.to_string()).run_to_parts();
        assert!(out.contains("\"deny\""), "{command}: {out}");
    };
    for (command, why) in [
        ("git push --force", "was refused by `pack:git` of your organisation"),
        ("pintle uninstall claude", "was refused by `pack:self-protection`, which guards Pintle itself"),
    ] {
        refuse(command);
        let screen = run_with_code(&fixture, &["allow"]);
        assert!(screen.contains(why) && !screen.contains("allowed once"), "{screen}");
        refuse(command);
    }
    let hooked = create_fixture("use: [git]\n");
    let hook = "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return ask(\"deploy?\")\n---\n";
    fs::create_dir_all(hooked.user_path("hooks")).unwrap();
    fs::write(hooked.user_path("hooks/deploy.md"), hook).unwrap();
    assert_eq!(decide(&hooked, "t1", "make deploy"), "ask");
    let screen = run_with_code(&hooked, &["allow"]);
    assert!(screen.contains("was refused by the hook `deploy`"), "{screen}");
    // An agent has no terminal, or one that it started.
    snapshot!("allow_without_terminal", fixture.pintle(&["allow"]).run_to_screen());
    let none = CliFixture::new_empty();
    assert!(run_with_code(&none, &["allow"]).contains("nothing was denied"), "there is nothing to allow");
}
