use std::fs;

use crate::fixture::{CliFixture, snapshot};

const AGENT: &str = r#"agents:
  root:
    model: openai/gpt-4o
    description: Works on files.
    instruction: Be brief.
    toolsets: [{type: shell}]
    hooks:
      session_start: [{type: builtin, command: snapshot}]
      turn_start: [{type: builtin, command: snapshot}]
      turn_end: [{type: builtin, command: snapshot}]
      session_end: [{type: builtin, command: snapshot}]
"#;

const SCRIPT: &str = r#"turns:
  - calls: [{tool: shell, args: {cmd: "echo two > kept.txt; echo x > 'made one.txt'"}}]
  - calls: [{tool: shell, args: {cmd: "echo three > kept.txt; rm 'made one.txt'; echo y > sub/two.txt"}}]
  - say: Done.
"#;

const RUN: [&str; 8] = ["run", "agent.yaml", "go", "--model", "script:script.yaml", "--yes", "--tape", "t.jsonl"];

/// A folder in which an agent did two pieces of work. What Pintle keeps of it is in the folder too.
fn create_worked_fixture() -> CliFixture {
    let fixture = CliFixture::new_empty().with_file("agent.yaml", AGENT).with_file("script.yaml", SCRIPT);
    let fixture = fixture.with_file("kept.txt", "one\n").with_file("sub/here.txt", "here\n");
    let (_, err, status) = fixture.pintle(&RUN).with_variable("PINTLE_DATA_DIR", "data").run_to_parts();
    assert_eq!(status, Some(0), "{err}");
    fixture
}

fn normalized_screen(fixture: &CliFixture, arguments: &[&'static str]) -> String {
    let arguments: Vec<&str> = ["snapshot"].iter().chain(arguments).copied().collect();
    fixture.pintle(&arguments).with_variable("PINTLE_DATA_DIR", "data").run_to_screen()
}

fn read_file(fixture: &CliFixture, path: &str) -> Option<String> {
    fs::read_to_string(fixture.path(path)).ok()
}

#[test]
fn the_work_of_a_session_is_listed_shown_and_taken_back() {
    let fixture = create_worked_fixture();
    snapshot!("snapshot_list", normalized_screen(&fixture, &["list"]));
    snapshot!("snapshot_diff", normalized_screen(&fixture, &["diff"]));
    snapshot!("snapshot_diff_first", normalized_screen(&fixture, &["diff", "1", "--directory", "sub"]));
    snapshot!("snapshot_diff_nowhere", normalized_screen(&fixture, &["diff", "3"]));
    snapshot!("snapshot_undo", normalized_screen(&fixture, &["undo", "--directory", "sub"]));
    assert_eq!(read_file(&fixture, "kept.txt").as_deref(), Some("two\n"));
    assert_eq!(
        (read_file(&fixture, "made one.txt").as_deref(), read_file(&fixture, "sub/two.txt")),
        (Some("x\n"), None)
    );
    fs::write(fixture.path("kept.txt"), "mine\n").unwrap();
    snapshot!("snapshot_present", normalized_screen(&fixture, &["diff", "1", "--current"]));
    snapshot!("snapshot_undo_edited", normalized_screen(&fixture, &["undo"]));
    assert_eq!(read_file(&fixture, "kept.txt").as_deref(), Some("mine\n"));
    snapshot!("snapshot_undo_forced", normalized_screen(&fixture, &["undo", "--force"]));
    assert_eq!(
        (read_file(&fixture, "kept.txt").as_deref(), read_file(&fixture, "made one.txt")),
        (Some("one\n"), None)
    );
    snapshot!("snapshot_undo_nothing", normalized_screen(&fixture, &["undo"]));
    assert!(read_file(&fixture, "agent.yaml").is_some() && read_file(&fixture, "t.jsonl").is_some());
}

#[test]
fn what_is_not_in_the_snapshots_is_named() {
    let script = "turns:\n  - calls: [{tool: shell, args: {cmd: \"echo two > kept.txt; head -c 3000000 /dev/zero > big.bin; echo x > ignored.txt\"}}]\n  - say: Done.\n";
    let fixture = CliFixture::new_empty().with_file("agent.yaml", AGENT).with_file("script.yaml", script);
    let fixture = fixture.with_file("kept.txt", "one\n").with_file(".gitignore", "ignored.txt\n");
    let (_, err, status) = fixture.pintle(&RUN).with_variable("PINTLE_DATA_DIR", "data").run_to_parts();
    assert_eq!(status, Some(0), "{err}");
    let note = "note: not in the snapshots, so never restored: `big.bin`, `ignored.txt`; git ignores them, or they are above \
                2 MiB, not readable or repositories of their own";
    for arguments in [&["list"][..], &["reset", "0"]] {
        let screen = normalized_screen(&fixture, arguments);
        assert!(screen.contains(note), "{screen}");
    }
    assert_eq!(read_file(&fixture, "kept.txt").as_deref(), Some("one\n"));
}

#[test]
fn the_files_go_back_to_any_snapshot() {
    let fixture = create_worked_fixture();
    snapshot!("snapshot_reset_nothing", normalized_screen(&fixture, &["reset", "7"]));
    snapshot!("snapshot_reset", normalized_screen(&fixture, &["reset", "0"]));
    assert_eq!((read_file(&fixture, "kept.txt").as_deref(), read_file(&fixture, "sub/two.txt")), (Some("one\n"), None));
    snapshot!("snapshot_list_empty", normalized_screen(&fixture, &["list"]));
}

#[test]
fn programs_get_json() {
    let fixture = create_worked_fixture();
    snapshot!("snapshot_json_list", normalized_screen(&fixture, &["list", "--json"]));
    snapshot!("snapshot_json_diff", normalized_screen(&fixture, &["diff", "1", "--json"]));
    snapshot!("snapshot_json_undo", normalized_screen(&fixture, &["undo", "--json"]));
    snapshot!("snapshot_json_reset", normalized_screen(&fixture, &["reset", "1", "--json"]));
}

#[test]
fn a_command_that_is_mistyped_is_told() {
    let fixture = CliFixture::new_empty();
    snapshot!("snapshot_help", normalized_screen(&fixture, &["--help"]));
    snapshot!("snapshot_mistyped", normalized_screen(&fixture, &["und"]));
    snapshot!("snapshot_no_folder", normalized_screen(&fixture, &["list", "--directory", "nowhere"]));
}
