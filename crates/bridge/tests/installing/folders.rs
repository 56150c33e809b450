//! Tests the directories in command lines.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use pintle_bridge::HOSTS;
use pintle_bridge::install::{
    InstallError, InstallOptions, InstallPlan, InstallScope, InstalledEntry, installed_entries, is_current, named_dirs,
};
use pintle_host::loader::UserDirs;

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
                    symlink(&real, &dir).unwrap();
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

/// The files and links in a directory and those below it.
fn names_below(dir: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        names.push(entry.file_name().to_string_lossy().into_owned());
        names.extend(names_below(&entry.path()));
    }
    names
}

#[test]
fn what_happened_to_a_folder_in_between_leaves_no_mark_and_no_dangling_link() {
    /// What is in the directory before the installation, and what is removed from it and added to it afterwards.
    const CASES: [(&[&str], &[&str], &[&str]); 4] =
        [(&[], &[], &[]), (&[], &[], &["history"]), (&["notes"], &["notes"], &[]), (&["notes"], &[], &["history"])];
    for host in HOSTS {
        for (is_link, is_far) in [(false, false), (true, false), (true, true)] {
            for (before, removed, added) in CASES {
                let fixture = InstallFixture::new();
                let dir = fixture.environment.host_dir(InstallScope::User, &host.install.user);
                let far = fixture.environment.root.join("elsewhere");
                let real = if is_far { far } else { dir.with_file_name("elsewhere") };
                let real = if is_link { real } else { dir.clone() };
                fs::create_dir_all(dir.parent().unwrap()).unwrap();
                fs::create_dir(&real).unwrap();
                if is_link {
                    symlink(&real, &dir).unwrap();
                }
                let path = |name: &&str| real.join(name);
                before.iter().map(path).for_each(|path| fs::write(path, "x").unwrap());
                fixture.plan_install(host, InstallScope::User).apply().unwrap();
                removed.iter().map(path).for_each(|path| fs::remove_file(path).unwrap());
                added.iter().map(path).for_each(|path| fs::write(path, "x").unwrap());
                fixture.plan_uninstall(host, InstallScope::User).apply().unwrap();
                let mut left: Vec<&str> = before.iter().filter(|name| !removed.contains(name)).copied().collect();
                left.extend(added);
                let is_kept = is_link || before.is_empty() || !left.is_empty();
                assert_eq!(dir.is_dir(), is_kept, "{} {is_link} {is_far} {before:?}", host.name);
                if is_kept {
                    let mut found = names_below(&dir);
                    found.sort();
                    left.sort_unstable();
                    assert_eq!(found, left, "{} {is_link} {is_far} {before:?}", host.name);
                }
            }
        }
    }
}

#[test]
fn a_link_to_the_settings_is_never_left_dangling() {
    for host in HOSTS {
        let fixture = InstallFixture::new();
        let path = fixture.settings(host, InstallScope::User);
        let real = fixture.environment.home.join("dotfiles/of_the_host");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::create_dir_all(real.parent().unwrap()).unwrap();
        fixture.plan_install(host, InstallScope::User).apply().unwrap();
        // The settings moved, as a person moves them below their dotfiles.
        fs::rename(&path, &real).unwrap();
        symlink(&real, &path).unwrap();
        fixture.plan_uninstall(host, InstallScope::User).apply().unwrap();
        let is_dangling = fs::symlink_metadata(&path).is_ok() && !path.exists();
        assert!(!is_dangling, "{}", host.name);
        assert_eq!(installed_entries(host, &fixture.environment, InstallScope::User).unwrap(), Vec::new());
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
