//! `init`: what it shows, writes and proves, and how it is taken back.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

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
    let settings = fixture.path("home/.claude/settings.json");
    fs::write(&settings, fs::read_to_string(&settings).unwrap().replace("dark", "light")).unwrap();
    snapshot!("uninstall_leftovers", run_at_home(&fixture, &["uninstall", "all", "--yes"]).run_to_screen());
    assert_eq!(policy(), own, "a policy that was changed is the user's");
}

#[test]
fn who_removes_one_agent_learns_what_stays() {
    let fixture = create_fixture();
    for setup in [["init", "--yes"].as_slice(), &["install", "gemini", "--yes"]] {
        assert_eq!(run_at_home(&fixture, setup).run_to_parts().2, Some(0), "{setup:?}");
    }
    snapshot!("uninstall_one_of_two", run_at_home(&fixture, &["uninstall", "claude", "--yes"]).run_to_screen());
    snapshot!("uninstall_last", run_at_home(&fixture, &["uninstall", "gemini", "--yes"]).run_to_screen());
    assert!(fixture.path("home/.config/pintle/policy.yaml").is_file());
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
    let shared = fs::read_to_string(fixture.path(".claude/settings.json")).unwrap();
    assert!(shared.contains("$('pintle' hook claude"), "the program on the PATH, for everyone: {shared}");
    assert!(!err.contains("a path of this machine"), "{err}");
    let named = ["init", "--project", "--agents", "claude", "--program", env!("CARGO_BIN_EXE_pintle"), "--yes"];
    let (_, err, _) = run_at_home(&fixture, &named).run_to_parts();
    assert!(err.contains("a path of this machine; with `--program pintle`"), "{err}");
}

/// An agent that lists each hook of its settings as not reviewed.
const UNREVIEWED: &str = r#"#!/bin/sh
[ "$1" = app-server ] || exit 0
file="$HOME/.codex/hooks.json"
cat > /dev/null &
printf '{"id": 2, "result": {"data": [{"hooks": [{"eventName": "preToolUse", "trustStatus": "untrusted", "enabled": true, "sourcePath": "%s", "command": "'\''/x/pintle'\'' hook codex PreToolUse"}]}]}}\n' "$file"
"#;

#[test]
fn an_image_is_guarded_by_one_command_and_proved_from_outside() {
    let fixture = create_fixture().with_file("image/etc/hosts", "");
    let image = fixture.path("image").display().to_string();
    let run = |arguments: &[&str]| run_at_home(&fixture, &[arguments, &["--root", &image]].concat()).run_to_parts();
    snapshot!(
        "init_image_without_program",
        run_at_home(&fixture, &["init", "--yes", "--root", &image]).run_to_screen()
    );
    let put = || fixture.copy_program("image/usr/local/bin/pintle");
    let program = put();
    let agents = ["--agents", "claude,copilot"];
    snapshot!(
        "init_image",
        run_at_home(&fixture, &[&["init", "--yes", "--root", &image], &agents[..]].concat()).run_to_screen()
    );
    let modes = ["etc/pintle", "etc/pintle/policy.yaml", "etc/claude-code/managed-settings.json"]
        .map(|path| fs::metadata(fixture.path("image").join(path)).unwrap().permissions().mode() & 0o777);
    assert_eq!(modes, [0o755, 0o644, 0o644], "every account reads them");
    let settings = fs::read_to_string(fixture.path("image/etc/claude-code/managed-settings.json")).unwrap();
    assert!(settings.contains("$('/usr/local/bin/pintle' hook") && !settings.contains(&image), "{settings}");
    let left = || fs::read_dir(fixture.path("home")).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(left().collect::<Vec<_>>(), [".claude"], "the home directory of this machine is another one");
    let is_found = |found: &str, expected: i32| {
        let (out, err, status) = run(&["doctor", "claude"]);
        assert!(out.contains(found) && status == Some(expected), "{status:?} {out}{err}");
    };
    is_found("`pack:shell` refused a test call", 0);
    fs::write(&program, "\u{7f}ELF of another processor").unwrap();
    is_found("does not run on this machine", 0);
    fs::remove_file(&program).unwrap();
    is_found("which does not exist; guarded events are denied", 1);
    put();
    let policy = fixture.path("image/etc/pintle/policy.yaml");
    fs::rename(&policy, fixture.path("policy.yaml")).unwrap();
    is_found("nothing is guarded there: no hook applies in Claude Code", 1);
    fs::rename(fixture.path("policy.yaml"), &policy).unwrap();
    for words in [&["init", "--project", "--yes"][..], &["install", "claude", "--scope", "user", "--yes"]] {
        let (_, err, status) = run(words);
        assert!(status == Some(3) && err.contains("does not go with `--root`"), "{status:?} {err}");
    }
    assert_eq!(run(&["uninstall", "all", "--yes"]).2, Some(0));
    // A link with an absolute path leads to a directory of this machine.
    fs::create_dir(fixture.path("elsewhere")).unwrap();
    for (link, words) in [("pintle", &["init", "--yes"][..]), ("claude-code", &["install", "claude", "--yes"])] {
        let link = fixture.path("image/etc").join(link);
        symlink(fixture.path("elsewhere"), &link).unwrap();
        let (out, err, status) = run(words);
        assert!(status == Some(3) && err.contains("a link leads out of the image"), "{out}{err}");
        fs::remove_file(link).unwrap();
    }
    assert_eq!(fs::read_dir(fixture.path("elsewhere")).unwrap().count(), 0);
    let left = fs::read_dir(fixture.path("image/etc")).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(left.collect::<Vec<_>>(), ["hosts"]);
}

#[test]
fn an_agent_that_skips_hooks_until_they_are_reviewed_is_not_guarded_yet() {
    let fixture = create_fixture().with_file("bin/codex", UNREVIEWED);
    pintle_testkit::make_executable(fixture.path("bin/codex"));
    let (out, err, status) = run_at_home(&fixture, &["init", "--agents", "codex", "--yes"]).run_to_parts();
    assert!(out.contains("Codex: installed, but not guarded yet; its hooks refused"), "{out}{err}");
    assert!(err.contains("have not been reviewed") || out.contains("have not been reviewed"), "{out}{err}");
    assert_eq!(status, Some(1), "{out}{err}");
}
