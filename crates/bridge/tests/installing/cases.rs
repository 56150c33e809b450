#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use pintle_bridge::install::{InstallFault, Plan, Scope, installed};
use pintle_bridge::{HOSTS, Host};

use crate::stage::{Stage, options, write};

fn claude() -> &'static Host {
    Host::named("claude").unwrap()
}

#[test]
fn every_host_gets_its_events_in_both_scopes_and_loses_them_without_a_trace() {
    for host in HOSTS {
        for scope in Scope::ALL {
            let stage = Stage::new();
            let untouched = stage.everything();
            let applied = stage.install(host, scope).apply().unwrap();
            assert!(!applied.written.is_empty(), "{}", host.name);
            assert_eq!(applied.backups, Vec::<std::path::PathBuf>::new(), "{}", host.name);

            let present = installed(host, &stage.site, scope).unwrap();
            for row in host.rows.iter().filter(|row| row.guards && !row.noisy) {
                let entry = present.iter().find(|entry| entry.event == row.name).unwrap();
                let call = format!("pintle_answer=$('/opt/pintle' hook {} {}", host.name, row.name);
                assert!(entry.command.starts_with(&call), "{}", entry.command);
                assert!(entry.timeout_ms == 0 || entry.timeout_ms > host.deadline_ms, "{} {}", host.name, row.name);
            }
            assert_eq!(stage.install(host, scope).changes, Vec::new(), "{}", host.name);

            let newer = options("/opt/newer/pintle");
            Plan::install(host, &stage.site, scope, &newer).unwrap().apply().unwrap();
            stage.uninstall(host, scope).apply().unwrap();
            assert_eq!(stage.everything(), untouched, "{}", host.name);
            assert_eq!(stage.uninstall(host, scope).changes, Vec::new(), "{}", host.name);
        }
    }
}

#[test]
fn what_cannot_be_read_is_left_as_it_is() {
    let cases = [
        ("{\"a\": }", "line 1 is no JSON"),
        ("{\"hooks\": []}", "`hooks` is no object"),
        ("[]", "what it holds is no object of settings"),
        ("{\"hooks\": {\"PreToolUse\": {}}}", "`hooks.PreToolUse` is no list"),
        ("{\"hooks\": {}, \"hooks\": {}}", "`hooks` stands there twice"),
        ("{} {}", "is no JSON"),
    ];
    for (text, why) in cases {
        let stage = Stage::new();
        let path = stage.settings(claude(), Scope::User);
        write(&path, text);
        let fault = Plan::install(claude(), &stage.site, Scope::User, &options("/opt/pintle")).unwrap_err();
        assert!(fault.to_string().contains(why), "{fault}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn a_copy_is_kept_and_permissions_and_links_stay() {
    let stage = Stage::new();
    let path = stage.settings(claude(), Scope::User);
    let real = stage.site.home.join("dotfiles/claude.json");
    write(&real, "{\"theme\": \"dark\"}\n");
    fs::set_permissions(&real, Permissions::from_mode(0o640)).unwrap();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(&real, &path).unwrap();

    let applied = stage.install(claude(), Scope::User).apply().unwrap();
    let copy = stage.site.home.join("dotfiles/claude.json.pintle-backup-1");
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
    let stage = Stage::new();
    let path = stage.settings(claude(), Scope::User);
    let plan = stage.install(claude(), Scope::User);
    write(&path, "{\"theme\": \"dark\"}\n");
    assert_eq!(plan.apply(), Err(InstallFault::Changed { path: path.clone() }));
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"theme\": \"dark\"}\n");
}

#[test]
fn an_entry_that_was_moved_beside_anothers_is_updated_and_removed_alone() {
    let stage = Stage::new();
    let path = stage.settings(claude(), Scope::User);
    let ours = "pintle hook claude Stop";
    write(
        &path,
        &format!(
            "{{\"hooks\": {{\"Stop\": [{{\"matcher\": \"x\", \"hooks\": [{{\"command\": \"./mine.sh\"}}, {{\"command\": \"{ours}\"}}]}}]}}}}"
        ),
    );
    stage.install(claude(), Scope::User).apply().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(!text.contains(ours) && text.contains("./mine.sh"), "{text}");
    let stops =
        installed(claude(), &stage.site, Scope::User).unwrap().into_iter().filter(|entry| entry.event == "Stop");
    assert_eq!(stops.count(), 1);
    stage.uninstall(claude(), Scope::User).apply().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let left: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(left, serde_json::json!({"hooks": {"Stop": [{"matcher": "x", "hooks": [{"command": "./mine.sh"}]}]}}));
}

#[test]
fn a_slip_in_an_event_leads_to_its_name() {
    let stage = Stage::new();
    let mut options = options("/opt/pintle");
    options.events = vec![String::from("PreTooluse")];
    let fault = Plan::install(claude(), &stage.site, Scope::User, &options).unwrap_err();
    assert_eq!(fault.to_string(), "`PreTooluse` is no event of Claude Code; did you mean `PreToolUse`?");
}
