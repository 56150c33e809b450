use std::fs;

use crate::run::tidy;
use crate::stage::{Stage, snapshot};

#[test]
fn a_tape_is_shown_as_it_was_written() {
    let stage = Stage::governed();
    let payload = r#"{"name": "run_command", "args": {"command": "mkfs"}}"#;
    let (_, err, status) = stage.pintle(&["fire", "tool.pre", ".", "--tape", "t.jsonl"]).input(payload).parts();
    assert_eq!((err.as_str(), status), ("", Some(2)));
    snapshot!("tape_show", stage.pintle(&["tape", "show", "t.jsonl"]).screen());
    snapshot!("tape_show_brief", stage.pintle(&["tape", "show", "t.jsonl", "--brief"]).screen());
    let (out, _, _) = stage.pintle(&["tape", "show", "t.jsonl", "--json"]).parts();
    assert_eq!(out, fs::read_to_string(stage.path("t.jsonl")).unwrap());
    snapshot!("tape_exists", stage.pintle(&["fire", "tool.pre", ".", "--tape", "t.jsonl"]).input(payload).screen());
}

#[test]
fn what_is_torn_or_no_tape_is_said() {
    let stage = Stage::governed();
    let (_, _, status) = stage.pintle(&["fire", "session.end", ".", "--example", "--tape", "t.jsonl"]).parts();
    assert_eq!(status, Some(0));
    let whole = fs::read_to_string(stage.path("t.jsonl")).unwrap();
    let stage = stage.file("torn.jsonl", format!("{whole}{{\"seq\":")).file("words.jsonl", "hello\n");
    snapshot!("tape_torn", stage.pintle(&["tape", "show", "torn.jsonl"]).screen());
    snapshot!("tape_words", stage.pintle(&["tape", "show", "words.jsonl"]).screen());
    snapshot!("tape_missing", stage.pintle(&["tape", "show", "nowhere.jsonl"]).screen());
}

#[test]
fn a_tape_is_verified() {
    let stage = Stage::governed();
    let payload = r#"{"name": "run_command", "args": {"command": "mkfs"}}"#;
    let (_, _, status) = stage.pintle(&["fire", "tool.pre", ".", "--tape", "t.jsonl"]).input(payload).parts();
    assert_eq!(status, Some(2));
    snapshot!("tape_verify", stage.pintle(&["tape", "verify", "t.jsonl"]).screen());
    let whole = fs::read_to_string(stage.path("t.jsonl")).unwrap();
    let (out, _, _) = stage.pintle(&["tape", "export", "t.jsonl"]).parts();
    assert_eq!(out, whole, "nothing in it is kept elsewhere");

    let lines: Vec<&str> = whole.lines().collect();
    let veto = lines.iter().position(|line| line.contains("hook_vetoed")).unwrap();
    let without = [&lines[..veto], &lines[veto + 1..]].concat().join("\n") + "\n";
    let cut = lines[..veto].join("\n") + "\n{\"seq\":";
    let stage = stage.file("without.jsonl", without).file("cut.jsonl", cut);
    let stage = stage.file("old.jsonl", whole.replace("\"format\":4", "\"format\":1"));
    let (out, _, status) = stage.pintle(&["tape", "verify", "without.jsonl"]).parts();
    assert!(out.contains("a veto is missing before it; expected `hook_vetoed`: `deny`"), "{out}");
    assert!(out.contains("a record is missing, or was put in; expected"), "{out}");
    assert_eq!(status, Some(1));
    snapshot!("tape_verify_cut", stage.pintle(&["tape", "verify", "cut.jsonl"]).screen());
    snapshot!("tape_verify_json", stage.pintle(&["tape", "verify", "cut.jsonl", "--json"]).screen());
    snapshot!("tape_verify_old", stage.pintle(&["tape", "verify", "old.jsonl"]).screen());
}

#[test]
fn an_exported_record_is_whole() {
    let stage = Stage::governed();
    let text = "x".repeat(3_000);
    let payload = format!(r#"{{"name": "fetch", "args": {{"body": "{text}"}}}}"#);
    let (_, _, status) = stage.pintle(&["fire", "tool.pre", ".", "--tape", "t.jsonl"]).input(&payload).parts();
    assert_eq!(status, Some(0));
    let stored = fs::read_to_string(stage.path("t.jsonl")).unwrap();
    let (out, _, status) = stage.pintle(&["tape", "export", "t.jsonl"]).parts();
    assert!(out.matches(&text).count() > stored.matches(&text).count() && !out.contains("$blob"));
    let blobs = stored.matches("\"kind\":\"blob\"").count();
    assert!(blobs > 0);
    assert_eq!((out.lines().count(), status), (stored.lines().count() - blobs, Some(0)));
}

#[test]
fn the_tape_of_a_session_is_sound_until_somebody_makes_another_of_it() {
    let stage = tidy();
    let (_, _, status) = stage.pintle(&["run", "agent", "--quiet", "--tape", "t.jsonl"]).parts();
    assert_eq!(status, Some(0));
    let (out, err, status) = stage.pintle(&["tape", "verify", "t.jsonl"]).parts();
    assert!(out.starts_with("sound and whole"), "{out}{err}");
    assert_eq!((err.as_str(), status), ("", Some(0)));

    // The tool is made to have run with other arguments.
    let text = fs::read_to_string(stage.path("t.jsonl")).unwrap();
    let ran = text.lines().find(|line| line.contains("\"kind\":\"tool_call\"")).unwrap();
    let other = ran.replace("\"path\":\".\"", "\"path\":\"/\"");
    assert_ne!(ran, other);
    let stage = stage.file("other.jsonl", text.replace(ran, &other));
    let (out, _, status) = stage.pintle(&["tape", "verify", "other.jsonl"]).parts();
    assert!(
        out.contains("`tool_call`: tool `list` runs with {\"path\":\"/\"}; expected \"list\" with {\"path\":\".\"}"),
        "{out}"
    );
    assert_eq!(status, Some(1));
}
