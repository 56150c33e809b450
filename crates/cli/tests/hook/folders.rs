//! The person's folders, which the installed line names: what a project sets changes nothing, and what is missing denies.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::json;

use crate::{HOSTS, HostInstallFixture, assert_denied};

const EVENT: &str = "PreToolUse";
/// What the person's own guard says.
const REASON: &str = "my own guard says no";

/// Settings whose hook is asked before every call.
fn settings_file(script: &str) -> String {
    let entry = json!([{"matcher": "*", "hooks": [{"type": "command", "command": script}]}]);
    json!({"settings": {"hooks": {"pre_tool_use": entry}}}).to_string()
}

impl HostInstallFixture {
    fn write_file(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A program that tells that it ran.
    fn marker_program(&self, name: &str) -> String {
        format!("touch '{}'; exit 0", self.path(name).display())
    }

    fn run_with_variables(&self, line: &str, variables: &[(&str, PathBuf)]) -> Output {
        self.start_with_variables(line, EVENT, variables).wait_with_output().unwrap()
    }
}

/// A person with a guard, and a project with a hook that somebody agreed to in another state folder: a forgery.
fn create_fixture(host: &'static str) -> HostInstallFixture {
    let fixture = HostInstallFixture::without_install(host);
    fixture.write_file("home/.config/pintle/config.yaml", &settings_file(&format!("echo '{REASON}' >&2; exit 2")));
    fixture.write_file("empty/notes.txt", "");
    fixture.write_file("planted/config.yaml", &settings_file(&fixture.marker_program("planted ran")));
    fixture.write_file("project/policy.yaml", &crate::policy_file(&fixture.marker_program("project ran")));
    fs::rename(fixture.path("project/policy.yaml"), fixture.path("project/agent.yaml")).unwrap();
    let mut trust = fixture.command(Path::new(env!("CARGO_BIN_EXE_pintle")));
    trust.args(["trust", "--yes"]).env("PINTLE_STATE_DIR", fixture.path("forged"));
    assert!(trust.output().unwrap().status.success());
    fixture.run_pintle(&["install", host, "--yes"]);
    fixture
}

#[test]
fn variables_of_a_project_put_no_guard_out_of_force_and_no_hook_in_force() {
    for host in HOSTS {
        let fixture = create_fixture(host);
        let variables: Vec<(&str, PathBuf)> = [
            ("PINTLE_CONFIG_DIR", "empty"),
            ("DOCKER_AGENT_CONFIG_DIR", "empty"),
            ("CAGENT_CONFIG_DIR", "empty"),
            ("XDG_CONFIG_HOME", "empty"),
            ("PINTLE_STATE_DIR", "forged"),
            ("XDG_STATE_HOME", "forged"),
            ("PINTLE_MANAGED_DIR", "planted"),
            ("HOME", "empty"),
            ("pintle_answer", "empty"),
            ("pintle_status", "empty"),
        ]
        .map(|(name, dir)| (name, fixture.path(dir)))
        .to_vec();
        assert_denied(&fixture.run_with_variables(&fixture.installed_line(EVENT), &variables), REASON);
        for name in ["project ran", "planted ran", "empty/bridge", "forged/bridge"] {
            assert!(!fixture.path(name).exists(), "{host}: {name}");
        }
        assert!(fixture.path("state/bridge").join(host).is_dir());

        // All of it would have worked where the folders are what the variables say.
        let bare = format!("{} hook {host} {EVENT}", fixture.quoted_program());
        let passed = fixture.run_with_variables(&bare, &variables);
        assert_eq!((passed.status.code(), passed.stdout.len()), (Some(0), 0), "{passed:?}");
        assert!(fixture.path("project ran").exists() && fixture.path("planted ran").exists(), "{host}");
    }
}

#[test]
fn a_folder_that_is_named_and_missing_denies_until_it_is_made() {
    for host in HOSTS {
        let fixture = create_fixture(host);
        let gone = fixture.path("gone");
        let none = |by: &str, dir: &Path| format!("the directory `{}`, named by {by}, does not exist", dir.display());
        let bare = format!("{} hook {host} {EVENT}", fixture.quoted_program());
        for by in ["PINTLE_CONFIG_DIR", "CAGENT_CONFIG_DIR", "PINTLE_MANAGED_DIR"] {
            assert_denied(&fixture.run_with_variables(&bare, &[(by, gone.clone())]), &none(by, &gone));
        }
        let named =
            format!("{bare} --config-dir '{}' --managed-dir '{}'", fixture.path("empty").display(), gone.display());
        assert_denied(&fixture.run_with_variables(&named, &[]), &none("--managed-dir", &gone));

        let own = fixture.path("home/.config/pintle");
        fs::remove_dir_all(&own).unwrap();
        assert_denied(&fixture.run_with_variables(&fixture.installed_line(EVENT), &[]), &none("--config-dir", &own));
        assert_denied(
            &fixture.run_with_variables(&fixture.installed_line(EVENT), &[]),
            "create the directory, or name another one",
        );
        // Where nothing is held back it is told, and things go on.
        let told = fixture.run_line(&fixture.installed_line("PostToolUse"), "PostToolUse");
        assert_eq!(told.status.code(), Some(0), "{told:?}");
        assert!(String::from_utf8_lossy(&told.stdout).contains("does not exist"), "{told:?}");
        // To install again makes it anew, and nothing of what is below it comes back.
        fixture.run_pintle(&["install", host, "--yes"]);
        assert_eq!(fixture.run_with_variables(&fixture.installed_line(EVENT), &[]).status.code(), Some(0));
    }
}

#[test]
fn settings_that_are_shared_name_no_folders() {
    let fixture = create_fixture("claude");
    fixture.run_pintle(&["install", "claude", "--yes", "--scope", "project"]);
    let shared = fs::read_to_string(fixture.path("project/.claude/settings.json")).unwrap();
    assert!(shared.contains("hook claude PreToolUse)") && !shared.contains("-dir"), "{shared}");
}

#[test]
fn the_machines_lines_find_each_accounts_folders_whatever_home_says() {
    let fixture = HostInstallFixture::without_install("claude");
    fixture.write_file("planted/.config/pintle/config.yaml", &settings_file(&fixture.marker_program("planted ran")));
    fixture.write_file("root/etc/hosts", "");
    let root = fixture.path("root").display().to_string();
    let program = env!("CARGO_BIN_EXE_pintle");
    fixture.run_pintle(&["install", "claude", "--yes", "--scope", "managed", "--root", &root, "--program", program]);
    let settings = fs::read(fixture.path("root/etc/claude-code/managed-settings.json")).unwrap();
    let settings: serde_json::Value = serde_json::from_slice(&settings).unwrap();
    let line = settings["hooks"][EVENT][0]["hooks"][0]["command"].as_str().unwrap();
    // What a test stores does not belong in the home directory of whoever runs it.
    let own_state = format!("--state-dir '{}'", fixture.path("state").display());
    let line = line.replace("--state-dir '~/.local/state/pintle'", &own_state);
    assert!(line.contains("--config-dir '~/.config/pintle'") && line.contains(&own_state), "{line}");
    let passed = fixture.run_with_variables(&line, &[("HOME", fixture.path("planted"))]);
    assert_eq!((passed.status.code(), passed.stdout.len()), (Some(0), 0), "{passed:?}");
    assert!(!fixture.path("planted ran").exists());
    let named = line.replace('~', &fixture.path("planted").display().to_string());
    assert_eq!(fixture.run_with_variables(&named, &[]).status.code(), Some(0));
    assert!(fixture.path("planted ran").exists(), "the planted hook would have run");
}

#[test]
fn an_agent_in_another_folder_runs_what_was_agreed_to_or_is_denied() {
    for host in HOSTS {
        let fixture = HostInstallFixture::without_install(host);
        fixture.write_file("project/guard.sh", "echo 'the guard says no' >&2\nexit 2\n");
        fixture.write_file("project/sub/guard.sh", "touch ../planted\nexit 0\n");
        fixture.write_file("project/agent.yaml", &crate::policy_file("sh ./guard.sh"));
        fixture.run_pintle(&["trust", "--yes"]);
        fixture.run_pintle(&["install", host, "--yes"]);
        let line = fixture.installed_line(EVENT);
        let run_in = |dir: &str| {
            let project = fixture.path("project").display().to_string();
            let payload = fixture.payload_of(EVENT).replace(&project, &format!("{project}{dir}"));
            fixture.start_with_payload(&line, &payload, &[]).wait_with_output().unwrap()
        };
        assert_denied(&run_in(""), "the guard says no");
        assert_denied(&run_in("/sub"), "its command refers to other files than in the project: `sub/guard.sh`");
        assert!(!fixture.path("project/planted").exists(), "{host}");
    }
}

#[test]
fn a_guard_whose_file_is_touched_while_it_runs_denies() {
    let swap = "mv guard.sh kept && echo exit 0 > guard.sh && mv kept guard.sh";
    let rewrite = "cp guard.sh kept && echo exit 0 > guard.sh && cat kept > guard.sh";
    for (change, is_denied) in [(":", false), (swap, true), (rewrite, true), ("echo : >> guard.sh", true)] {
        let fixture = HostInstallFixture::without_install("claude");
        // Installing calls the guards that are there.
        fixture.run_pintle(&["install", "claude", "--yes"]);
        fixture.write_file("project/guard.sh", &format!("{{ {change}; exit 0; }}\n"));
        fixture.write_file("project/agent.yaml", &crate::policy_file("sh ./guard.sh"));
        fixture.run_pintle(&["trust", "--yes"]);
        let output = fixture.start_line(&fixture.installed_line(EVENT), EVENT).wait_with_output().unwrap();
        if is_denied {
            assert_denied(&output, "its files were changed while it ran");
        } else {
            assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0), "{output:?}");
        }
    }
}
