//! Tests which agents of a machine are found.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::fmt::Write;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use pintle_bridge::install::InstallScope;
use pintle_bridge::{FoundAgent, HOSTS, find_agents};

use crate::fixture::{InstallFixture, write_file};

/// One line for each agent.
fn table(fixture: &InstallFixture) -> String {
    let root = fixture.environment.root.parent().unwrap().display().to_string();
    let mut text = String::new();
    for found in find_agents(&fixture.environment) {
        let path = |path: &Option<std::path::PathBuf>| {
            path.as_ref().map_or(String::from("-"), |path| path.display().to_string().replace(&root, ""))
        };
        let here = if found.is_here() { "here" } else { "-" };
        let scopes: Vec<&str> = found.installed.iter().map(|scope| scope.as_str()).collect();
        let FoundAgent { host, program, settings_dir, errors, .. } = &found;
        let (program, dir) = (path(program), path(settings_dir));
        let errors: String = errors.iter().map(|error| error.to_string().replace(&root, "")).collect();
        writeln!(text, "{:<12} {here:<5} {program:<14} {dir:<24} {scopes:?} {errors}", host.title).unwrap();
    }
    text
}

fn assert_table(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

#[test]
fn an_agent_is_found_by_its_program_or_by_a_directory_of_its_own() {
    let mut fixture = InstallFixture::new();
    // Other programs have settings there, too.
    write_file(&fixture.environment.home.join(".config/git/config"), "");
    assert_table("agents_none", &table(&fixture));

    let bin = fixture.environment.root.join("bin");
    for (name, mode) in [("claude", 0o755), ("qwen", 0o644)] {
        write_file(&bin.join(name), "#!/bin/sh\nexit 1\n");
        fs::set_permissions(bin.join(name), Permissions::from_mode(mode)).unwrap();
    }
    fixture.environment.variables.insert(String::from("PATH"), bin.display().to_string());
    for dir in [".codex", ".config/opencode", ".cursor"] {
        fs::create_dir_all(fixture.environment.home.join(dir)).unwrap();
    }
    write_file(&fixture.environment.home.join(".gemini"), "a file");
    write_file(&fixture.environment.home.join(".cursor/hooks.json"), "{");
    for (name, scope) in [
        ("claude", InstallScope::Managed),
        ("claude", InstallScope::Project),
        ("codex", InstallScope::User),
        ("opencode", InstallScope::User),
        ("copilot", InstallScope::Project),
    ] {
        let host = HOSTS.iter().find(|host| host.name == name).unwrap();
        fixture.plan_install(host, scope).apply().unwrap();
    }
    let untouched = fixture.list_all_files();
    assert_table("agents", &table(&fixture));
    assert_eq!(fixture.list_all_files(), untouched, "looking changes nothing");
}
