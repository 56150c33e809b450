use std::fs;

use crate::stage::{Stage, snapshot};

#[test]
fn a_tape_is_shown_as_it_was_written() {
    let stage = Stage::governed();
    let payload = r#"{"name": "run_command", "args": {"command": "mkfs"}}"#;
    let (_, err, status) = stage.pintle(&["fire", "tool.pre", "--tape", "t.jsonl"]).input(payload).parts();
    assert_eq!((err.as_str(), status), ("", Some(2)));
    snapshot!("tape_show", stage.pintle(&["tape", "show", "t.jsonl"]).screen());
    snapshot!("tape_show_brief", stage.pintle(&["tape", "show", "t.jsonl", "--brief"]).screen());
    let (out, _, _) = stage.pintle(&["tape", "show", "t.jsonl", "--json"]).parts();
    assert_eq!(out, fs::read_to_string(stage.path("t.jsonl")).unwrap());
    snapshot!("tape_exists", stage.pintle(&["fire", "tool.pre", "--tape", "t.jsonl"]).input(payload).screen());
}

#[test]
fn what_is_torn_or_no_tape_is_said() {
    let stage = Stage::governed();
    let (_, _, status) = stage.pintle(&["fire", "session.end", "--tape", "t.jsonl"]).parts();
    assert_eq!(status, Some(0));
    let whole = fs::read_to_string(stage.path("t.jsonl")).unwrap();
    let stage = stage.file("torn.jsonl", format!("{whole}{{\"seq\":")).file("words.jsonl", "hello\n");
    snapshot!("tape_torn", stage.pintle(&["tape", "show", "torn.jsonl"]).screen());
    snapshot!("tape_words", stage.pintle(&["tape", "show", "words.jsonl"]).screen());
    snapshot!("tape_missing", stage.pintle(&["tape", "show", "nowhere.jsonl"]).screen());
}
