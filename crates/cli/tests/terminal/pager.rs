//! The pager: who gets one, and for what.

#![cfg(target_os = "linux")]

use crate::fixture::{CliFixture, CliInvocation};

/// A terminal that `pintle events` does not fit on.
const SMALL: (u16, u16) = (80, 20);

/// Arguments, a screen and variables with which no pager is started.
type UnpagedCase = (&'static [&'static str], (u16, u16), &'static [(&'static str, &'static str)]);

/// A pager that says so.
fn create_fixture() -> CliFixture {
    let fixture = CliFixture::new_empty().with_file("my pager", "#!/bin/sh\necho \"[paged $1]\"\nexec cat\n");
    pintle_testkit::make_executable(fixture.path("my pager"));
    fixture
}

fn pintle<'a>(fixture: &'a CliFixture, arguments: &[&'a str]) -> CliInvocation<'a> {
    let unset = ["CI", "PAGER", "LESS", "PINTLE_PAGER"];
    let run = fixture.pintle(arguments).with_variable("TERM", "xterm");
    unset.into_iter().fold(run, CliInvocation::without_variable)
}

#[test]
fn what_is_longer_than_the_screen_is_shown_by_the_users_pager() {
    let fixture = create_fixture();
    let pager = ("PINTLE_PAGER", "'./my pager' now");
    let whole = pintle(&fixture, &["events"]).with_variable("PAGER", "cat").run_on_screen(80, 20);
    let show = |arguments: &[&'static str], (columns, rows): (u16, u16), variables: &[(&'static str, &'static str)]| {
        let run = pintle(&fixture, arguments).with_variable(pager.0, pager.1);
        variables.iter().fold(run, |run, (name, value)| run.with_variable(name, value)).run_on_screen(columns, rows)
    };
    assert_eq!(show(&["events"], SMALL, &[]), format!("[paged now]\n{whole}"));
    assert_eq!(show(&["events"], SMALL, &[("PAGER", "cat")]), format!("[paged now]\n{whole}"));
    assert!(show(&["log", "--help"], SMALL, &[]).starts_with("[paged now]\nList"));
    assert!(show(&["docs", "packs"], SMALL, &[]).starts_with("[paged now]\nPacks"));
    let unpaged: [UnpagedCase; 8] = [
        (&["events"], (80, 10_000), &[]),
        (&["events", "--no-pager"], SMALL, &[]),
        (&["log", "--help", "--no-pager"], SMALL, &[]),
        (&["events", "--json"], SMALL, &[]),
        (&["events"], SMALL, &[("CI", "true")]),
        (&["events"], SMALL, &[("TERM", "dumb")]),
        (&["events"], SMALL, &[("PINTLE_PAGER", "")]),
        // The environment of an agent may come from the project.
        (&["events"], SMALL, &[("PINTLE_USER_SETUP", ""), ("CLAUDECODE", "1")]),
    ];
    for (arguments, screen, variables) in unpaged {
        let shown = show(arguments, screen, variables);
        assert!(!shown.contains("[paged"), "{arguments:?} {variables:?}: {shown}");
        assert!(arguments.len() > 1 || shown == whole, "{variables:?}: {shown}");
    }
}

#[test]
fn a_pager_that_is_missing_or_left_is_no_error() {
    let fixture = create_fixture();
    let whole = pintle(&fixture, &["events", "--no-pager"]).run_on_screen(80, 20);
    let missing = pintle(&fixture, &["events"]).with_variable("PAGER", "./nothing").run_on_screen(80, 20);
    assert_eq!(missing, whole);
    for pager in ["true", "head -n 1"] {
        let left = pintle(&fixture, &["events"]).with_variable("PAGER", pager).run_on_screen(80, 20);
        assert!(left.lines().count() <= 1, "{left}");
    }
    // What is told beside the output comes when the pager has ended.
    let broken = "---\nevent: tool.pre\nwhen: payload[\"nmae\"] == 1\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n";
    let fixture = fixture.with_file(".harness/hooks/broken.md", broken);
    let shown = pintle(&fixture, &["hooks"]).with_variable("PAGER", "'./my pager'").run_on_screen(80, 3);
    let paged = shown.split_once("[paged ]\n").unwrap_or_else(|| panic!("{shown}")).1;
    assert!(paged.starts_with("broken\n"), "{shown}");
}
