//! Compares the command lines of hosts, byte for byte.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use pintle_bridge::HOSTS;
use pintle_bridge::install::{InstallOptions, InstallPlan, InstallScope, installed_entries};
use pintle_host::loader::UserDirs;

use crate::fixture::{InstallFixture, default_options};

#[test]
fn every_host_gets_lines_that_name_the_persons_folders() {
    // An existing directory, so that none is created.
    let user = UserDirs { config: Some(PathBuf::from("/")), state: Some(PathBuf::from("/s")), managed: None };
    let managed = UserDirs { managed: Some(PathBuf::from("/it's")), ..user.clone() };
    let hooks = vec![PathBuf::from("/rules")];
    let cases = [
        (
            "the person's settings",
            InstallScope::User,
            InstallOptions { folders: user, ..default_options("/opt/pintle") },
        ),
        (
            "with all that can be named",
            InstallScope::User,
            InstallOptions { folders: managed, hooks, ..default_options("/opt/pintle") },
        ),
        (
            "the machine's settings",
            InstallScope::Managed,
            InstallOptions { folders: UserDirs::of_each_account(), ..default_options("/opt/pintle") },
        ),
        ("a project's settings", InstallScope::Project, default_options("pintle")),
    ];
    for host in HOSTS {
        let mut text = String::new();
        for (title, scope, options) in cases.iter().filter(|(_, scope, _)| host.install.location(*scope).is_some()) {
            let fixture = InstallFixture::new();
            InstallPlan::install(host, &fixture.environment, *scope, options).unwrap().apply().unwrap();
            writeln!(text, "== {title}").unwrap();
            for entry in installed_entries(host, &fixture.environment, *scope).unwrap() {
                writeln!(text, "{} ({} ms): {}", entry.event, entry.timeout_ms, entry.command).unwrap();
            }
        }
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(host.name));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("lines", text));
    }
}
