//! `init`: what it shows, writes and proves, and how it is taken back.

use std::fs;

use crate::fixture::snapshot;
use crate::install::{create_fixture, run_at_home};

#[test]
fn a_policy_is_written_installed_proved_and_taken_back() {
    let fixture = create_fixture();
    let settings = || fs::read_to_string(fixture.path("home/.claude/settings.json")).unwrap();
    let before = settings();
    let policy = fixture.path("home/.config/pintle/policy.yaml");
    snapshot!("init_dry_run", run_at_home(&fixture, &["init", "--dry-run"]).run_to_screen());
    assert!(!policy.exists() && settings() == before);
    snapshot!("init", run_at_home(&fixture, &["init", "--yes"]).run_to_screen());
    snapshot!("init_policy", fs::read_to_string(&policy).unwrap());
    assert_ne!(settings(), before);
    snapshot!("init_again", run_at_home(&fixture, &["init", "--yes"]).run_to_screen());
    snapshot!("init_uninstall_all", run_at_home(&fixture, &["uninstall", "all", "--yes"]).run_to_screen());
    assert!(!policy.exists() && settings() == before);
    assert!(!fixture.path("home/.config").exists(), "no empty directory stays");
}

#[test]
fn a_policy_that_is_there_stays_as_it_is() {
    let own = "use: [git]\nrules:\n  git.force-push: ask\n";
    let fixture = create_fixture().with_file("home/.config/pintle/policy.yaml", own);
    let policy = || fs::read_to_string(fixture.path("home/.config/pintle/policy.yaml")).unwrap();
    let (out, _, status) = run_at_home(&fixture, &["init", "--yes"]).run_to_parts();
    assert!(out.contains("is there and stays as it is") && status == Some(0), "{out}");
    snapshot!("init_other_packs", run_at_home(&fixture, &["init", "--packs", "shell", "--yes"]).run_to_screen());
    assert_eq!(policy(), own);
    run_at_home(&fixture, &["uninstall", "all", "--yes"]).run_to_parts();
    assert_eq!(policy(), own, "a policy that was changed is the user's");
}

#[test]
fn what_cannot_be_written_is_said_before_anything_is() {
    let fixture = create_fixture();
    snapshot!("init_misspelt_pack", run_at_home(&fixture, &["init", "--packs", "shel", "--yes"]).run_to_screen());
    snapshot!("init_nobody_to_ask", run_at_home(&fixture, &["init"]).run_to_screen());
    assert!(!fixture.path("home/.config").exists());
}

#[test]
fn a_projects_policy_is_for_everyone_who_works_on_it() {
    let fixture = create_fixture();
    let (out, err, status) =
        run_at_home(&fixture, &["init", "--project", "--agents", "claude", "--yes"]).run_to_parts();
    assert_eq!(status, Some(0), "{out}{err}");
    assert!(fixture.path(".harness/policy.yaml").is_file() && fixture.path(".claude/settings.json").is_file());
    assert!(!fixture.path("home/.config/pintle/policy.yaml").exists());
}

/// An agent that lists each hook of its settings as not reviewed.
const UNREVIEWED: &str = r#"#!/bin/sh
[ "$1" = app-server ] || exit 0
file="$HOME/.codex/hooks.json"
cat > /dev/null &
printf '{"id": 2, "result": {"data": [{"hooks": [{"eventName": "preToolUse", "trustStatus": "untrusted", "enabled": true, "sourcePath": "%s", "command": "'\''/x/pintle'\'' hook codex PreToolUse"}]}]}}\n' "$file"
"#;

#[test]
fn an_agent_that_skips_hooks_until_they_are_reviewed_is_not_guarded_yet() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = create_fixture().with_file("bin/codex", UNREVIEWED);
    fs::set_permissions(fixture.path("bin/codex"), fs::Permissions::from_mode(0o755)).unwrap();
    let (out, err, status) = run_at_home(&fixture, &["init", "--agents", "codex", "--yes"]).run_to_parts();
    assert!(out.contains("Codex: installed, but not guarded yet; its hooks refused"), "{out}{err}");
    assert!(err.contains("have not been reviewed") || out.contains("have not been reviewed"), "{out}{err}");
    assert_eq!(status, Some(1), "{out}{err}");
}
