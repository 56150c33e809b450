//! Tests the settings of the machine.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use pintle_bridge::HOSTS;
use pintle_bridge::install::{InstallOptions, InstallPlan, InstallScope, installed_entries, is_current};
use pintle_host::loader::UserDirs;

use crate::fixture::{InstallFixture, default_options, write_file};

fn options() -> InstallOptions {
    InstallOptions { folders: UserDirs::of_each_account(), ..default_options("/opt/pintle") }
}

#[test]
fn every_scope_of_every_host_has_its_place_or_is_said_not_to_exist() {
    let fixture = InstallFixture::new();
    let mut text = String::new();
    for host in HOSTS {
        for scope in InstallScope::ALL {
            let plan = InstallPlan::install(host, &fixture.environment, scope, &default_options("/opt/pintle"));
            let shown = match plan {
                Ok(plan) => {
                    let path = plan.changes[0].path.display().to_string();
                    path.replace(&fixture.environment.root.parent().unwrap().display().to_string(), "")
                }
                Err(error) => error.to_string(),
            };
            writeln!(text, "{:<9} {:<8} {shown}", host.name, scope.as_str()).unwrap();
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("scopes", text));
}

#[test]
fn the_machines_lines_name_the_folders_of_each_account_and_every_user_can_read_them() {
    for host in HOSTS.iter().filter(|host| host.install.managed.is_some()) {
        let fixture = InstallFixture::new();
        let path = fixture.settings(host, InstallScope::Managed);
        let plan = InstallPlan::install(host, &fixture.environment, InstallScope::Managed, &options()).unwrap();
        assert_eq!(plan.config_dir, None, "each user creates their own");
        plan.apply().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o644, "{}", host.name);
        let dirs = path.ancestors().skip(1).take_while(|dir| *dir != fixture.environment.root);
        dirs.for_each(|dir| assert_eq!(mode(dir), 0o755, "{}", dir.display()));
        let entries = installed_entries(host, &fixture.environment, InstallScope::Managed).unwrap();
        assert!(!entries.is_empty());
        for entry in entries {
            assert!(entry.command.contains(" --config-dir '~/.config/pintle' --state-dir '~/.local/state/pintle'"));
            assert!(is_current(host, InstallScope::Managed, &entry), "{}", entry.command);
        }
    }
}

#[test]
fn a_file_that_only_root_could_read_is_readable_for_every_user_then() {
    let fixture = InstallFixture::new();
    let path = fixture.settings(HOSTS[0], InstallScope::Managed);
    write_file(&path, "{\"model\": \"x\"}\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    fixture.plan_install(HOSTS[0], InstallScope::Managed).apply().unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o644);
}

#[test]
fn the_switches_of_the_hosts_settings_are_set_with_the_entries_and_taken_back() {
    let cases = [
        ("gemini", "{}\n", "{\"hooksConfig\":{\"enabled\":true}"),
        ("gemini", "{\"hooksConfig\": {\"enabled\": false, \"x\": 1}} // ours\n", "{\"enabled\": true, \"x\": 1}"),
        ("gemini", "{\"hooksConfig\": {\"x\": 1}}\n", "\"enabled\""),
        ("qwen", "{\n  // ours\n  \"disableAllHooks\": true\n}\n", "\"disableAllHooks\": false"),
        ("qwen", "", "\"disableAllHooks\""),
    ];
    for (name, before, switch) in cases {
        let host = HOSTS.iter().find(|host| host.name == name).unwrap();
        let fixture = InstallFixture::new();
        let path = fixture.settings(host, InstallScope::Managed);
        write_file(&path, before);
        let plan = |scope| InstallPlan::install(host, &fixture.environment, scope, &options()).unwrap();
        plan(InstallScope::Managed).apply().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let squeezed = text.replace([' ', '\n'], "");
        assert!(squeezed.contains(&switch.replace(' ', "")), "{text}");
        assert!(plan(InstallScope::Managed).is_empty(), "{text}");
        fixture.plan_uninstall(host, InstallScope::Managed).apply().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), before);

        // They are the machine's: nobody's own settings get them.
        plan(InstallScope::User).apply().unwrap();
        let own = fs::read_to_string(fixture.settings(host, InstallScope::User)).unwrap();
        assert!(!own.contains("hooksConfig") && !own.contains("disableAllHooks"), "{own}");
    }
}

#[test]
fn a_variable_names_the_file_of_this_machine_but_of_no_image() {
    let host = HOSTS.iter().find(|host| host.name == "gemini").unwrap();
    let mut fixture = InstallFixture::new();
    let variables = &mut fixture.environment.variables;
    variables.insert(String::from("GEMINI_CLI_SYSTEM_SETTINGS_PATH"), String::from("/srv/gemini.json"));
    let of_image = fixture.environment.root.join("etc/gemini-cli/settings.json");
    assert_eq!(fixture.settings(host, InstallScope::Managed), of_image);
    fixture.environment.root = PathBuf::from("/");
    assert_eq!(fixture.settings(host, InstallScope::Managed), Path::new("/srv/gemini.json"));
}
