//! Tapes that are continued after their program died.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use pintle_contract::{EventCause, Journal, JournalEntry, Outcome};
use pintle_tape::record::RepairedRecord;
use pintle_tape::{Durability, HeaderRecord, LoadedTape, RecordBody, Tape, TapeError, is_being_written, read};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::writing::fixture::{WritingTickingClock, fixture_chain, make_event, record_dispatch};

fn new_clock() -> Arc<WritingTickingClock> {
    Arc::new(WritingTickingClock::default())
}

/// A tape in a file with every feature of a dispatch and a large value.
fn write_tape(path: &Path, durability: Durability) {
    let tape = Tape::create(path, HeaderRecord::new("s1", 1_000), new_clock()).unwrap().with_durability(durability);
    tape.record_hooks([fixture_chain()]);
    record_dispatch(&tape);
    fire(&tape, "x".repeat(2_000));
    assert_eq!(tape.next_request(), 1);
    assert!(tape.take_error().is_none());
}

fn fire(tape: &Tape, text: String) {
    let event = make_event("completion.pre", json!({"text": text}));
    let dispatch = tape.begin_dispatch(&JournalEntry::Event { event: &event, cause: EventCause::default() });
    tape.record(
        dispatch,
        &JournalEntry::Outcome { event: &event, outcome: &Outcome::unchanged(event.payload.clone()) },
    );
}

/// Reads a tape whose chain must be valid.
fn read_valid_tape(path: &Path) -> LoadedTape {
    let (text, reading) = (fs::read_to_string(path).unwrap(), read(path).unwrap());
    assert!(text.ends_with('\n') && reading.torn.is_none());
    let mut prev = None;
    for (index, (line, record)) in text.lines().zip(&reading.records).enumerate() {
        assert_eq!((record.seq, &record.prev), (index as u64, &prev), "line {}", index + 1);
        prev = Some(Sha256::digest(line).iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    }
    reading
}

#[test]
fn a_tape_goes_on_where_it_ended() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tape.jsonl");
    for durability in Durability::ALL {
        let _ = fs::remove_file(&path);
        write_tape(&path, durability);
        let before = read_valid_tape(&path);
        let tape = Tape::append_to(&path, new_clock()).unwrap().with_durability(durability);
        assert_eq!(tape.path(), Some(path.as_path()));
        tape.record_hooks([fixture_chain()]);
        record_dispatch(&tape);
        fire(&tape, "x".repeat(2_000));
        tape.sync();
        assert!(tape.take_error().is_none());
        let after = read_valid_tape(&path);
        assert_eq!(after.records[..before.records.len()], before.records);
        let mut dispatches = Vec::new();
        let mut calls = Vec::new();
        let mut entries = Vec::new();
        for record in &after.records {
            match &record.body {
                RecordBody::Event(fired) => dispatches.push(fired.dispatch),
                RecordBody::HookCall(asked) => calls.push((asked.call, asked.entry)),
                RecordBody::Hooks(loaded) => {
                    entries.extend(loaded.hooks.iter().map(|entry| (entry.chain, entry.entry)))
                }
                _ => {}
            }
        }
        assert_eq!(dispatches, [1, 2, 3, 4, 5, 6]);
        assert_eq!(calls, [(1, 0), (2, 1), (3, 2), (4, 3)]);
        assert_eq!(entries, [(0, 0), (0, 1), (1, 2), (1, 3)]);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches("\"blobs\":[").count(), 1, "what is there is not written again");
        assert_eq!(text.matches("\"origin\":{").count(), 1, "an origin is written when it changes");
        assert_eq!(tape.next_request(), 1, "no request is on the tape");
    }
}

#[test]
fn a_tape_that_was_cut_anywhere_is_healed_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tape.jsonl");
    let tape = Tape::create(&path, HeaderRecord::new("s1", 1_000), new_clock()).unwrap();
    fire(&tape, "x".repeat(1_100));
    drop(tape);
    let bytes = fs::read(&path).unwrap();
    let header_bytes = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    let mut healed = 0;
    // Positions within the header behave alike.
    for end in (0..header_bytes).step_by(9).chain(header_bytes..=bytes.len()) {
        let cut = dir.path().join("cut.jsonl");
        fs::write(&cut, &bytes[..end]).unwrap();
        let tape = match Tape::append_to(&cut, new_clock()) {
            Ok(tape) => tape,
            Err(TapeError::Empty) if end == 0 => continue,
            Err(TapeError::Torn { size_bytes }) if end < header_bytes && size_bytes == end => continue,
            Err(error) => panic!("cut after {end} bytes: {error}"),
        };
        tape.record_note("remark", json!("on"));
        drop(tape);
        let records = read_valid_tape(&cut).records;
        let line_start = bytes[..end].iter().rposition(|byte| *byte == b'\n').map_or(0, |index| index + 1);
        let lines_before = bytes[..end].iter().filter(|byte| **byte == b'\n').count();
        let is_torn = end > line_start && bytes.get(end) != Some(&b'\n');
        let expected = RepairedRecord { line: lines_before as u64 + 1, size_bytes: (end - line_start) as u64 };
        let [.., before, last] = records.as_slice() else { panic!("cut after {end} bytes: {records:?}") };
        assert_eq!(matches!(before.body, RecordBody::Repaired(healed) if healed == expected), is_torn, "{before:?}");
        assert!(matches!(&last.body, RecordBody::Note(note) if *note.data == json!("on")), "{last:?}");
        healed += usize::from(is_torn);
    }
    assert!(healed > 1_000);
}

#[test]
fn a_second_writer_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tape.jsonl");
    let first = Tape::create(&path, HeaderRecord::new("s1", 1_000), new_clock()).unwrap();
    assert!(is_being_written(&path).unwrap());
    let second = Tape::append_to(&path, new_clock()).unwrap_err();
    assert!(matches!(second, TapeError::Busy { .. }), "{second:?}");
    assert_eq!(
        second.to_string(),
        format!(
            "tape `{}` is being written by another session; wait until that session ends, or end it",
            path.display()
        )
    );
    drop(first);
    assert!(!is_being_written(&path).unwrap());
    let second = Tape::append_to(&path, new_clock()).unwrap();
    assert!(matches!(Tape::append_to(&path, new_clock()), Err(TapeError::Busy { .. })));
    drop(second);
    assert!(matches!(is_being_written(dir.path().join("none")), Err(TapeError::Open { .. })));
    assert!(matches!(Tape::append_to(dir.path().join("none"), new_clock()), Err(TapeError::Open { .. })));
}

#[test]
fn a_tape_that_was_changed_does_not_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tape.jsonl");
    write_tape(&path, Durability::None);
    let text = fs::read_to_string(&path).unwrap();
    let error = |text: String| {
        fs::write(&path, &text).unwrap();
        let error = Tape::append_to(&path, new_clock()).unwrap_err().to_string();
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "nothing was touched");
        error
    };
    let changed = error(text.replace("failed closed", "failed openly"));
    assert!(changed.contains(": the previous line was changed or is missing; expected "), "{changed}");
    let lines: Vec<&str> = text.lines().collect();
    let missing = error([&lines[..3], &lines[4..]].concat().join("\n") + "\n");
    assert_eq!(missing, "line 4: `seq` is 4: a record is missing or was inserted; expected 3");
}

#[test]
fn levels_of_durability_have_names() {
    for level in Durability::ALL {
        assert_eq!(level.to_string().parse(), Ok(level));
    }
    let error = "recrod".parse::<Durability>().unwrap_err().to_string();
    assert_eq!(error, "unknown durability `recrod`, expected `none`, `turn` or `record`; did you mean `record`?");
}
