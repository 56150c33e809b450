//! Hooks that read the policy they belong to: the example, and what becomes of it where the policy is not whole.

use std::fs;
use std::path::{Path, PathBuf};

use crate::fixture::CliFixture;

/// The example, copied.
fn copy_example() -> CliFixture {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/meta-policy");
    let mut open = vec![PathBuf::new()];
    let mut fixture = CliFixture::new_empty();
    while let Some(within) = open.pop() {
        for entry in fs::read_dir(dir.join(&within)).unwrap().map(Result::unwrap) {
            let path = within.join(entry.file_name());
            if entry.file_type().unwrap().is_file() {
                fixture = fixture.with_file(path.to_str().unwrap(), fs::read(entry.path()).unwrap());
            } else if ![".pintle", "memory"].iter().any(|own| path.ends_with(own)) {
                open.push(path);
            }
        }
    }
    fixture
}

/// Runs the example; its tape replays and verifies whatever it came to.
fn run_example(fixture: &CliFixture) -> (String, Option<i32>) {
    let _ = fs::remove_file(fixture.path("t.jsonl"));
    let (out, err, status) = fixture.pintle(&["run", ".", "--tape", "t.jsonl"]).run_to_parts();
    fixture.pintle(&["trust", "--yes"]).run_to_parts();
    for check in [&["replay", "t.jsonl"][..], &["tape", "verify", "t.jsonl"], &["replay", "t.jsonl", "--live-hooks"]] {
        let (said, reason, exact) = fixture.pintle(check).run_to_parts();
        assert_eq!(exact, Some(0), "{check:?}: {said}{reason}");
    }
    (out + &err, status)
}

#[test]
fn meta_hook_denies_session_start_when_a_hook_lacks_a_priority() {
    let fixture = copy_example();
    let (said, status) = run_example(&fixture);
    assert_eq!(status, Some(0), "{said}");
    let audit = fs::read_to_string(fixture.path(".harness/hooks/audit_tool_pre.md")).unwrap();
    let fixture = fixture.with_file(".harness/hooks/audit_tool_pre.md", audit.replace("priority: 1\n", ""));
    let (said, status) = run_example(&fixture);
    assert_ne!(status, Some(0), "{said}");
    assert!(said.contains("hook file .harness/hooks/audit_tool_pre.md has no `priority:`"), "{said}");
    assert!(!said.contains("Hello, Ada"), "{said}");
}

#[test]
fn a_session_with_tools_and_no_audit_does_not_begin() {
    let fixture = copy_example();
    fs::remove_file(fixture.path(".harness/hooks/audit_tool_pre.md")).unwrap();
    let (said, status) = run_example(&fixture);
    assert_ne!(status, Some(0), "{said}");
    assert!(said.contains("there are tools and no hook `audit_*` that watches them"), "{said}");
    // What has no tools needs no audit.
    fs::remove_dir_all(fixture.path(".harness/tools")).unwrap();
    fs::remove_file(fixture.path(".harness/hooks/remember_turns.md")).unwrap();
    let (said, _) = run_example(&fixture);
    assert!(!said.contains("there are tools and no hook"), "{said}");
}

#[test]
fn the_tool_of_a_hook_is_audited_as_any_other_and_leaves_its_note() {
    let fixture = copy_example();
    let (said, status) = run_example(&fixture);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(fs::read_to_string(fixture.path("memory/notes.txt")).unwrap(), "Done.\n");
    let tape = fs::read_to_string(fixture.path("t.jsonl")).unwrap();
    assert!(tape.contains("audit.tool.note") && tape.contains("audit.tool.greet"), "{tape}");
}
