use std::fs;

use crate::fixture::{CliFixture, snapshot};

const AGENT: &str = "---\nname: tidy\nmodel: {provider: script, name: script.yaml}\n---\nYou keep this folder tidy.\n";

const SCRIPT: &str = r#"
turns:
  - calls: [{tool: list, args: {path: .}}]
  - say: All is tidy.
  - expect: {contains: and now}
    say: It still is.
"#;

/// An agent with one session behind it, called `20260101-120000-001`.
fn create_fixture() -> CliFixture {
    let fixture = CliFixture::with_guards().with_file("harness.md", AGENT).with_file("script.yaml", SCRIPT);
    let tape = format!(".pintle/tapes/{ID}.jsonl");
    let (_, err, status) = fixture.pintle(&["run", ".", "Clean up, please.", "--tape", &tape]).run_to_parts();
    assert_eq!(status, Some(0), "{err}");
    fixture
}

const ID: &str = "20260101-120000-001";

/// The screen without what is another from run to run.
fn normalize_screen(screen: &str, fixture: &CliFixture) -> String {
    let root = fs::canonicalize(fixture.path(".")).unwrap().display().to_string();
    let screen = screen.replace(&root, "[folder]").replace(ID, "[id]");
    let size = |word: &str| word.len() < 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let is_size = |index: usize| matches!(words.get(index + 1), Some(&("kB" | "B" | "s")));
        let shown =
            words.iter().enumerate().map(|(index, word)| if size(word) && is_size(index) { "[n]" } else { word });
        shown.collect::<Vec<_>>().join(" ")
    };
    screen.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn sessions_are_listed_and_go_on() {
    let fixture = create_fixture();
    let screen = |arguments: &[&str]| normalize_screen(&fixture.pintle(arguments).run_to_screen(), &fixture);
    snapshot!("sessions_list", screen(&["sessions"]));
    snapshot!("sessions_nothing_left", screen(&["run", "--resume", "last"]));
    snapshot!("sessions_resume", screen(&["run", "--resume", "2026", "and now?"]));
    snapshot!("sessions_list_after", screen(&["sessions", "list"]));
    let (out, _, status) = fixture.pintle(&["sessions", "--json"]).run_to_parts();
    let listed: serde_json::Value = serde_json::from_str(&out).unwrap();
    let shown = ["id", "agent", "turns", "last_prompt", "state", "error"].map(|field| listed[0][field].clone());
    let expected = serde_json::json!([ID, "tidy", 2, "and now?", "ended", null]);
    assert_eq!((status, serde_json::json!(shown)), (Some(0), expected));
}

#[test]
fn a_session_that_cannot_go_on_says_why() {
    let fixture = create_fixture();
    let screen = |arguments: &[&str]| normalize_screen(&fixture.pintle(arguments).run_to_screen(), &fixture);
    snapshot!("sessions_unknown", screen(&["run", "--resume", "20260101-120000-002"]));
    snapshot!("sessions_no_tape", screen(&["run", "--resume", "gone.jsonl"]));
    snapshot!("sessions_shadow", screen(&["run", "--resume", "last", "more", "--shadow"]));
    fs::remove_file(fixture.path("harness.md")).unwrap();
    fs::remove_dir_all(fixture.path(".harness")).unwrap();
    let elsewhere = CliFixture::new_empty();
    let tape = fixture.path(&format!(".pintle/tapes/{ID}.jsonl")).display().to_string();
    let moved = elsewhere.path("moved.jsonl");
    fs::write(&moved, fs::read_to_string(&tape).unwrap()).unwrap();
    drop(fixture);
    let (_, err, status) = elsewhere.pintle(&["run", "--resume", "moved.jsonl", "more"]).run_to_parts();
    assert_eq!(status, Some(3), "{err}");
    assert!(err.contains("was not started on this machine, so its tape is not trusted; it names the agent `"), "{err}");
}

#[test]
fn a_session_is_called_as_its_tape_is_found() {
    let fixture = CliFixture::new_empty().with_file("tidy/harness.md", AGENT).with_file("tidy/script.yaml", SCRIPT);
    let (_, err, status) = fixture.pintle(&["run", "tidy", "go", "--tape", "odd.jsonl"]).run_to_parts();
    assert_eq!(status, Some(0), "{err}");
    let (_, err, status) = fixture.pintle(&["run", "--resume", "odd.jsonl"]).run_to_parts();
    assert!(status == Some(3) && err.contains("add a prompt: `pintle run --resume odd.jsonl "), "{err}");
    fs::remove_dir_all(fixture.path("tidy")).unwrap();
    let (_, err, status) = fixture.pintle(&["run", "--resume", "odd.jsonl", "and now?"]).run_to_parts();
    assert!(status == Some(3) && err.contains("`pintle run AGENT --resume odd.jsonl`"), "{err}");
}

#[test]
fn the_last_session_is_that_of_an_agent_that_was_run_from_here() {
    let fixture = CliFixture::new_empty().with_file("tidy/harness.md", AGENT).with_file("tidy/script.yaml", SCRIPT);
    let resume = |words: &[&'static str]| fixture.pintle(&[&["run", "-q", "--resume"], words].concat()).run_to_parts();
    let (_, err, status) = resume(&["last", "more"]);
    assert!(status == Some(3) && err.contains("no sessions in `./.pintle/tapes`"), "{err}");
    let (_, err, status) = fixture.pintle(&["run", "tidy", "go"]).run_to_parts();
    assert_eq!(status, Some(0), "{err}");
    let (_, err, status) = resume(&["last", "and now?"]);
    assert!(!err.contains("no sessions"), "{err}");
    let (_, by_name, _) = fixture.pintle(&["run", "-q", "tidy", "--resume", "last", "and now?"]).run_to_parts();
    assert!(status.is_some() && !by_name.contains("no sessions"), "{by_name}");
    assert_eq!(fs::read_dir(fixture.path("tidy/.pintle/tapes")).unwrap().count(), 1, "it is one session");
}

#[test]
fn a_tape_that_cannot_be_read_is_invalid_input() {
    let odd = "{\"format\":\"pintle-tape/999\"}\n";
    for (text, said) in [("", "empty"), ("{}\n", "line 1"), ("{\"seq\":0,", ""), ("no json\n", ""), (odd, "")] {
        let fixture = CliFixture::new_empty().with_file("t.jsonl", text);
        for command in [&["run", "--resume", "t.jsonl", "more"][..], &["replay", "t.jsonl"]] {
            let (_, err, status) = fixture.pintle(command).run_to_parts();
            assert!(status == Some(3) && err.contains(said), "{text:?} {command:?} {status:?}: {err}");
        }
    }
}

/// What a tape keeps of how its session was opened.
fn recorded_setup(tape: &std::path::Path) -> serde_json::Value {
    let text = fs::read_to_string(tape).unwrap();
    let session = text.lines().find(|line| line.contains("\"kind\":\"session\"")).unwrap();
    let record: serde_json::Value = serde_json::from_str(session).unwrap();
    record.get("reopen_data").cloned().unwrap()
}

#[test]
fn the_persona_and_the_answer_of_a_run_are_kept_and_count_for_it_alone() {
    let manifest = "[package]\nname = \"p\"\n[[personas]]\nname = \"nightly\"\n[[personas.steps]]\nname = \"count\"\nprompt = \"count\"\n";
    let fixture = CliFixture::new_empty()
        .with_file("harness.md", AGENT)
        .with_file("script.yaml", SCRIPT)
        .with_file("harn.toml", manifest);
    for (answer, word) in [("--yes", "yes"), ("--no", "no")] {
        let tape = format!("{word}.jsonl");
        let arguments = ["run", ".", "--persona", "nightly", answer, "--tape", &tape];
        let (_, err, status) = fixture.pintle(&arguments).run_to_parts();
        assert_eq!(status, Some(0), "{err}");
        let kept = recorded_setup(&fixture.path(&tape));
        assert_eq!((&kept["persona"], &kept["answer"]), (&"nightly".into(), &word.into()), "{kept}");
    }
    let (_, err, status) = fixture.pintle(&["run", "--resume", "yes.jsonl"]).run_to_parts();
    let expected = "run them again with `pintle run --resume yes.jsonl --persona nightly`, or add a prompt";
    assert!(status == Some(3) && err.contains(expected), "{err}");
    let (out, err, status) = fixture.pintle(&["run", "--resume", "yes.jsonl", "and now?"]).run_to_parts();
    assert!(status == Some(0) && out.contains("It still is."), "{out}{err}");
}

#[test]
fn sessions_are_deleted_when_somebody_says_so() {
    let fixture = create_fixture();
    let screen = |arguments: &[&str]| normalize_screen(&fixture.pintle(arguments).run_to_screen(), &fixture);
    snapshot!("sessions_delete_nobody", screen(&["sessions", "delete", "last"]));
    let tape = fixture.path(&format!(".pintle/tapes/{ID}.jsonl"));
    let held = fs::File::options().write(true).open(&tape).unwrap();
    held.lock().unwrap();
    snapshot!("sessions_delete_at_work", screen(&["sessions", "delete", "last", "--yes"]));
    snapshot!("sessions_running", screen(&["sessions"]));
    snapshot!("sessions_resume_at_work", screen(&["run", "--resume", "last", "more"]));
    drop(held);
    snapshot!("sessions_delete", screen(&["sessions", "delete", "2026", "--yes"]));
    assert!(!tape.exists());
    snapshot!("sessions_none", screen(&["sessions"]));
}

#[test]
fn what_survives_what_can_be_chosen() {
    let fixture = CliFixture::new_empty().with_file("harness.md", AGENT).with_file("script.yaml", SCRIPT);
    for level in ["none", "turn", "record"] {
        let (_, err, status) = fixture.pintle(&["run", ".", "go", "--durability", level]).run_to_parts();
        assert_eq!(status, Some(0), "{level}: {err}");
    }
    let (_, err, status) = fixture.pintle(&["run", ".", "go", "--durability", "trun"]).run_to_parts();
    assert!(status == Some(3) && err.contains("did you mean `turn`?"), "{err}");
}
