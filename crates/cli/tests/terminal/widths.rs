//! What commands show on terminals of 40, 80 and 120 columns.

#![cfg(target_os = "linux")]

use std::fmt::Write as _;

use crate::fixture::{CliFixture, CliInvocation, snapshot};
use crate::hooks::create_used_fixture;
use crate::install::{create_fixture, run_at_home};
use crate::log::{list_entries, mask_screen, pintle};

/// High enough for all that is shown.
const ROWS: u16 = 10_000;

/// Compares the screens of all widths with the snapshot of a name.
fn compare_widths<'a>(name: &str, run: impl Fn() -> CliInvocation<'a>) {
    let mut screens = String::new();
    for columns in [40, 80, 120] {
        let screen = run().run_on_screen(columns, ROWS);
        for line in screen.lines().filter(|line| line.chars().count() > usize::from(columns)) {
            assert!(!line.trim().contains(' '), "`{line}` is wider than {columns} columns");
        }
        writeln!(screens, "[{columns} columns]\n{}", mask_screen(&screen)).unwrap();
    }
    snapshot!(format!("widths_{name}"), screens);
}

#[test]
fn what_is_loaded() {
    let fixture = CliFixture::with_guards().with_file("bad.md", "---\nevent: tool.pre\npriority: very high indeed\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n");
    for (name, arguments) in [
        ("hooks", &["hooks"][..]),
        ("explain", &["explain", "tool.pre"]),
        ("validate", &["validate", "bad.md"]),
        ("events", &["events"]),
        ("packs", &["packs"]),
        ("help", &["--help"]),
        ("help_log", &["log", "--help"]),
        ("first_steps", &[]),
    ] {
        compare_widths(name, || fixture.pintle(arguments));
    }
}

#[test]
fn what_agents_did() {
    let fixture = create_used_fixture();
    let ids: Vec<String> =
        list_entries(&fixture, &[]).iter().map(|entry| entry["id"].as_str().unwrap().to_owned()).collect();
    let why = ["why", &ids[1]];
    for (name, arguments) in [("log", &["log"][..]), ("why", &why), ("hooks_live", &["hooks", "--live"])] {
        compare_widths(name, || pintle(&fixture, arguments));
    }
}

#[test]
fn how_pintle_is_installed() {
    let fixture = create_fixture();
    for (name, arguments) in [
        ("init", &["init", "--dry-run", "--program", "pintle"][..]),
        ("doctor", &["doctor", "claude"]),
        ("install_report", &["install", "claude", "--report"]),
    ] {
        compare_widths(name, || run_at_home(&fixture, arguments));
    }
}

#[test]
fn what_examples_show() {
    let guard = "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return block(\"a person has to agree to this first\")\nexamples:\n  - {call: ls, expect: block}\n  - {call: ls, expect: allow}\n---\n";
    let fixture = CliFixture::new_empty().with_file(".harness/hooks/guard.md", guard);
    compare_widths("test", || fixture.pintle(&["test"]));
}

#[test]
fn what_a_model_says() {
    let turns = "turns:\n  - say: \"I read the whole of it, line by line, and found that each test of the tape holds.\\n\\n    cargo test  -p pintle-tape\\n\\nShall I mend /a/path/that/is/much/longer/than/any/line/of/a/small/screen next?\"\n";
    let fixture = CliFixture::new_empty()
        .with_file(
            "agent/harness.md",
            "---\nname: reader\nmodel:\n  provider: script\n  name: turns.yaml\n---\nRead.\n",
        )
        .with_file("agent/turns.yaml", turns);
    compare_widths("model_text", || fixture.pintle(&["run", "agent", "go", "--quiet"]));
    compare_widths("usage_error", || fixture.pintle(&["run", "agent", "--script", "turns.yaml"]));
}
