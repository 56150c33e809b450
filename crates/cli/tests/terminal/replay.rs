use std::fs;
use std::path::{Path, PathBuf};

use crate::fixture::{CliFixture, GUARD, snapshot};

const PAYLOAD: &str = r#"{"name": "run_command", "args": {"command": "mkfs"}}"#;

/// A folder with a tape in it, whose hooks are gone.
fn create_taped_fixture() -> CliFixture {
    let fixture = CliFixture::new_empty().with_file(".harness/hooks/guard.md", GUARD);
    let (_, err, status) =
        fixture.pintle(&["fire", "tool.pre", ".", "--tape", "t.jsonl"]).with_input(PAYLOAD).run_to_parts();
    assert_eq!((err.as_str(), status), ("", Some(2)));
    fs::remove_dir_all(fixture.path(".harness")).unwrap();
    fixture
}

fn read_text(fixture: &CliFixture, path: &str) -> String {
    fs::read_to_string(fixture.path(path)).unwrap()
}

#[test]
fn a_tape_comes_out_byte_for_byte_with_its_hooks_gone() {
    let fixture = create_taped_fixture();
    snapshot!("replay_same", fixture.pintle(&["replay", "t.jsonl", "--out", "u.jsonl"]).run_to_screen());
    let (_, err, status) = fixture.pintle(&["replay", "t.jsonl", "--out", "./t.jsonl"]).run_to_parts();
    assert!(status == Some(3) && err.contains("is the tape itself, which is never overwritten"), "{err}");
    assert_eq!(read_text(&fixture, "u.jsonl"), read_text(&fixture, "t.jsonl"));
    snapshot!("replay_json", fixture.pintle(&["replay", "t.jsonl", "--json"]).run_to_screen());
    snapshot!("replay_until", fixture.pintle(&["replay", "t.jsonl", "--until", "4"]).run_to_screen());
    snapshot!("replay_until_nowhere", fixture.pintle(&["replay", "t.jsonl", "--until", "turn:9"]).run_to_screen());
    snapshot!("replay_step_on_a_pipe", fixture.pintle(&["replay", "t.jsonl", "--step"]).run_to_screen());
    snapshot!("replay_missing", fixture.pintle(&["replay", "nowhere.jsonl"]).run_to_screen());
}

#[test]
fn the_records_of_a_stream_are_the_tape() {
    let fixture = CliFixture::new_empty()
        .with_file(
            "agent.yaml",
            "agents:\n  root: {model: script/turns.yaml, description: works, instruction: Work.}\n",
        )
        .with_file("turns.yaml", "prompts: [Go.]\nturns:\n  - say: Done.\n");
    let (out, err, status) = fixture.pintle(&["run", "agent.yaml", "--json", "--tape", "t.jsonl"]).run_to_parts();
    assert_eq!(status, Some(0), "{err}");
    let records: String =
        out.lines().filter(|line| line.starts_with("{\"seq\":")).map(|line| format!("{line}\n")).collect();
    assert_eq!(records, read_text(&fixture, "t.jsonl"));
    let fixture = fixture.with_file("s.jsonl", records);
    assert_eq!(fixture.pintle(&["replay", "s.jsonl"]).run_to_parts().2, Some(0));
}

#[test]
fn what_was_changed_or_cut_is_told() {
    let fixture = create_taped_fixture();
    let tape = read_text(&fixture, "t.jsonl");
    let changed = tape.replace(
        r#""kind":"outcome","dispatch":1,"event":"tool.pre","decision":"deny""#,
        r#""kind":"outcome","dispatch":1,"event":"tool.pre","decision":"allow""#,
    );
    assert_ne!(changed, tape);
    let outcome_end = tape.trim_end().rfind('\n').unwrap() + 1;
    let fixture =
        fixture.with_file("changed.jsonl", changed).with_file("torn.jsonl", tape.get(..outcome_end - 40).unwrap());
    snapshot!("replay_changed", fixture.pintle(&["replay", "changed.jsonl"]).run_to_screen());
    snapshot!("replay_torn", fixture.pintle(&["replay", "torn.jsonl"]).run_to_screen());
}

#[test]
fn the_hooks_of_today_are_held_against_those_of_the_tape() {
    let live = ["replay", "t.jsonl", "--live-hooks"];
    let fixture = create_taped_fixture();
    snapshot!("replay_hooks_gone", fixture.pintle(&live).run_to_screen());
    let fixture = fixture.with_file(".harness/hooks/guard.md", GUARD);
    snapshot!("replay_hooks_same", fixture.pintle(&live).run_to_screen());
    let other = GUARD.replace("not for agents", "not for you").replace("guard.deny", "guard.denied");
    let fixture = fixture.with_file("other/hooks/guard.md", other);
    snapshot!(
        "replay_hooks_other",
        fixture.pintle(&["replay", "t.jsonl", "--live-hooks", "--with", "other/hooks"]).run_to_screen()
    );
    snapshot!(
        "replay_hooks_all",
        fixture.pintle(&["replay", "t.jsonl", "--with", "other/hooks", "--all"]).run_to_screen()
    );
    let fixture = fixture
        .with_file("more/hooks/guard.md", GUARD)
        .with_file("more/hooks/early.md", GUARD.replace("priority: 10", "priority: 1"));
    snapshot!(
        "replay_hooks_new",
        fixture.pintle(&["replay", "t.jsonl", "--with", "more/hooks", "--all"]).run_to_screen()
    );
    snapshot!(
        "replay_hooks_until",
        fixture.pintle(&["replay", "t.jsonl", "--live-hooks", "--until", "3"]).run_to_screen()
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_person_goes_on_dispatch_by_dispatch_and_record_by_record() {
    let fixture = create_taped_fixture().with_file("own/config.yaml", "settings: {}\n");
    let mut terminal = crate::conversation::TerminalProgram::open(&fixture, "replay t.jsonl --step");
    terminal.wait_for_text("q: skip to the end");
    terminal.type_in("\n");
    terminal.wait_for_text("session fire");
    terminal.type_in("r\n");
    terminal.wait_for_text(r#""kind":"hooks""#);
    terminal.type_in("\n");
    terminal.wait_for_text("formatting is not for agents");
    terminal.type_in("q\n");
    let (screen, status) = terminal.end();
    assert!(screen.contains("identical, byte for byte"), "{screen}");
    assert_eq!(status, Some(0));
}

fn old_tapes() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tape/tests/tapes");
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let mut tapes: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    tapes.sort();
    tapes
}

#[test]
fn old_tapes_replay_in_any_time_zone_locale_and_thread_count() {
    let places = [
        ("UTC", "C", "1"),
        ("Pacific/Kiritimati", "tr_TR.UTF-8", "2"),
        ("America/St_Johns", "de_DE.ISO-8859-1", "3"),
        ("Nowhere/Else", "POSIX", "8"),
    ];
    let tapes = old_tapes();
    assert!(tapes.len() >= 8, "{tapes:?}");
    for tape in tapes {
        let bytes = fs::read(&tape).unwrap();
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        for (zone, locale, threads) in places {
            // Nothing but the tape is there.
            let fixture = CliFixture::new_empty().with_file("t.jsonl", &bytes);
            let arguments = ["replay", "t.jsonl", "--out", "u.jsonl", "--threads", threads];
            let run = fixture.pintle(&arguments).with_variable("TZ", zone).with_variable("LC_ALL", locale);
            let (out, err, status) = run.run_to_parts();
            let place = format!("{} in {zone}, {locale}, {threads} threads: {out}{err}", tape.display());
            assert_eq!(status, Some(0), "{place}");
            assert!(out.ends_with("identical, byte for byte\n"), "{place}");
            assert!(fs::read(fixture.path("u.jsonl")).unwrap() == bytes[..whole], "{place}");
        }
    }
}
