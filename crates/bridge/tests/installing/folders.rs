//! The folders that command lines name.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use pintle::loader::UserDirs;
use pintle_bridge::HOSTS;
use pintle_bridge::install::{Entry, InstallFault, Options, Plan, Scope, folders, installed, is_current};

use crate::stage::{Stage, options};

/// What is installed for a person whose own hooks are in this folder of the home.
fn of_person(stage: &Stage, config: &str) -> Options {
    let folder = |name: &str| Some(stage.site.home.join(name));
    Options { folders: UserDirs { config: folder(config), state: folder("state"), managed: None }, ..options("pintle") }
}

#[test]
fn the_folder_of_own_hooks_is_made_before_a_line_names_it_and_stays() {
    for host in HOSTS {
        let stage = Stage::new();
        let own = stage.site.home.join(".config/pintle");
        let plan = |name: &str| Plan::install(host, &stage.site, Scope::User, &of_person(&stage, name)).unwrap();
        assert_eq!(plan(".config/pintle").folder.as_ref(), Some(&own));
        assert!(!own.exists(), "a plan makes nothing");
        assert_eq!(plan(".config/pintle").apply().unwrap().made.as_ref(), Some(&own));
        assert_eq!(fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o700);
        assert!(plan(".config/pintle").is_empty());

        // What is gone is made anew, though no line changes.
        fs::remove_dir(&own).unwrap();
        let again = plan(".config/pintle");
        assert_eq!((again.changes.len(), again.folder.as_ref()), (0, Some(&own)));
        again.apply().unwrap();

        stage.uninstall(host, Scope::User).apply().unwrap();
        assert!(own.is_dir());
        assert_eq!(stage.uninstall(host, Scope::User).folder, None);
    }
}

#[test]
fn a_line_names_its_folders_until_it_is_installed_with_others() {
    for host in HOSTS {
        let stage = Stage::new();
        for config in ["it's mine", "$HOME"] {
            let options = of_person(&stage, config);
            Plan::install(host, &stage.site, Scope::User, &options).unwrap().apply().unwrap();
            let entries: Vec<Entry> = installed(host, &stage.site, Scope::User).unwrap();
            assert!(!entries.is_empty());
            for entry in &entries {
                assert_eq!(folders(host, entry), options.folders, "{}", entry.command);
                assert!(is_current(host, Scope::User, entry), "{}", entry.command);
            }
        }
        // As before there were folders on it.
        stage.install(host, Scope::User).apply().unwrap();
        for entry in installed(host, &stage.site, Scope::User).unwrap() {
            assert_eq!(folders(host, &entry), UserDirs::default());
            assert!(!is_current(host, Scope::User, &entry), "{}", entry.command);
        }
        Plan::install(host, &stage.site, Scope::User, &of_person(&stage, "mine")).unwrap().apply().unwrap();
        stage.uninstall(host, Scope::User).apply().unwrap();
        assert_eq!(installed(host, &stage.site, Scope::User).unwrap(), Vec::new());
    }
}

#[test]
fn an_empty_folder_that_was_there_stays_and_so_does_a_link_to_it() {
    for host in HOSTS {
        for is_link in [false, true] {
            for scope in Scope::ALL {
                let stage = Stage::new();
                let place = if scope == Scope::User { &host.install.user } else { &host.install.project };
                let folder = stage.site.folder(scope, place);
                fs::create_dir_all(folder.parent().unwrap()).unwrap();
                let real = folder.with_file_name("elsewhere");
                if is_link {
                    fs::create_dir(&real).unwrap();
                    std::os::unix::fs::symlink(&real, &folder).unwrap();
                } else {
                    fs::create_dir(&folder).unwrap();
                }
                stage.install(host, scope).apply().unwrap();
                assert!(stage.install(host, scope).is_empty(), "{}", host.name);
                stage.uninstall(host, scope).apply().unwrap();
                assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "{} {scope:?} {is_link}", host.name);
                assert_eq!(fs::symlink_metadata(&folder).unwrap().is_symlink(), is_link);
            }
        }
    }
}

#[test]
fn a_folder_that_cannot_be_made_or_named_changes_nothing() {
    let stage = Stage::new();
    let untouched = stage.everything();
    for name in ["two\nlines", "a\u{7}bell"] {
        let options = of_person(&stage, name);
        let fault = Plan::install(HOSTS[0], &stage.site, Scope::User, &options).unwrap_err();
        assert_eq!(fault, InstallFault::Unwritable { path: options.folders.config.unwrap() });
    }
    assert_eq!(stage.everything(), untouched);
    let taken: PathBuf = stage.site.home.join("taken");
    fs::write(&taken, "a file").unwrap();
    let untouched = stage.everything();
    let plan = Plan::install(HOSTS[0], &stage.site, Scope::User, &of_person(&stage, "taken")).unwrap();
    let fault = plan.apply().unwrap_err().to_string();
    assert_eq!(fault, format!("cannot make the folder `{}`: file exists", taken.display()));
    assert_eq!(stage.everything(), untouched);
}
