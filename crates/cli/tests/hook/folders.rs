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
    let stage = HostInstallFixture::without_install(host);
    stage.write_file("home/.config/pintle/config.yaml", &settings_file(&format!("echo '{REASON}' >&2; exit 2")));
    stage.write_file("empty/notes.txt", "");
    stage.write_file("planted/config.yaml", &settings_file(&stage.marker_program("planted ran")));
    stage.write_file("project/policy.yaml", &crate::policy_file(&stage.marker_program("project ran")));
    fs::rename(stage.path("project/policy.yaml"), stage.path("project/agent.yaml")).unwrap();
    let mut trust = stage.command(Path::new(env!("CARGO_BIN_EXE_pintle")));
    trust.args(["trust", "--yes"]).env("PINTLE_STATE_DIR", stage.path("forged"));
    assert!(trust.output().unwrap().status.success());
    stage.run_pintle(&["install", host, "--yes"]);
    stage
}

#[test]
fn variables_of_a_project_put_no_guard_out_of_force_and_no_hook_in_force() {
    for host in HOSTS {
        let stage = create_fixture(host);
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
        .map(|(name, folder)| (name, stage.path(folder)))
        .to_vec();
        assert_denied(&stage.run_with_variables(&stage.installed_line(EVENT), &variables), REASON);
        for name in ["project ran", "planted ran", "empty/bridge", "forged/bridge"] {
            assert!(!stage.path(name).exists(), "{host}: {name}");
        }
        assert!(stage.path("state/bridge").join(host).is_dir());

        // All of it would have worked where the folders are what the variables say.
        let bare = format!("{} hook {host} {EVENT}", stage.quoted_program());
        let passed = stage.run_with_variables(&bare, &variables);
        assert_eq!((passed.status.code(), passed.stdout.len()), (Some(0), 0), "{passed:?}");
        assert!(stage.path("project ran").exists() && stage.path("planted ran").exists(), "{host}");
    }
}

#[test]
fn a_folder_that_is_named_and_missing_denies_until_it_is_made() {
    for host in HOSTS {
        let stage = create_fixture(host);
        let gone = stage.path("gone");
        let none =
            |by: &str, folder: &Path| format!("the directory `{}`, named by {by}, does not exist", folder.display());
        let bare = format!("{} hook {host} {EVENT}", stage.quoted_program());
        for by in ["PINTLE_CONFIG_DIR", "CAGENT_CONFIG_DIR", "PINTLE_MANAGED_DIR"] {
            assert_denied(&stage.run_with_variables(&bare, &[(by, gone.clone())]), &none(by, &gone));
        }
        let named =
            format!("{bare} --config-dir '{}' --managed-dir '{}'", stage.path("empty").display(), gone.display());
        assert_denied(&stage.run_with_variables(&named, &[]), &none("--managed-dir", &gone));

        let own = stage.path("home/.config/pintle");
        fs::remove_dir_all(&own).unwrap();
        assert_denied(&stage.run_with_variables(&stage.installed_line(EVENT), &[]), &none("--config-dir", &own));
        assert_denied(
            &stage.run_with_variables(&stage.installed_line(EVENT), &[]),
            "create the directory, or name another one",
        );
        // Where nothing is held back it is told, and things go on.
        let told = stage.run_line(&stage.installed_line("PostToolUse"), "PostToolUse");
        assert_eq!(told.status.code(), Some(0), "{told:?}");
        assert!(String::from_utf8_lossy(&told.stdout).contains("does not exist"), "{told:?}");
        // To install again makes it anew, and nothing of what is below it comes back.
        stage.run_pintle(&["install", host, "--yes"]);
        assert_eq!(stage.run_with_variables(&stage.installed_line(EVENT), &[]).status.code(), Some(0));
    }
}

#[test]
fn settings_that_are_shared_name_no_folders() {
    let stage = create_fixture("claude");
    stage.run_pintle(&["install", "claude", "--yes", "--scope", "project"]);
    let shared = fs::read_to_string(stage.path("project/.claude/settings.json")).unwrap();
    assert!(shared.contains("hook claude PreToolUse)") && !shared.contains("-dir"), "{shared}");
}

#[test]
fn an_agent_in_another_folder_runs_what_was_agreed_to_or_is_denied() {
    for host in HOSTS {
        let stage = HostInstallFixture::without_install(host);
        stage.write_file("project/guard.sh", "echo 'the guard says no' >&2\nexit 2\n");
        stage.write_file("project/sub/guard.sh", "touch ../planted\nexit 0\n");
        stage.write_file("project/agent.yaml", &crate::policy_file("sh ./guard.sh"));
        stage.run_pintle(&["trust", "--yes"]);
        stage.run_pintle(&["install", host, "--yes"]);
        let line = stage.installed_line(EVENT);
        let run_in = |folder: &str| {
            let project = stage.path("project").display().to_string();
            let payload = stage.payload_of(EVENT).replace(&project, &format!("{project}{folder}"));
            stage.start_with_payload(&line, &payload, &[]).wait_with_output().unwrap()
        };
        assert_denied(&run_in(""), "the guard says no");
        assert_denied(&run_in("/sub"), "its command refers to other files than in the project: `sub/guard.sh`");
        assert!(!stage.path("project/planted").exists(), "{host}");
    }
}
