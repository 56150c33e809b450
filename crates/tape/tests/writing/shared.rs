//! What a line leaves to the lines before it: its origin and its large values.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pintle_contract::{Event, EventCause, EventName, Journal, Origin};
use pintle_tape::replay::{DifferenceKind, ReplayOptions, replay};
use pintle_tape::verify::verify_bytes;
use pintle_tape::{HeaderRecord, RecordBody, Tape, read_bytes};
use serde_json::{Value, json};

use crate::writing::fixture::WritingTickingClock;

fn origin(session: &str, turn: u32, run: &str) -> Origin {
    let (session, run) = (session.to_owned(), run.to_owned());
    Origin { session, turn, agent: String::from("root"), run, ..Origin::default() }
}

fn new_tape() -> Tape {
    Tape::in_memory(HeaderRecord::new("s1", 1), Arc::new(WritingTickingClock::default()))
}

fn fire(tape: &Tape, origin: &Origin, payload: Value) {
    let name = EventName::parse("custom.seen").unwrap();
    tape.record_without_hooks(&Event::new(name, payload, Arc::new(origin.clone())), EventCause::default());
}

fn origins_of(text: &str) -> Vec<Origin> {
    let events = read_bytes(text.as_bytes()).unwrap().records.into_iter().filter_map(|record| match record.body {
        RecordBody::Event(fired) => Some(fired.origin.into_owned()),
        _ => None,
    });
    events.collect()
}

fn assert_sound(text: &str) {
    assert_eq!(verify_bytes(text.as_bytes()).unwrap().findings, []);
    let replayed = replay(text.as_bytes(), &ReplayOptions::default()).unwrap();
    assert!(replayed.difference.is_none() && replayed.tape == text.as_bytes(), "{:?}", replayed.difference);
}

/// A tape of events with these origins.
fn tape_of(origins: &[Origin]) -> String {
    let tape = new_tape();
    origins.iter().for_each(|origin| fire(&tape, origin, json!({"text": "x".repeat(2_000)})));
    tape.lines().join("\n") + "\n"
}

#[test]
fn origin_is_written_where_it_changes() {
    let (first, child, second) = (origin("s1", 1, ""), origin("s1", 1, "r1"), origin("s2", 1, ""));
    let all = [&first, &first, &child, &child, &first, &second, &second, &first].map(Origin::clone);
    let text = tape_of(&all);
    assert_eq!(origins_of(&text), all);
    assert_eq!(text.matches("\"origin\":{").count(), 5);
    assert_sound(&text);
}

#[test]
fn continued_tape_knows_its_last_origin() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.jsonl");
    let clock = || Arc::new(WritingTickingClock::default());
    let header = || HeaderRecord::new("s1", 1);
    let (first, second) = (origin("s1", 1, ""), origin("s2", 1, ""));
    let text = |path: &Path| fs::read_to_string(path).unwrap();
    let tape = Tape::create(&path, header(), clock()).unwrap();
    fire(&tape, &first, json!(1));
    let end = tape.cursor().unwrap();
    drop(tape);
    // The position is stored beside the tape.
    let end = serde_json::from_str(&serde_json::to_string(&end).unwrap()).unwrap();
    fire(&Tape::resume_at(&path, &end, clock()).unwrap(), &first, json!(2));
    fire(&Tape::append_to(&path, clock()).unwrap(), &first, json!(3));
    assert_eq!(text(&path).matches("\"origin\":{").count(), 1);
    fire(&Tape::append_to(&path, clock()).unwrap(), &second, json!(4));
    // What is behind the position is removed, with its origin.
    fire(&Tape::rewind_to(&path, &end, clock()).unwrap(), &first, json!(2));
    assert_eq!(origins_of(&text(&path)), [first.clone(), first.clone()]);
    // A branch has its origins itself, and loses those that the tape has.
    let branch = Tape::create_branch(dir.path().join("branch"), &end, header(), clock()).unwrap();
    [&first, &first, &second].into_iter().for_each(|origin| fire(&branch, origin, json!("x".repeat(2_000))));
    drop(branch);
    let tape = Tape::append_to(&path, clock()).unwrap();
    tape.merge_branch(dir.path().join("branch"), /*is_interrupted*/ false).unwrap();
    drop(tape);
    let whole = text(&path);
    assert_eq!(origins_of(&whole), [&first, &first, &first, &first, &second].map(Origin::clone));
    assert_eq!(whole.matches("\"origin\":{").count(), 2);
    assert_sound(&whole);
}

#[test]
fn torn_record_leaves_neither_an_origin_nor_a_value() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.jsonl");
    let (first, second) = (origin("s1", 1, ""), origin("s2", 1, ""));
    let value = json!({"text": "z".repeat(2_000)});
    let tape = new_tape();
    fire(&tape, &first, json!(1));
    fire(&tape, &second, value.clone());
    let (before, last) = (tape.lines()[..2].join("\n"), tape.lines()[2].clone());
    assert!(last.contains("\"origin\":{") && last.contains("\"blobs\":["), "{last}");
    // A record that is complete but for its last byte, and text that is no record.
    for torn in [last[..last.len() - 1].to_owned(), last.replace("\"no_hooks\":true", "\"no_hooks\":3")] {
        fs::write(&path, format!("{before}\n{torn}")).unwrap();
        let tape = Tape::append_to(&path, Arc::new(WritingTickingClock::default())).unwrap();
        fire(&tape, &second, value.clone());
        drop(tape);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(origins_of(&text), [first.clone(), second.clone()]);
        assert!(text.contains("\"kind\":\"repaired\""), "{text}");
        assert_sound(&text);
    }
}

/// Where another spelling of a line shows, and how.
fn difference(text: &str) -> (usize, DifferenceKind) {
    let found = replay(text.as_bytes(), &ReplayOptions::default()).unwrap().difference.unwrap();
    (found.line, found.difference_kind)
}

#[test]
fn another_spelling_of_what_lines_share_is_found() {
    let text = tape_of(&[origin("s1", 1, ""), origin("s1", 1, ""), origin("s2", 1, "")]);
    let lines: Vec<&str> = text.lines().collect();
    let written = &lines[1][lines[1].find("\"origin\"").unwrap()..lines[1].find("\"blobs\"").unwrap()];
    let with = |index: usize, line: String| {
        let mut changed = lines.clone();
        changed[index] = &line;
        assert_ne!(changed, lines);
        changed.join("\n") + "\n"
    };
    let swapped = |line: &str| line.replace("\"session\":\"s1\",\"turn\":1", "\"turn\":1,\"session\":\"s1\"");
    let cases = [
        // An origin that the record before has, too.
        (2, with(2, lines[2].replace("\"kind\"", &format!("{written}\"kind\"")))),
        (1, with(1, lines[1].replace(written, &written.repeat(2)))),
        (1, with(1, swapped(lines[1]))),
        (1, with(1, lines[1].replace("\"depth\":0", "\"depth\":0,\"run\":\"\""))),
        (1, with(1, lines[1].replace("\"depth\":0", "\"depth\":0,\"other\":\"\""))),
        (1, with(1, lines[1].replace(written, "").replace("\"kind\"", &format!("{written}\"kind\"")))),
        (1, with(1, lines[1].replace("\"blobs\":[", "\"blobs\":[ "))),
        (1, with(1, lines[1].replace("{\"value\":", "{\"value\": "))),
        (2, with(2, lines[2].replace("\"kind\"", "\"blobs\":[],\"kind\""))),
    ];
    for (index, changed) in cases {
        assert!(read_bytes(changed.as_bytes()).is_ok(), "{changed}");
        assert_eq!(difference(&changed), (index + 1, DifferenceKind::Encoding), "{changed}");
    }
}

#[test]
fn hostile_lines_are_refused_with_a_reason() {
    let text = tape_of(&[origin("s1", 1, ""), origin("s1", 1, "")]);
    let lines: Vec<&str> = text.lines().collect();
    let (origin_start, blobs_start) = (lines[1].find("\"origin\"").unwrap(), lines[1].find("\"blobs\"").unwrap());
    let kind_start = lines[1].find("\"kind\"").unwrap();
    let (written, blobs) = (&lines[1][origin_start..blobs_start], &lines[1][blobs_start..kind_start]);
    let with = |changes: &[(usize, String)]| {
        let mut changed: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        changes.iter().for_each(|(index, line)| changed[*index].clone_from(line));
        changed.join("\n") + "\n"
    };
    let depth = 40_000;
    let cases = [
        (
            with(&[(1, lines[1].replace(written, ""))]),
            "line 2: a `event` record without `origin`, and none before it has one",
        ),
        (with(&[(1, lines[1].replace(written, "\"origin\":null,"))]), "line 2: "),
        (with(&[(1, lines[1].replace(written, "\"origin\":5,"))]), "line 2: "),
        (with(&[(1, lines[1].replace("\"session\":\"s1\"", "\"session\":1"))]), "line 2: "),
        (with(&[(0, lines[0].replace("\"kind\"", &format!("{written}\"kind\"")))]), "line 1: "),
        // A value behind the record that needs it.
        (
            with(&[(1, lines[1].replace(blobs, "")), (2, lines[2].replace("\"kind\"", &format!("{blobs}\"kind\"")))]),
            "line 2: it refers to blob `",
        ),
        // A value twice, and one that nothing needs.
        (with(&[(2, lines[2].replace("\"kind\"", &format!("{blobs}\"kind\"")))]), "line 3: blob `"),
        (with(&[(0, lines[0].replace("\"kind\"", &format!("{blobs}\"kind\"")))]), "line 1: its blob `"),
        (with(&[(1, lines[1].replace(blobs, &format!("\"blobs\":{},", "[".repeat(depth))))]), "line 2: not JSON"),
        (
            with(&[(1, lines[1].replace(blobs, &format!("\"blobs\":{}{},", "[".repeat(depth), "]".repeat(depth))))]),
            "line 2: ",
        ),
        (with(&[(1, lines[1].replace(blobs, "\"blobs\":{\"value\":1},"))]), "line 2: invalid `blobs`"),
        (
            with(&[(1, lines[1].replace(blobs, &format!("\"blobs\":[{}],", vec!["{\"value\":1}"; depth].join(","))))]),
            "line 2: blob `6b86b273ff34fce19d6b804eff5a3f57` a second time",
        ),
    ];
    for (text, expected) in cases {
        let error = read_bytes(text.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}\n{expected}");
        // Each way to read a tape refuses it.
        assert!(replay(text.as_bytes(), &ReplayOptions::default()).is_err(), "{expected}");
        assert!(verify_bytes(text.as_bytes()).map_or(true, |report| !report.is_valid()), "{expected}");
    }
}

#[test]
fn values_of_a_line_that_is_left_out_come_with_the_next_one_that_needs_them() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tapes");
    let mut count = 0;
    for name in ["docker-agent.jsonl", "governed-agent.jsonl", "lifecycle-hooks.jsonl"] {
        let text = fs::read_to_string(dir.join(name)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for index in (0..lines.len()).filter(|index| lines[*index].contains("\"blobs\":[")) {
            // An event of another name is not fired.
            let Some((head, event)) = lines[index].rsplit_once("\"kind\":\"event\",") else { continue };
            let unknown = format!("{head}\"kind\":\"event\",{}", event.replacen("\"event\":\"", "\"event\":\"no ", 1));
            let mut changed = lines.clone();
            changed[index] = &unknown;
            let replayed = replay((changed.join("\n") + "\n").as_bytes(), &ReplayOptions::default()).unwrap();
            assert_eq!(replayed.difference.map(|difference| difference.line), Some(index + 1));
            let new = read_bytes(&replayed.tape).unwrap_or_else(|error| panic!("{name}, line {}: {error}", index + 1));
            let replayed = replay(&replayed.tape, &ReplayOptions::default()).unwrap();
            assert!(replayed.difference.is_none(), "{name}, line {}: {:?}", index + 1, replayed.difference);
            count += usize::from(new.records.len() < lines.len());
        }
    }
    assert!(count > 10, "{count} lines");
}
