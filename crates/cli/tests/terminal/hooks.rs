use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::fixture::{CliFixture, snapshot};
use crate::log::{call_tool, create_fixture, normalized_screen, pintle};

#[test]
fn what_is_loaded() {
    let fixture = CliFixture::with_guards();
    snapshot!("hooks_table", fixture.pintle(&["hooks"]).run_to_screen());
    snapshot!("hooks_json", fixture.pintle(&["hooks", ".harness/hooks/guard.md", "--json"]).run_to_screen());
    snapshot!("hooks_none", CliFixture::new_empty().pintle(&["hooks"]).run_to_screen());
}

/// Matches no call that the agents made.
const UNMATCHED: &str = r#"---
event: tool.pre
priority: 5
when: payload["name"] == "teleport"
script: |
  def handle(event, payload):
      return block("not today")
---
"#;

/// Hears of an event that did not happen.
const UNHEARD: &str = r#"---
event: session.end
script: |
  def handle(event, payload):
      return pass_through()
---
"#;

/// Its condition fails.
const BROKEN_CONDITION: &str = r#"---
event: tool.pre
priority: 1
on_error: open
when: payload["nothing"] == 1
script: |
  def handle(event, payload):
      return block("never")
---
"#;

/// The calls of the log, and some with more hooks.
pub(crate) fn create_used_fixture() -> CliFixture {
    let fixture = create_fixture();
    for (name, text) in [("unmatched", UNMATCHED), ("unheard", UNHEARD), ("broken", BROKEN_CONDITION)] {
        fs::write(fixture.user_path(&format!("hooks/{name}.md")), text.replace("pass_through()", "None")).unwrap();
    }
    for command in ["ls", "mkfs /dev/sdb"] {
        call_tool(&fixture, "claude", "c3", "Bash", &json!({"command": command}));
    }
    fixture
}

fn usage_of(fixture: &CliFixture, arguments: &[&str]) -> Vec<(String, Value)> {
    let arguments: Vec<&str> = ["hooks", "--live", "--json"].into_iter().chain(arguments.iter().copied()).collect();
    let (out, err, status) = pintle(fixture, &arguments).run_to_parts();
    assert_eq!(status, Some(0), "{err}");
    let rows: Vec<Value> = serde_json::from_str(&out).unwrap();
    let row = |row: &Value| {
        let usage = &row["usage"];
        let counts = ["eligible", "matched", "run", "failed"].map(|name| usage[name].clone());
        (row["hook"].as_str().unwrap().to_owned(), json!([counts, usage["verdicts"]]))
    };
    rows.iter().map(row).collect()
}

#[test]
fn the_hooks_of_recorded_sessions_are_counted() {
    let fixture = create_used_fixture();
    let screen = normalized_screen(&fixture, &["hooks", "--live"]);
    snapshot!("hooks_live", screen);
    let rows = pintle(&fixture, &["hooks", "--live"]).run_to_parts().0;
    assert!(rows.lines().all(|line| line.chars().count() <= 80), "{rows}");
    snapshot!("hooks_live_help", fixture.pintle(&["hooks", "--help"]).run_to_screen());
    snapshot!("hooks_filter_without_live", fixture.pintle(&["hooks", "--since", "7d"]).run_to_screen());
    let counts = |hook: &str, counts: [u64; 4], verdicts: Value| (hook.to_owned(), json!([counts, verdicts]));
    let mut all = usage_of(&fixture, &[]);
    all.sort_by(|one, other| one.0.cmp(&other.0));
    let expected = [
        counts("broken", [2, 0, 0, 2], json!({})),
        counts("guard", [9, 9, 9, 1], json!({"pass": 3, "ask": 2, "deny": 2, "rewrite": 1})),
        counts("unheard", [0, 0, 0, 0], json!({})),
        counts("unmatched", [2, 0, 0, 0], json!({})),
    ];
    assert_eq!(all, expected);
    let of_codex = usage_of(&fixture, &["--host", "codex"]);
    assert!(of_codex.contains(&counts("guard", [1, 1, 1, 0], json!({"ask": 1}))), "{of_codex:?}");
    assert!(of_codex.contains(&counts("unmatched", [0, 0, 0, 0], json!({}))), "{of_codex:?}");
    let later = usage_of(&fixture, &["--since", "2999-01-01"]);
    assert!(later.contains(&counts("guard", [0, 0, 0, 0], json!({}))), "{later:?}");
    let shop = fixture.path("shop").display().to_string();
    assert_eq!(usage_of(&fixture, &["--project", &shop, "--since", "2d"]), usage_of(&fixture, &[]));
}

#[test]
fn counts_are_made_again_from_the_tapes_and_go_with_them() {
    let fixture = create_used_fixture();
    let before = usage_of(&fixture, &[]);
    fs::remove_file(fixture.user_path("log.sqlite")).unwrap();
    assert_eq!(usage_of(&fixture, &[]), before);
    for entry in fs::read_dir(fixture.user_path("bridge/claude/c3")).unwrap() {
        let file = File::options().write(true).open(entry.unwrap().path()).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(2 * 86_400)).unwrap();
    }
    let (_, err, status) = pintle(&fixture, &["sessions", "prune", "--older-than", "1", "--yes"]).run_to_parts();
    assert_eq!(status, Some(0), "{err}");
    let after = usage_of(&fixture, &[]);
    assert!(after.iter().any(|(hook, counts)| hook == "unmatched" && counts[0] == json!([0, 0, 0, 0])), "{after:?}");
}
