//! What packages need of the program: completions, man pages, and where it was installed from.

use std::fs;
use std::process::Command;

use crate::fixture::{CliFixture, snapshot};

#[test]
fn completions_are_scripts_of_their_shell() {
    let fixture = CliFixture::new_empty();
    for (shell, expected) in [
        ("bash", "complete -F _pintle"),
        ("zsh", "#compdef pintle"),
        ("fish", "complete -c pintle"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "set edit:completion"),
    ] {
        let (out, err, status) = fixture.pintle(&["completions", shell]).run_to_parts();
        assert_eq!((err.as_str(), status), ("", Some(0)), "{shell}");
        assert!(out.contains(expected) && out.contains("uninstall"), "{shell}");
    }
    snapshot!("completions_unknown_shell", fixture.pintle(&["completions", "tcsh"]).run_to_screen());
}

#[test]
fn every_command_has_a_man_page() {
    let fixture = CliFixture::new_empty().with_file("man/keep", "");
    let (out, err, status) = fixture.pintle(&["man", "man"]).run_to_parts();
    assert_eq!((out.as_str(), err.as_str(), status), ("", "", Some(0)));
    let page = |name: &str| fs::read_to_string(fixture.path("man").join(name)).unwrap_or_default();
    for name in ["pintle.1", "pintle-init.1", "pintle-tape-show.1", "pintle-update.1"] {
        assert!(page(name).contains(".SH SYNOPSIS"), "{name}");
    }
    assert!(!page("pintle.1").contains("script\\-worker"));
    assert_eq!(page("pintle-script-worker.1") + &page("pintle-man.1"), "");
    snapshot!("man_no_directory", fixture.pintle(&["man", "absent"]).run_to_screen());
}

#[test]
fn update_says_where_the_program_is_from_and_changes_nothing() {
    let fixture = CliFixture::new_empty();
    let (out, err, status) = fixture.pintle(&["update", "--check"]).run_to_parts();
    assert!(out.contains(", built from a checkout: `") && status == Some(0), "{out}{err}");
    assert!(out.ends_with("to update: `git pull`, and build it again\n"), "{out}");
    snapshot!("update", fixture.pintle(&["update"]).run_to_screen());
    // A copy, as from an archive that was unpacked.
    let copy = fixture.copy_program("bin/pintle");
    fs::write(fixture.path(".crates.toml"), "[v1]\n\"pintle-cli 0.1.0\" = [\"pintle\"]\n").unwrap();
    let output = Command::new(&copy).args(["update", "--check", "--json"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(r#""source":"from cargo","update":"`cargo install --locked pintle-cli`""#), "{text}");
}
