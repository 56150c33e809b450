use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::stage::{Run, Stage, snapshot};

const SETTINGS: &str = "{\n  // Easy on the eyes.\n  \"theme\": \"dark\",\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"./bell.sh\"}]}]}\n}\n";

/// A home with settings, and a path that has this program and a client.
fn stage() -> Stage {
    let stage = Stage::empty()
        .file("home/.claude/settings.json", SETTINGS)
        .file("bin/claude", "#!/bin/sh\necho '2.1.330 (Claude Code)'\n");
    fs::set_permissions(stage.path("bin/claude"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink(env!("CARGO_BIN_EXE_pintle"), stage.path("bin/pintle")).unwrap();
    stage
}

fn at_home<'a>(stage: &'a Stage, arguments: &[&'a str]) -> Run<'a> {
    let run = stage.pintle(arguments).environment("HOME", "home").environment("PATH", "bin:/usr/bin:/bin");
    let unset = ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"];
    let own =
        ["PINTLE_CONFIG_DIR", "PINTLE_STATE_DIR", "PINTLE_MANAGED_DIR", "DOCKER_AGENT_CONFIG_DIR", "CAGENT_CONFIG_DIR"];
    unset.into_iter().chain(own).fold(run, Run::without)
}

const INSTALL: [&str; 7] = ["install", "claude", "--program", "pintle", "--events", "PreToolUse,Stop", "--yes"];

#[test]
fn what_would_change_is_shown_before_it_is_made() {
    let stage = stage();
    let [.., yes] = INSTALL;
    let asked: Vec<&str> = INSTALL.into_iter().filter(|word| *word != yes).collect();
    let shown: Vec<&str> = asked.iter().copied().chain(["--dry-run"]).collect();
    snapshot!("install_dry_run", at_home(&stage, &shown).screen());
    snapshot!("install_nobody_there", at_home(&stage, &asked).screen());
    snapshot!("install_dry_run_json", at_home(&stage, &[&shown[..], &["--json"]].concat()).screen());
    assert_eq!(fs::read_to_string(stage.path("home/.claude/settings.json")).unwrap(), SETTINGS);
    assert!(!stage.path("home/.config").exists());
}

#[test]
fn a_host_gets_pintle_once_and_loses_it_without_a_trace() {
    let stage = stage();
    snapshot!("install", at_home(&stage, &INSTALL).screen());
    snapshot!("install_again", at_home(&stage, &INSTALL).screen());
    let own = stage.path("home/.config/pintle");
    assert_eq!(fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o700);
    fs::remove_dir(&own).unwrap();
    snapshot!("install_folder_gone", at_home(&stage, &INSTALL).screen());
    snapshot!("install_uninstall", at_home(&stage, &["uninstall", "claude", "--yes"]).screen());
    assert_eq!(fs::read_to_string(stage.path("home/.claude/settings.json")).unwrap(), SETTINGS);
    assert!(!stage.path("home/.claude/settings.json.pintle-backup-1").exists());
    assert!(own.is_dir());
    snapshot!("install_uninstall_again", at_home(&stage, &["uninstall", "claude", "--yes"]).screen());
}

#[test]
fn what_cannot_be_installed_is_said_with_the_next_step() {
    let stage = stage().file("home/.codex/hooks.json", "{\n  \"hooks\": oops\n}\n");
    snapshot!("install_broken_settings", at_home(&stage, &["install", "codex", "--yes"]).screen());
    snapshot!(
        "install_slip_in_event",
        at_home(&stage, &["install", "claude", "--events", "PreTooluse", "--yes"]).screen()
    );
    snapshot!("install_slip_in_host", at_home(&stage, &["install", "cluade", "--yes"]).screen());
    let nowhere = at_home(&stage, &INSTALL).environment("PINTLE_MANAGED_DIR", "nowhere");
    snapshot!("install_no_managed_folder", nowhere.screen());
    snapshot!(
        "install_other_name",
        at_home(&stage, &["install", "claude", "--program", "/opt/hooks", "--yes"]).screen()
    );
}

#[test]
fn the_doctor_tries_the_guards_and_says_what_is_wrong() {
    let stage = stage();
    snapshot!("doctor_nothing_installed", at_home(&stage, &["doctor"]).screen());
    snapshot!("doctor_not_installed", at_home(&stage, &["doctor", "claude"]).screen());
    at_home(&stage, &INSTALL).parts();
    snapshot!("doctor", at_home(&stage, &["doctor", "claude"]).screen());
    snapshot!("doctor_json", at_home(&stage, &["doctor", "claude", "--json"]).screen());
    let moved = at_home(&stage, &["doctor", "claude"]).environment("PINTLE_CONFIG_DIR", "elsewhere");
    let moved = moved.environment("PINTLE_STATE_DIR", "state").environment("PINTLE_MANAGED_DIR", "/opt/policy");
    snapshot!("doctor_moved", moved.screen());
    let settings = stage.path("home/.claude/settings.json");
    let text = fs::read_to_string(&settings).unwrap();
    // Lines as they were before they named folders.
    let calls = text.split(" --config-dir ").map(|part| part.split_once("); case").map_or(part, |(_, rest)| rest));
    fs::write(&settings, calls.collect::<Vec<_>>().join("); case")).unwrap();
    snapshot!("doctor_no_folders", at_home(&stage, &["doctor", "claude"]).screen());
    fs::write(&settings, text).unwrap();
    fs::remove_dir(stage.path("home/.config/pintle")).unwrap();
    snapshot!("doctor_folder_gone", at_home(&stage, &["doctor", "claude"]).screen());
    let off = "{\"disableAllHooks\": true}\n";
    let stage = stage.file(".claude/settings.json", off);
    fs::remove_file(stage.path("bin/pintle")).unwrap();
    symlink("/usr/bin/false", stage.path("bin/pintle")).unwrap();
    snapshot!("doctor_ill", at_home(&stage, &["doctor", "claude"]).screen());
}
