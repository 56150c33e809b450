//! Settings that are links, as managers of dotfiles make them: what is written goes through the link, which stays.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::fixture::CliFixture;
use crate::install::{create_fixture, run_at_home};

/// A manager of dotfiles: the link, where it leads, and the file in the end.
struct LinkLayout {
    name: &'static str,
    link: &'static str,
    target: &'static str,
    file: &'static str,
}

const LAYOUTS: [LinkLayout; 4] = [
    LinkLayout {
        name: "stow, a link to the directory",
        link: "home/.claude",
        target: "dotfiles/claude/.claude",
        file: "dotfiles/claude/.claude/settings.json",
    },
    LinkLayout {
        name: "stow, a relative link to the file",
        link: "home/.claude/settings.json",
        target: "../../dotfiles/claude/settings.json",
        file: "dotfiles/claude/settings.json",
    },
    LinkLayout {
        name: "chezmoi and others, an absolute link to the file",
        link: "home/.claude/settings.json",
        target: "dotfiles/settings.json",
        file: "dotfiles/settings.json",
    },
    LinkLayout {
        name: "a link to a file that is not there yet",
        link: "home/.claude/settings.json",
        target: "dotfiles/new.json",
        file: "dotfiles/new.json",
    },
];

/// Replaces the settings by a link; gives their text.
fn link(fixture: &CliFixture, layout: &LinkLayout) -> String {
    let before = fs::read_to_string(fixture.path("home/.claude/settings.json")).unwrap();
    let (link, file) = (fixture.path(layout.link), fixture.path(layout.file));
    fs::remove_dir_all(fixture.path("home/.claude")).unwrap();
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    if !layout.file.contains("new") {
        fs::write(&file, &before).unwrap();
    }
    let target = if layout.target.starts_with('.') { layout.target.into() } else { fixture.path(layout.target) };
    symlink(target, link).unwrap();
    before
}

#[test]
fn a_link_to_the_settings_stays_through_install_and_uninstall() {
    for layout in &LAYOUTS {
        let (name, fixture) = (layout.name, create_fixture());
        let before = link(&fixture, layout);
        let (out, err, status) = run_at_home(&fixture, &["init", "--agents", "claude", "--yes"]).run_to_parts();
        assert_eq!(status, Some(0), "{name}: {out}{err}");
        let is_link = |path: &Path| fs::symlink_metadata(path).unwrap().is_symlink();
        assert!(is_link(&fixture.path(layout.link)), "{name}");
        assert!(fs::read_to_string(fixture.path(layout.file)).unwrap().contains("hook claude PreToolUse"), "{name}");
        let (out, err, status) = run_at_home(&fixture, &["doctor", "claude", "--fix", "--yes"]).run_to_parts();
        assert!(err.contains("there is nothing to repair") && status == Some(0), "{name}: {out}{err}");
        run_at_home(&fixture, &["uninstall", "claude", "--yes"]).run_to_parts();
        assert!(is_link(&fixture.path(layout.link)), "{name}");
        let left = fs::read_to_string(fixture.path(layout.file)).unwrap();
        assert_eq!(left.trim(), if layout.file.contains("new") { "{\n}" } else { before.trim() }, "{name}");
    }
}

#[test]
fn settings_that_another_program_makes_are_named_with_what_to_add() {
    let fixture = create_fixture();
    fs::create_dir(fixture.path("home/.codex")).unwrap();
    let settings = fixture.path("home/.claude/settings.json");
    fs::remove_file(&settings).unwrap();
    // As home-manager links to the store of Nix; not even root writes here.
    symlink("/sys/settings.json", &settings).unwrap();
    let (_, err, status) = run_at_home(&fixture, &["init", "--agents", "claude,codex", "--yes"]).run_to_parts();
    assert_eq!(status, Some(1), "{err}");
    let reason = "is a link to `/sys/settings.json`, which cannot be written: permission denied\n";
    assert!(err.contains(reason), "{err}");
    assert!(!err.contains("sudo"), "{err}");
    let codex = fs::read_to_string(fixture.path("home/.codex/hooks.json")).unwrap();
    assert!(codex.contains("hook codex PreToolUse"), "the others are installed: {codex}");
    // What is to be added is what is installed then.
    let (_, own) = err.split_once("add this where that file is made, and run the same command again:\n").unwrap();
    let (own, _) = own.split_once("\n}\n").unwrap();
    fs::remove_file(&settings).unwrap();
    fs::write(&settings, format!("{own}\n}}\n")).unwrap();
    let (out, err, status) = run_at_home(&fixture, &["install", "claude", "--yes"]).run_to_parts();
    assert!(out.contains("already installed") && status == Some(0), "{out}{err}");
}
