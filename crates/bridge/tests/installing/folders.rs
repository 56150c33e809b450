//! Tests the directories in command lines.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use pintle::loader::UserDirs;
use pintle_bridge::HOSTS;
use pintle_bridge::install::{
    InstallError, InstallOptions, InstallPlan, InstallScope, InstalledEntry, installed_entries, is_current, named_dirs,
};

use crate::fixture::{InstallFixture, default_options};

/// The options for a user whose own hooks are in this directory of the home directory.
fn user_options(fixture: &InstallFixture, config: &str) -> InstallOptions {
    let dir = |name: &str| Some(fixture.environment.home.join(name));
    InstallOptions {
        folders: UserDirs { config: dir(config), state: dir("state"), managed: None },
        ..default_options("pintle")
    }
}

#[test]
fn the_folder_of_own_hooks_is_made_before_a_line_names_it_and_stays() {
    for host in HOSTS {
        let fixture = InstallFixture::new();
        let own = fixture.environment.home.join(".config/pintle");
        let plan = |name: &str| {
            InstallPlan::install(host, &fixture.environment, InstallScope::User, &user_options(&fixture, name)).unwrap()
        };
        assert_eq!(plan(".config/pintle").config_dir.as_ref(), Some(&own));
        assert!(!own.exists(), "a plan makes nothing");
        assert_eq!(plan(".config/pintle").apply().unwrap().created_dir.as_ref(), Some(&own));
        assert_eq!(fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o700);
        assert!(plan(".config/pintle").is_empty());

        // A missing directory is created again, even if no line changes.
        fs::remove_dir(&own).unwrap();
        let again = plan(".config/pintle");
        assert_eq!((again.changes.len(), again.config_dir.as_ref()), (0, Some(&own)));
        again.apply().unwrap();

        fixture.plan_uninstall(host, InstallScope::User).apply().unwrap();
        assert!(own.is_dir());
        assert_eq!(fixture.plan_uninstall(host, InstallScope::User).config_dir, None);
    }
}

#[test]
fn a_line_names_its_folders_until_it_is_installed_with_others() {
    for host in HOSTS {
        let fixture = InstallFixture::new();
        for config in ["it's mine", "$HOME"] {
            let options = user_options(&fixture, config);
            InstallPlan::install(host, &fixture.environment, InstallScope::User, &options).unwrap().apply().unwrap();
            let entries: Vec<InstalledEntry> =
                installed_entries(host, &fixture.environment, InstallScope::User).unwrap();
            assert!(!entries.is_empty());
            for entry in &entries {
                assert_eq!(named_dirs(host, entry), options.folders, "{}", entry.command);
                assert!(is_current(host, InstallScope::User, entry), "{}", entry.command);
            }
        }
        // As with earlier lines without directories.
        fixture.plan_install(host, InstallScope::User).apply().unwrap();
        for entry in installed_entries(host, &fixture.environment, InstallScope::User).unwrap() {
            assert_eq!(named_dirs(host, &entry), UserDirs::default());
            assert!(!is_current(host, InstallScope::User, &entry), "{}", entry.command);
        }
        InstallPlan::install(host, &fixture.environment, InstallScope::User, &user_options(&fixture, "mine"))
            .unwrap()
            .apply()
            .unwrap();
        fixture.plan_uninstall(host, InstallScope::User).apply().unwrap();
        assert_eq!(installed_entries(host, &fixture.environment, InstallScope::User).unwrap(), Vec::new());
    }
}

#[test]
fn an_empty_folder_that_was_there_stays_and_so_does_a_link_to_it() {
    for host in HOSTS {
        for is_link in [false, true] {
            for (scope, place) in host.install.locations() {
                let fixture = InstallFixture::new();
                let dir = fixture.environment.host_dir(scope, place);
                let dir = if place.file.is_empty() { dir.parent().unwrap().to_owned() } else { dir };
                fs::create_dir_all(dir.parent().unwrap()).unwrap();
                let real = dir.with_file_name("elsewhere");
                if is_link {
                    fs::create_dir(&real).unwrap();
                    std::os::unix::fs::symlink(&real, &dir).unwrap();
                } else {
                    fs::create_dir(&dir).unwrap();
                }
                fixture.plan_install(host, scope).apply().unwrap();
                assert!(fixture.plan_install(host, scope).is_empty(), "{}", host.name);
                fixture.plan_uninstall(host, scope).apply().unwrap();
                assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "{} {scope:?} {is_link}", host.name);
                assert_eq!(fs::symlink_metadata(&dir).unwrap().is_symlink(), is_link);
            }
        }
    }
}

#[test]
fn a_folder_that_cannot_be_made_or_named_changes_nothing() {
    let fixture = InstallFixture::new();
    let untouched = fixture.list_all_files();
    for name in ["two\nlines", "a\u{7}bell"] {
        let options = user_options(&fixture, name);
        let error = InstallPlan::install(HOSTS[0], &fixture.environment, InstallScope::User, &options).unwrap_err();
        assert_eq!(error, InstallError::UnusableFolder { path: options.folders.config.unwrap() });
    }
    assert_eq!(fixture.list_all_files(), untouched);
    let taken: PathBuf = fixture.environment.home.join("taken");
    fs::write(&taken, "a file").unwrap();
    let untouched = fixture.list_all_files();
    let plan =
        InstallPlan::install(HOSTS[0], &fixture.environment, InstallScope::User, &user_options(&fixture, "taken"))
            .unwrap();
    let error = plan.apply().unwrap_err().to_string();
    assert_eq!(error, format!("cannot create the directory `{}`: file exists", taken.display()));
    assert_eq!(fixture.list_all_files(), untouched);
}
