use std::fs;
use std::path::{Path, PathBuf};

use crate::stage::{GUARD, Stage, snapshot};

const PAYLOAD: &str = r#"{"name": "run_command", "args": {"command": "mkfs"}}"#;

/// A folder with a tape in it, whose hooks are gone.
fn taped() -> Stage {
    let stage = Stage::empty().file(".harness/hooks/guard.md", GUARD);
    let (_, err, status) = stage.pintle(&["fire", "tool.pre", ".", "--tape", "t.jsonl"]).input(PAYLOAD).parts();
    assert_eq!((err.as_str(), status), ("", Some(2)));
    fs::remove_dir_all(stage.path(".harness")).unwrap();
    stage
}

fn text(stage: &Stage, path: &str) -> String {
    fs::read_to_string(stage.path(path)).unwrap()
}

#[test]
fn a_tape_comes_out_byte_for_byte_with_its_hooks_gone() {
    let stage = taped();
    snapshot!("replay_same", stage.pintle(&["replay", "t.jsonl", "--out", "u.jsonl"]).screen());
    let (_, err, status) = stage.pintle(&["replay", "t.jsonl", "--out", "./t.jsonl"]).parts();
    assert!(status == Some(3) && err.contains("is the tape itself, which is never written over"), "{err}");
    assert_eq!(text(&stage, "u.jsonl"), text(&stage, "t.jsonl"));
    snapshot!("replay_json", stage.pintle(&["replay", "t.jsonl", "--json"]).screen());
    snapshot!("replay_until", stage.pintle(&["replay", "t.jsonl", "--until", "4"]).screen());
    snapshot!("replay_until_nowhere", stage.pintle(&["replay", "t.jsonl", "--until", "turn:9"]).screen());
    snapshot!("replay_step_on_a_pipe", stage.pintle(&["replay", "t.jsonl", "--step"]).screen());
    snapshot!("replay_missing", stage.pintle(&["replay", "nowhere.jsonl"]).screen());
}

#[test]
fn the_records_of_a_stream_are_the_tape() {
    let stage = Stage::empty()
        .file("agent.yaml", "agents:\n  root: {model: script/turns.yaml, description: works, instruction: Work.}\n")
        .file("turns.yaml", "prompts: [Go.]\nturns:\n  - say: Done.\n");
    let (out, err, status) = stage.pintle(&["run", "agent.yaml", "--json", "--tape", "t.jsonl"]).parts();
    assert_eq!(status, Some(0), "{err}");
    let records: String =
        out.lines().filter(|line| line.starts_with("{\"seq\":")).map(|line| format!("{line}\n")).collect();
    assert_eq!(records, text(&stage, "t.jsonl"));
    let stage = stage.file("s.jsonl", records);
    assert_eq!(stage.pintle(&["replay", "s.jsonl"]).parts().2, Some(0));
}

#[test]
fn what_was_changed_or_cut_is_told() {
    let stage = taped();
    let tape = text(&stage, "t.jsonl");
    let changed = tape.replace(
        r#""kind":"outcome","dispatch":1,"event":"tool.pre","decision":"deny""#,
        r#""kind":"outcome","dispatch":1,"event":"tool.pre","decision":"allow""#,
    );
    assert_ne!(changed, tape);
    let outcome_end = tape.trim_end().rfind('\n').unwrap() + 1;
    let stage = stage.file("changed.jsonl", changed).file("torn.jsonl", tape.get(..outcome_end - 40).unwrap());
    snapshot!("replay_changed", stage.pintle(&["replay", "changed.jsonl"]).screen());
    snapshot!("replay_torn", stage.pintle(&["replay", "torn.jsonl"]).screen());
}

#[test]
fn the_hooks_of_today_are_held_against_those_of_the_tape() {
    let live = ["replay", "t.jsonl", "--live-hooks"];
    let stage = taped();
    snapshot!("replay_hooks_gone", stage.pintle(&live).screen());
    let stage = stage.file(".harness/hooks/guard.md", GUARD);
    snapshot!("replay_hooks_same", stage.pintle(&live).screen());
    let other = GUARD.replace("not for agents", "not for you").replace("guard.deny", "guard.denied");
    let stage = stage.file("other/hooks/guard.md", other);
    snapshot!("replay_hooks_other", stage.pintle(&["replay", "t.jsonl", "--with", "other/hooks"]).screen());
    snapshot!("replay_hooks_all", stage.pintle(&["replay", "t.jsonl", "--with", "other/hooks", "--all"]).screen());
    let stage = stage
        .file("more/hooks/guard.md", GUARD)
        .file("more/hooks/early.md", GUARD.replace("priority: 10", "priority: 1"));
    snapshot!("replay_hooks_new", stage.pintle(&["replay", "t.jsonl", "--with", "more/hooks", "--all"]).screen());
    snapshot!("replay_hooks_until", stage.pintle(&["replay", "t.jsonl", "--live-hooks", "--until", "3"]).screen());
}

#[cfg(target_os = "linux")]
#[test]
fn a_person_goes_on_dispatch_by_dispatch_and_record_by_record() {
    let stage = taped().file("own/config.yaml", "settings: {}\n");
    let mut terminal = crate::conversation::Terminal::open(&stage, "replay t.jsonl --step");
    terminal.wait("q: to the end");
    terminal.type_in("\n");
    terminal.wait("session fire");
    terminal.type_in("r\n");
    terminal.wait(r#""kind":"hooks""#);
    terminal.type_in("\n");
    terminal.wait("formatting is not for agents");
    terminal.type_in("q\n");
    let (screen, status) = terminal.end();
    assert!(screen.contains("identical, byte for byte"), "{screen}");
    assert_eq!(status, Some(0));
}

fn old_tapes() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tape/tests/tapes");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut tapes: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
    tapes.sort();
    tapes
}

#[test]
fn old_tapes_come_out_in_any_time_zone_and_locale_and_on_any_number_of_threads() {
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
            let stage = Stage::empty().file("t.jsonl", &bytes);
            let arguments = ["replay", "t.jsonl", "--out", "u.jsonl", "--threads", threads];
            let run = stage.pintle(&arguments).environment("TZ", zone).environment("LC_ALL", locale);
            let (out, err, status) = run.parts();
            let place = format!("{} in {zone}, {locale}, {threads} threads: {out}{err}", tape.display());
            assert_eq!(status, Some(0), "{place}");
            assert!(out.ends_with("identical, byte for byte\n"), "{place}");
            assert!(fs::read(stage.path("u.jsonl")).unwrap() == bytes[..whole], "{place}");
        }
    }
}
