use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::fixture::{CliFixture, CliInvocation, snapshot};

const SETTINGS: &str = "{\n  // Easy on the eyes.\n  \"theme\": \"dark\",\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"./bell.sh\"}]}]}\n}\n";

/// A home with settings, and a path that has this program and a client.
pub(crate) fn create_fixture() -> CliFixture {
    let fixture = CliFixture::new_empty()
        .with_file("home/.claude/settings.json", SETTINGS)
        .with_file("bin/claude", "#!/bin/sh\necho '2.1.330 (Claude Code)'\n");
    pintle_testkit::make_executable(fixture.path("bin/claude"));
    symlink(env!("CARGO_BIN_EXE_pintle"), fixture.path("bin/pintle")).unwrap();
    fixture
}

pub(crate) fn run_at_home<'a>(fixture: &'a CliFixture, arguments: &[&'a str]) -> CliInvocation<'a> {
    let run = fixture.pintle(arguments).with_variable("HOME", "home").with_variable("PATH", "bin:/usr/bin:/bin");
    let unset = ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"];
    let own =
        ["PINTLE_CONFIG_DIR", "PINTLE_STATE_DIR", "PINTLE_MANAGED_DIR", "DOCKER_AGENT_CONFIG_DIR", "CAGENT_CONFIG_DIR"];
    unset.into_iter().chain(own).fold(run, CliInvocation::without_variable)
}

const INSTALL: [&str; 7] = ["install", "claude", "--program", "pintle", "--events", "PreToolUse,Stop", "--yes"];

#[test]
fn what_would_change_is_shown_before_it_is_made() {
    let fixture = create_fixture();
    let [.., yes] = INSTALL;
    let asked: Vec<&str> = INSTALL.into_iter().filter(|word| *word != yes).collect();
    let shown: Vec<&str> = asked.iter().copied().chain(["--dry-run"]).collect();
    snapshot!("install_dry_run", run_at_home(&fixture, &shown).run_to_screen());
    snapshot!("install_nobody_there", run_at_home(&fixture, &asked).run_to_screen());
    snapshot!("install_dry_run_json", run_at_home(&fixture, &[&shown[..], &["--json"]].concat()).run_to_screen());
    assert_eq!(fs::read_to_string(fixture.path("home/.claude/settings.json")).unwrap(), SETTINGS);
    assert!(!fixture.path("home/.config").exists());
}

#[test]
fn a_host_gets_pintle_once_and_loses_it_without_a_trace() {
    let fixture = create_fixture();
    snapshot!("install", run_at_home(&fixture, &INSTALL).run_to_screen());
    snapshot!("install_again", run_at_home(&fixture, &INSTALL).run_to_screen());
    let own = fixture.path("home/.config/pintle");
    assert_eq!(fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o700);
    fs::remove_dir(&own).unwrap();
    snapshot!("install_folder_gone", run_at_home(&fixture, &INSTALL).run_to_screen());
    snapshot!("install_uninstall", run_at_home(&fixture, &["uninstall", "claude", "--yes"]).run_to_screen());
    assert_eq!(fs::read_to_string(fixture.path("home/.claude/settings.json")).unwrap(), SETTINGS);
    assert!(!fixture.path("home/.claude/settings.json.pintle-backup-1").exists());
    assert!(own.is_dir());
    snapshot!("install_uninstall_again", run_at_home(&fixture, &["uninstall", "claude", "--yes"]).run_to_screen());
}

#[test]
fn what_cannot_be_installed_is_said_with_the_next_step() {
    let fixture = create_fixture().with_file("home/.codex/hooks.json", "{\n  \"hooks\": oops\n}\n");
    snapshot!("install_broken_settings", run_at_home(&fixture, &["install", "codex", "--yes"]).run_to_screen());
    snapshot!(
        "install_slip_in_event",
        run_at_home(&fixture, &["install", "claude", "--events", "PreTooluse", "--yes"]).run_to_screen()
    );
    snapshot!("install_slip_in_host", run_at_home(&fixture, &["install", "cluade", "--yes"]).run_to_screen());
    let nowhere = run_at_home(&fixture, &INSTALL).with_variable("PINTLE_MANAGED_DIR", "nowhere");
    snapshot!("install_no_managed_folder", nowhere.run_to_screen());
    snapshot!(
        "install_other_name",
        run_at_home(&fixture, &["install", "claude", "--program", "/opt/hooks", "--yes"]).run_to_screen()
    );
}

#[test]
fn the_machines_settings_are_edited_for_everyone_and_only_with_the_rights() {
    let fixture = create_fixture().with_file("image/etc/hosts", "");
    let managed = ["--scope", "managed", "--root", "image"];
    let with = |words: &[&'static str]| [words, &managed].concat();
    // What is guarded then depends on the hooks of the account that runs the test.
    let (installed, _, status) = run_at_home(&fixture, &with(&INSTALL)).run_to_parts();
    assert_eq!(status, Some(0));
    snapshot!("managed_install", installed);
    assert!(!fixture.path("home/.config/pintle").exists(), "that is for each user to create");
    let (report, ..) = run_at_home(&fixture, &["doctor", "claude", "--root", "image"]).run_to_parts();
    snapshot!("managed_doctor", report.lines().take(6).collect::<Vec<_>>().join("\n"));
    snapshot!("managed_uninstall", run_at_home(&fixture, &with(&["uninstall", "claude", "--yes"])).run_to_screen());
    assert_eq!(fs::read_dir(fixture.path("image/etc")).unwrap().count(), 1);
    let nowhere = with(&["install", "opencode", "--program", "pintle", "--yes"]);
    snapshot!("managed_nowhere", run_at_home(&fixture, &nowhere).run_to_screen());
    let denied = ["install", "claude", "--program", "pintle", "--yes", "--scope", "managed", "--root", "/sys"];
    let (_, error, status) = run_at_home(&fixture, &denied).run_to_parts();
    assert_eq!(status, Some(1));
    snapshot!("managed_denied", error);
}

#[test]
fn the_doctor_tries_the_guards_and_says_what_is_wrong() {
    let fixture = create_fixture();
    snapshot!("doctor_nothing_installed", run_at_home(&fixture, &["doctor"]).run_to_screen());
    snapshot!("doctor_not_installed", run_at_home(&fixture, &["doctor", "claude"]).run_to_screen());
    run_at_home(&fixture, &INSTALL).run_to_parts();
    snapshot!("doctor", run_at_home(&fixture, &["doctor", "claude"]).run_to_screen());
    snapshot!("doctor_json", run_at_home(&fixture, &["doctor", "claude", "--json"]).run_to_screen());
    let moved = run_at_home(&fixture, &["doctor", "claude"]).with_variable("PINTLE_CONFIG_DIR", "elsewhere");
    let moved = moved.with_variable("PINTLE_STATE_DIR", "state").with_variable("PINTLE_MANAGED_DIR", "/opt/policy");
    snapshot!("doctor_moved", moved.run_to_screen());
    let settings = fixture.path("home/.claude/settings.json");
    let text = fs::read_to_string(&settings).unwrap();
    // Lines as they were before they named folders.
    let calls = text.split(" --config-dir ").map(|part| part.split_once("); case").map_or(part, |(_, rest)| rest));
    fs::write(&settings, calls.collect::<Vec<_>>().join("); case")).unwrap();
    snapshot!("doctor_no_folders", run_at_home(&fixture, &["doctor", "claude"]).run_to_screen());
    fs::write(&settings, text).unwrap();
    fs::remove_dir(fixture.path("home/.config/pintle")).unwrap();
    snapshot!("doctor_folder_gone", run_at_home(&fixture, &["doctor", "claude"]).run_to_screen());
    let off = "{\"disableAllHooks\": true}\n";
    let fixture = fixture.with_file(".claude/settings.json", off);
    fs::remove_file(fixture.path("bin/pintle")).unwrap();
    symlink("/usr/bin/false", fixture.path("bin/pintle")).unwrap();
    snapshot!("doctor_ill", run_at_home(&fixture, &["doctor", "claude"]).run_to_screen());
}

#[test]
fn a_program_that_was_started_by_a_link_is_named_by_the_link() {
    let fixture = create_fixture();
    let link = fixture.path("bin/pintle");
    let home = fixture.path("home");
    let run = |program: &std::path::Path, path: &str| {
        let output = std::process::Command::new(program)
            .args(["install", "claude", "--yes"])
            .env("HOME", &home)
            .env("PATH", path)
            .env("PINTLE_USER_SETUP", "1")
            .env("PINTLE_SERVE", "off")
            .env_remove("PINTLE_CONFIG_DIR")
            .env_remove("PINTLE_STATE_DIR")
            // Neither a project nor a directory of temporary files has the link.
            .env("TMPDIR", &home)
            .current_dir(&home)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read_to_string(home.join(".claude/settings.json")).unwrap()
    };
    let path = std::env::var("PATH").unwrap();
    assert!(run(&link, &path).contains(&link.display().to_string()));
    fs::remove_file(home.join(".claude/settings.json")).unwrap();
    let path = format!("{}:{path}", fixture.path("bin").display());
    assert!(run(std::path::Path::new("pintle"), &path).contains(&link.display().to_string()));
}
