#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use pintle_bridge::install::{InstallError, InstallPlan, InstallScope, installed_entries};
use pintle_bridge::{HOSTS, HostDef};

use crate::fixture::{InstallFixture, default_options, write_file};

fn claude_host() -> &'static HostDef {
    HostDef::by_name("claude").unwrap()
}

#[test]
fn install_then_uninstall_leaves_no_trace_for_any_host_and_scope() {
    for host in HOSTS {
        for (scope, _) in host.install.locations() {
            let fixture = InstallFixture::new();
            let untouched = fixture.list_all_files();
            let applied = fixture.plan_install(host, scope).apply().unwrap();
            assert!(!applied.written_files.is_empty(), "{}", host.name);
            assert_eq!(applied.backups, Vec::<std::path::PathBuf>::new(), "{}", host.name);

            let present = installed_entries(host, &fixture.environment, scope).unwrap();
            for def in host.host_events().filter(|def| def.is_guard && !def.high_volume) {
                let entry = present.iter().find(|entry| entry.event == def.name).unwrap();
                let call = format!("pintle_answer=$('/opt/pintle' hook {} {}", host.name, def.name);
                assert!(entry.command.starts_with(&call), "{}", entry.command);
                assert!(entry.timeout_ms == 0 || entry.timeout_ms > host.deadline_ms, "{} {}", host.name, def.name);
            }
            assert_eq!(fixture.plan_install(host, scope).changes, Vec::new(), "{}", host.name);

            let newer = default_options("/opt/newer/pintle");
            InstallPlan::install(host, &fixture.environment, scope, &newer).unwrap().apply().unwrap();
            fixture.plan_uninstall(host, scope).apply().unwrap();
            assert_eq!(fixture.list_all_files(), untouched, "{}", host.name);
            assert_eq!(fixture.plan_uninstall(host, scope).changes, Vec::new(), "{}", host.name);
        }
    }
}

#[test]
fn what_cannot_be_read_is_left_as_it_is() {
    let cases = [
        ("{\"a\": }", "line 1 is not valid JSON"),
        ("{\"hooks\": []}", "`hooks` is not an object"),
        ("[]", "it does not contain a JSON object"),
        ("{\"hooks\": {\"PreToolUse\": {}}}", "`hooks.PreToolUse` is not a list"),
        ("{\"hooks\": {}, \"hooks\": {}}", "`hooks` occurs twice"),
        ("{} {}", "is not valid JSON"),
    ];
    for (text, reason) in cases {
        let fixture = InstallFixture::new();
        let path = fixture.settings(claude_host(), InstallScope::User);
        write_file(&path, text);
        let error = InstallPlan::install(
            claude_host(),
            &fixture.environment,
            InstallScope::User,
            &default_options("/opt/pintle"),
        )
        .unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn a_copy_is_kept_and_permissions_and_links_stay() {
    let fixture = InstallFixture::new();
    let path = fixture.settings(claude_host(), InstallScope::User);
    let real = fixture.environment.home.join("dotfiles/claude.json");
    write_file(&real, "{\"theme\": \"dark\"}\n");
    fs::set_permissions(&real, Permissions::from_mode(0o640)).unwrap();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(&real, &path).unwrap();

    let applied = fixture.plan_install(claude_host(), InstallScope::User).apply().unwrap();
    let copy = fixture.environment.home.join("dotfiles/claude.json.pintle-backup-1");
    assert_eq!(applied.backups, std::slice::from_ref(&copy));
    assert_eq!(fs::read_to_string(&copy).unwrap(), "{\"theme\": \"dark\"}\n");
    assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
    for file in [&real, &copy] {
        assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o640);
    }
    assert!(fs::read_to_string(&real).unwrap().contains("hook claude PreToolUse"));
}

#[test]
fn a_file_that_changed_after_the_question_is_not_overwritten() {
    let fixture = InstallFixture::new();
    let path = fixture.settings(claude_host(), InstallScope::User);
    let plan = fixture.plan_install(claude_host(), InstallScope::User);
    write_file(&path, "{\"theme\": \"dark\"}\n");
    assert_eq!(plan.apply(), Err(InstallError::Changed { path: path.clone() }));
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"theme\": \"dark\"}\n");
}

#[test]
fn an_entry_that_was_moved_beside_anothers_is_updated_and_removed_alone() {
    let fixture = InstallFixture::new();
    let path = fixture.settings(claude_host(), InstallScope::User);
    let ours = "pintle hook claude Stop";
    write_file(
        &path,
        &format!(
            "{{\"hooks\": {{\"Stop\": [{{\"matcher\": \"x\", \"hooks\": [{{\"command\": \"./mine.sh\"}}, {{\"command\": \"{ours}\"}}]}}]}}}}"
        ),
    );
    fixture.plan_install(claude_host(), InstallScope::User).apply().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(!text.contains(ours) && text.contains("./mine.sh"), "{text}");
    let stops = installed_entries(claude_host(), &fixture.environment, InstallScope::User)
        .unwrap()
        .into_iter()
        .filter(|entry| entry.event == "Stop");
    assert_eq!(stops.count(), 1);
    fixture.plan_uninstall(claude_host(), InstallScope::User).apply().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let left: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(left, serde_json::json!({"hooks": {"Stop": [{"matcher": "x", "hooks": [{"command": "./mine.sh"}]}]}}));
}

#[test]
fn a_slip_in_an_event_leads_to_its_name() {
    let fixture = InstallFixture::new();
    let mut options = default_options("/opt/pintle");
    options.events = vec![String::from("PreTooluse")];
    let error = InstallPlan::install(claude_host(), &fixture.environment, InstallScope::User, &options).unwrap_err();
    assert_eq!(error.to_string(), "`PreTooluse` is not an event of Claude Code; did you mean `PreToolUse`?");
}
