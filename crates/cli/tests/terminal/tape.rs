use std::fs;

use crate::fixture::{CliFixture, snapshot};
use crate::run::create_tidy_agent;

#[test]
fn a_tape_is_shown_as_it_was_written() {
    let fixture = CliFixture::with_guards();
    let payload = r#"{"name": "run_command", "args": {"command": "mkfs"}}"#;
    let (_, err, status) =
        fixture.pintle(&["fire", "tool.pre", ".", "--tape", "t.jsonl"]).with_input(payload).run_to_parts();
    assert_eq!((err.as_str(), status), ("", Some(2)));
    snapshot!("tape_show", fixture.pintle(&["tape", "show", "t.jsonl"]).run_to_screen());
    snapshot!("tape_show_brief", fixture.pintle(&["tape", "show", "t.jsonl", "--brief"]).run_to_screen());
    let (out, _, _) = fixture.pintle(&["tape", "show", "t.jsonl", "--json"]).run_to_parts();
    assert_eq!(out, fs::read_to_string(fixture.path("t.jsonl")).unwrap());
    snapshot!(
        "tape_exists",
        fixture.pintle(&["fire", "tool.pre", ".", "--tape", "t.jsonl"]).with_input(payload).run_to_screen()
    );
}

#[test]
fn what_is_torn_or_no_tape_is_said() {
    let fixture = CliFixture::with_guards();
    let (_, _, status) = fixture.pintle(&["fire", "session.end", ".", "--example", "--tape", "t.jsonl"]).run_to_parts();
    assert_eq!(status, Some(0));
    let whole = fs::read_to_string(fixture.path("t.jsonl")).unwrap();
    let fixture = fixture.with_file("torn.jsonl", format!("{whole}{{\"seq\":")).with_file("words.jsonl", "hello\n");
    snapshot!("tape_torn", fixture.pintle(&["tape", "show", "torn.jsonl"]).run_to_screen());
    snapshot!("tape_words", fixture.pintle(&["tape", "show", "words.jsonl"]).run_to_screen());
    snapshot!("tape_missing", fixture.pintle(&["tape", "show", "nowhere.jsonl"]).run_to_screen());
}

#[test]
fn a_tape_is_verified() {
    let fixture = CliFixture::with_guards();
    let payload = r#"{"name": "run_command", "args": {"command": "mkfs"}}"#;
    let (_, _, status) =
        fixture.pintle(&["fire", "tool.pre", ".", "--tape", "t.jsonl"]).with_input(payload).run_to_parts();
    assert_eq!(status, Some(2));
    snapshot!("tape_verify", fixture.pintle(&["tape", "verify", "t.jsonl"]).run_to_screen());
    let whole = fs::read_to_string(fixture.path("t.jsonl")).unwrap();
    let (out, _, _) = fixture.pintle(&["tape", "export", "t.jsonl"]).run_to_parts();
    // The list of hooks is the only value that records refer to, and all have the origin of the first.
    let blobs: Vec<&str> = whole.lines().filter(|line| line.contains("\"blobs\":[")).collect();
    assert_eq!((blobs.len(), out.lines().count()), (1, whole.lines().count()));
    let same = out.lines().filter(|line| whole.lines().any(|known| known == *line)).count();
    assert_eq!(same, out.lines().count() - 1, "the list of hooks is back in its record");

    let lines: Vec<&str> = whole.lines().collect();
    let veto = lines.iter().position(|line| line.contains("hook_vetoed")).unwrap();
    let without = [&lines[..veto], &lines[veto + 1..]].concat().join("\n") + "\n";
    let cut = lines[..veto].join("\n") + "\n{\"seq\":";
    let fixture = fixture.with_file("without.jsonl", without).with_file("cut.jsonl", cut);
    let fixture = fixture.with_file("old.jsonl", whole.replace("\"format\":8", "\"format\":1"));
    let (out, _, status) = fixture.pintle(&["tape", "verify", "without.jsonl"]).run_to_parts();
    assert!(out.contains("a veto is missing before it; expected `hook_vetoed`: `deny`"), "{out}");
    assert!(out.contains("a record is missing or was inserted; expected"), "{out}");
    assert_eq!(status, Some(1));
    snapshot!("tape_verify_cut", fixture.pintle(&["tape", "verify", "cut.jsonl"]).run_to_screen());
    snapshot!("tape_verify_json", fixture.pintle(&["tape", "verify", "cut.jsonl", "--json"]).run_to_screen());
    snapshot!("tape_verify_old", fixture.pintle(&["tape", "verify", "old.jsonl"]).run_to_screen());
}

#[test]
fn an_exported_record_is_whole() {
    let fixture = CliFixture::with_guards();
    let text = "x".repeat(3_000);
    let payload = format!(r#"{{"name": "fetch", "args": {{"body": "{text}"}}}}"#);
    let (_, _, status) =
        fixture.pintle(&["fire", "tool.pre", ".", "--tape", "t.jsonl"]).with_input(&payload).run_to_parts();
    assert_eq!(status, Some(0));
    let stored = fs::read_to_string(fixture.path("t.jsonl")).unwrap();
    let (out, _, status) = fixture.pintle(&["tape", "export", "t.jsonl"]).run_to_parts();
    assert!(out.matches(&text).count() > stored.matches(&text).count() && !out.contains("$blob"));
    assert!(stored.contains("\"blobs\":[") && !out.contains("\"blobs\":["));
    assert_eq!((out.lines().count(), status), (stored.lines().count(), Some(0)));
}

#[test]
fn the_tape_of_a_session_is_sound_until_somebody_makes_another_of_it() {
    let fixture = create_tidy_agent();
    let (_, _, status) = fixture.pintle(&["run", "agent", "--quiet", "--tape", "t.jsonl"]).run_to_parts();
    assert_eq!(status, Some(0));
    let (out, err, status) = fixture.pintle(&["tape", "verify", "t.jsonl"]).run_to_parts();
    assert!(out.starts_with("valid and complete"), "{out}{err}");
    assert_eq!((err.as_str(), status), ("", Some(0)));

    // The tool is made to have run with other arguments.
    let text = fs::read_to_string(fixture.path("t.jsonl")).unwrap();
    let ran = text.lines().find(|line| line.contains("\"kind\":\"tool_call\"")).unwrap();
    let other = ran.replace("\"path\":\".\"", "\"path\":\"/\"");
    assert_ne!(ran, other);
    let fixture = fixture.with_file("other.jsonl", text.replace(ran, &other));
    let (out, _, status) = fixture.pintle(&["tape", "verify", "other.jsonl"]).run_to_parts();
    assert!(
        out.contains("`tool_call`: tool `list` runs with {\"path\":\"/\"}; expected \"list\" with {\"path\":\".\"}"),
        "{out}"
    );
    assert_eq!(status, Some(1));
}

#[test]
fn an_auditor_relies_on_a_tape_without_its_keeper() {
    let fixture = create_tidy_agent();
    let witness = fixture.path("witness");
    fs::write(fixture.user_path("config.yaml"), format!("tapes: {{witness: {}}}\n", witness.display())).unwrap();
    let (_, err, status) = fixture.pintle(&["run", "agent", "--quiet", "--tape", "t.jsonl"]).run_to_parts();
    assert_eq!((err.as_str(), status), ("", Some(0)));
    let (key, _, _) = fixture.pintle(&["tape", "key"]).run_to_parts();
    let key = key.trim();
    let fixture = fixture.with_file("keys", format!("# this machine\n{key}\n"));
    let (out, _, _) = fixture.pintle(&["tape", "key", "--json"]).run_to_parts();
    assert!(out.contains(key) && out.contains("machine.key"), "{out}");

    // The agent takes part in one turn.
    let verify = |tape: &str, options: &[&str]| {
        let screen = fixture.pintle(&[&["tape", "verify", tape], options].concat()).run_to_screen();
        let origin = screen.find("pintle.tape/").map(|start| screen[start..][..76].to_owned());
        origin.map_or(screen.clone(), |origin| screen.replace(&origin, "[origin]"))
    };
    snapshot!("tape_verify_key", verify("t.jsonl", &["--key", key]));
    snapshot!("tape_verify_witness", verify("t.jsonl", &["--key", "keys", "--witness", "witness"]));
    let whole = fs::read_to_string(fixture.path("t.jsonl")).unwrap();
    let first_end = whole.find("\"kind\":\"checkpoint\"").unwrap();
    let cut = &whole[..first_end + whole[first_end..].find('\n').unwrap() + 1];
    let fixture = fixture.with_file("cut.jsonl", cut);
    let verify =
        |options: &[&str]| fixture.pintle(&[&["tape", "verify", "cut.jsonl"], options].concat()).run_to_screen();
    snapshot!("tape_verify_witness_cut", verify(&["--witness", "witness"]));
    snapshot!("tape_verify_bad_key", verify(&["--key", "no-such-key"]));
    snapshot!("tape_verify_no_key", verify(&["--key", "witness"]));
    let (out, _, status) = fixture.pintle(&["tape", "verify", "t.jsonl", "--key", key, "--json"]).run_to_parts();
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&report["proof"]["signed"], &report["proof"]["unproved"], status), (&2.into(), &1.into(), Some(0)));

    let (proof, _, status) = fixture.pintle(&["tape", "prove", "t.jsonl", "--record", "7"]).run_to_parts();
    assert_eq!(status, Some(0));
    let fixture =
        fixture.with_file("proof.json", &proof).with_file("other.json", proof.replace("\"index\":7", "\"index\":6"));
    let (out, _, status) = fixture.pintle(&["tape", "verify-proof", "proof.json", "--key", "keys"]).run_to_parts();
    assert!(out.starts_with("proved: record 7, `") && status == Some(0), "{out}");
    snapshot!(
        "tape_verify_proof_other",
        fixture.pintle(&["tape", "verify-proof", "other.json", "--key", key]).run_to_screen()
    );
    snapshot!("tape_prove_missing", fixture.pintle(&["tape", "prove", "t.jsonl", "--record", "900"]).run_to_screen());
    snapshot!("tape_key_help", fixture.pintle(&["tape", "key", "--help"]).run_to_screen());

    // A witness that fails is told, and the run goes on.
    fs::write(fixture.user_path("config.yaml"), "tapes: {witness: /nowhere/at/all}\n").unwrap();
    let (_, err, status) = fixture.pintle(&["run", "agent", "--quiet", "--tape", "u.jsonl"]).run_to_parts();
    assert!(
        err.contains("cannot append a checkpoint to the witness file `/nowhere/at/all`") && status == Some(0),
        "{err}"
    );
}
