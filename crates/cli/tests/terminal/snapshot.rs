use std::fs;

use crate::stage::{Stage, snapshot};

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
fn worked() -> Stage {
    let stage = Stage::empty().file("agent.yaml", AGENT).file("script.yaml", SCRIPT);
    let stage = stage.file("kept.txt", "one\n").file("sub/here.txt", "here\n");
    let (_, err, status) = stage.pintle(&RUN).environment("PINTLE_DATA_DIR", "data").parts();
    assert_eq!(status, Some(0), "{err}");
    stage
}

fn seen(stage: &Stage, arguments: &[&'static str]) -> String {
    let arguments: Vec<&str> = ["snapshot"].iter().chain(arguments).copied().collect();
    stage.pintle(&arguments).environment("PINTLE_DATA_DIR", "data").screen()
}

fn read(stage: &Stage, path: &str) -> Option<String> {
    fs::read_to_string(stage.path(path)).ok()
}

#[test]
fn the_work_of_a_session_is_listed_shown_and_taken_back() {
    let stage = worked();
    snapshot!("snapshot_list", seen(&stage, &["list"]));
    snapshot!("snapshot_diff", seen(&stage, &["diff"]));
    snapshot!("snapshot_diff_first", seen(&stage, &["diff", "1", "--directory", "sub"]));
    snapshot!("snapshot_diff_nowhere", seen(&stage, &["diff", "3"]));
    snapshot!("snapshot_undo", seen(&stage, &["undo", "--directory", "sub"]));
    assert_eq!(read(&stage, "kept.txt").as_deref(), Some("two\n"));
    assert_eq!((read(&stage, "made one.txt").as_deref(), read(&stage, "sub/two.txt")), (Some("x\n"), None));
    fs::write(stage.path("kept.txt"), "mine\n").unwrap();
    snapshot!("snapshot_present", seen(&stage, &["diff", "1", "--present"]));
    snapshot!("snapshot_undo_edited", seen(&stage, &["undo"]));
    assert_eq!(read(&stage, "kept.txt").as_deref(), Some("mine\n"));
    snapshot!("snapshot_undo_forced", seen(&stage, &["undo", "--force"]));
    assert_eq!((read(&stage, "kept.txt").as_deref(), read(&stage, "made one.txt")), (Some("one\n"), None));
    snapshot!("snapshot_undo_nothing", seen(&stage, &["undo"]));
    assert!(read(&stage, "agent.yaml").is_some() && read(&stage, "t.jsonl").is_some());
}

#[test]
fn the_files_go_back_to_any_snapshot() {
    let stage = worked();
    snapshot!("snapshot_reset_nothing", seen(&stage, &["reset", "7"]));
    snapshot!("snapshot_reset", seen(&stage, &["reset", "0"]));
    assert_eq!((read(&stage, "kept.txt").as_deref(), read(&stage, "sub/two.txt")), (Some("one\n"), None));
    snapshot!("snapshot_list_empty", seen(&stage, &["list"]));
}

#[test]
fn programs_get_json() {
    let stage = worked();
    snapshot!("snapshot_json_list", seen(&stage, &["list", "--json"]));
    snapshot!("snapshot_json_diff", seen(&stage, &["diff", "1", "--json"]));
    snapshot!("snapshot_json_undo", seen(&stage, &["undo", "--json"]));
    snapshot!("snapshot_json_reset", seen(&stage, &["reset", "1", "--json"]));
}

#[test]
fn a_command_that_is_mistyped_is_told() {
    let stage = Stage::empty();
    snapshot!("snapshot_help", seen(&stage, &["--help"]));
    snapshot!("snapshot_mistyped", seen(&stage, &["und"]));
    snapshot!("snapshot_no_folder", seen(&stage, &["list", "--directory", "nowhere"]));
}
