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
fn user_options(stage: &InstallFixture, config: &str) -> InstallOptions {
    let folder = |name: &str| Some(stage.environment.home.join(name));
    InstallOptions {
        folders: UserDirs { config: folder(config), state: folder("state"), managed: None },
        ..default_options("pintle")
    }
}

#[test]
fn the_folder_of_own_hooks_is_made_before_a_line_names_it_and_stays() {
    for host in HOSTS {
        let stage = InstallFixture::new();
        let own = stage.environment.home.join(".config/pintle");
        let plan = |name: &str| {
            InstallPlan::install(host, &stage.environment, InstallScope::User, &user_options(&stage, name)).unwrap()
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

        stage.plan_uninstall(host, InstallScope::User).apply().unwrap();
        assert!(own.is_dir());
        assert_eq!(stage.plan_uninstall(host, InstallScope::User).config_dir, None);
    }
}

#[test]
fn a_line_names_its_folders_until_it_is_installed_with_others() {
    for host in HOSTS {
        let stage = InstallFixture::new();
        for config in ["it's mine", "$HOME"] {
            let options = user_options(&stage, config);
            InstallPlan::install(host, &stage.environment, InstallScope::User, &options).unwrap().apply().unwrap();
            let entries: Vec<InstalledEntry> = installed_entries(host, &stage.environment, InstallScope::User).unwrap();
            assert!(!entries.is_empty());
            for entry in &entries {
                assert_eq!(named_dirs(host, entry), options.folders, "{}", entry.command);
                assert!(is_current(host, InstallScope::User, entry), "{}", entry.command);
            }
        }
        // As with earlier lines without directories.
        stage.plan_install(host, InstallScope::User).apply().unwrap();
        for entry in installed_entries(host, &stage.environment, InstallScope::User).unwrap() {
            assert_eq!(named_dirs(host, &entry), UserDirs::default());
            assert!(!is_current(host, InstallScope::User, &entry), "{}", entry.command);
        }
        InstallPlan::install(host, &stage.environment, InstallScope::User, &user_options(&stage, "mine"))
            .unwrap()
            .apply()
            .unwrap();
        stage.plan_uninstall(host, InstallScope::User).apply().unwrap();
        assert_eq!(installed_entries(host, &stage.environment, InstallScope::User).unwrap(), Vec::new());
    }
}

#[test]
fn an_empty_folder_that_was_there_stays_and_so_does_a_link_to_it() {
    for host in HOSTS {
        for is_link in [false, true] {
            for scope in InstallScope::ALL {
                let stage = InstallFixture::new();
                let place = if scope == InstallScope::User { &host.install.user } else { &host.install.project };
                let folder = stage.environment.host_dir(scope, place);
                fs::create_dir_all(folder.parent().unwrap()).unwrap();
                let real = folder.with_file_name("elsewhere");
                if is_link {
                    fs::create_dir(&real).unwrap();
                    std::os::unix::fs::symlink(&real, &folder).unwrap();
                } else {
                    fs::create_dir(&folder).unwrap();
                }
                stage.plan_install(host, scope).apply().unwrap();
                assert!(stage.plan_install(host, scope).is_empty(), "{}", host.name);
                stage.plan_uninstall(host, scope).apply().unwrap();
                assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "{} {scope:?} {is_link}", host.name);
                assert_eq!(fs::symlink_metadata(&folder).unwrap().is_symlink(), is_link);
            }
        }
    }
}

#[test]
fn a_folder_that_cannot_be_made_or_named_changes_nothing() {
    let stage = InstallFixture::new();
    let untouched = stage.list_all_files();
    for name in ["two\nlines", "a\u{7}bell"] {
        let options = user_options(&stage, name);
        let fault = InstallPlan::install(HOSTS[0], &stage.environment, InstallScope::User, &options).unwrap_err();
        assert_eq!(fault, InstallError::UnusableFolder { path: options.folders.config.unwrap() });
    }
    assert_eq!(stage.list_all_files(), untouched);
    let taken: PathBuf = stage.environment.home.join("taken");
    fs::write(&taken, "a file").unwrap();
    let untouched = stage.list_all_files();
    let plan =
        InstallPlan::install(HOSTS[0], &stage.environment, InstallScope::User, &user_options(&stage, "taken")).unwrap();
    let fault = plan.apply().unwrap_err().to_string();
    assert_eq!(fault, format!("cannot create the directory `{}`: file exists", taken.display()));
    assert_eq!(stage.list_all_files(), untouched);
}
