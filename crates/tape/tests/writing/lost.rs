//! Tapes that can no longer be written, and tapes that changed between two processes.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use pintle_tape::{
    HeaderRecord, Record, RecordBody, RecordObserver, Tape, TapeCursor, TapeError, is_being_written, read,
};
use serde_json::json;

use crate::writing::fixture::{WritingTickingClock, fixture_chain, record_dispatch};

fn new_clock() -> Arc<WritingTickingClock> {
    Arc::new(WritingTickingClock::default())
}

fn new_header() -> HeaderRecord {
    HeaderRecord::new("s1", 1_000)
}

/// A change to the tape's file, and the resulting error text.
type TapeFileDamage = (&'static str, fn(&Path));

const CHANGES: [TapeFileDamage; 7] = [
    ("was deleted or moved", |path| fs::remove_file(path).unwrap()),
    ("was deleted or moved", |path| fs::rename(path, path.with_extension("old")).unwrap()),
    ("was deleted or moved", |path| fs::remove_dir_all(path.parent().unwrap()).unwrap()),
    ("was replaced by another file", |path| {
        let bytes = fs::read(path).unwrap();
        fs::remove_file(path).unwrap();
        fs::write(path, bytes).unwrap();
    }),
    ("was truncated: it has 0 bytes, but ", |path| fs::write(path, "").unwrap()),
    ("was truncated: it has 40 bytes, but ", |path| {
        OpenOptions::new().write(true).open(path).unwrap().set_len(40).unwrap()
    }),
    ("was written to by another program: it has ", |path| {
        OpenOptions::new().append(true).open(path).unwrap().write_all(b"x").unwrap();
    }),
];

#[derive(Debug, Default)]
struct TapeEndObserver {
    records: Mutex<usize>,
    errors: Mutex<Vec<String>>,
}

impl RecordObserver for TapeEndObserver {
    fn on_record(&self, _record: &Record<'_>, _line: &str) {
        *self.records.lock().unwrap() += 1;
    }

    fn on_error(&self, error: &TapeError) {
        self.errors.lock().unwrap().push(error.to_string());
    }
}

#[test]
#[cfg(unix)]
fn a_file_that_was_closed_meanwhile_must_be_what_was_written() {
    for (expected, change) in [("", (|_| {}) as fn(&Path))].into_iter().chain(CHANGES) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tapes/t.jsonl");
        let tape = Tape::create(&path, new_header(), new_clock()).unwrap();
        tape.release_file();
        assert!(!is_being_written(&path).unwrap());
        change(&path);
        let found = tape.check_file().unwrap_or_default().to_owned();
        tape.record_note("remark", json!(1));
        if expected.is_empty() {
            assert_eq!((found.as_str(), tape.error_text()), ("", None));
            assert!(is_being_written(&path).unwrap());
            assert_eq!(read(&path).unwrap().records.len(), 2);
        } else {
            let is_told = found.contains(expected) || found.contains("was replaced by another file");
            assert!(is_told && tape.error_text().is_some(), "{expected}: {found}");
        }
    }
}

#[test]
#[cfg(unix)]
fn a_file_that_is_not_what_was_written_ends_the_tape_and_is_told_at_once() {
    for (told, change) in CHANGES {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tapes/tape.jsonl");
        let tape = Tape::create(&path, new_header(), new_clock()).unwrap();
        let follower = Arc::new(TapeEndObserver::default());
        tape.observe(follower.clone());
        record_dispatch(&tape);
        assert_eq!(tape.check_file(), None);
        change(&path);
        assert_eq!(tape.error_text(), None, "nobody has looked yet");
        let error = tape.check_file().unwrap().to_owned();
        assert!(error.starts_with(&format!("tape `{}` {told}", path.display())), "{error}");
        let before = *follower.records.lock().unwrap();
        tape.record_note("remark", json!("later"));
        assert_eq!(*follower.records.lock().unwrap(), before + 1, "whoever watches goes on watching");
        assert_eq!(*follower.errors.lock().unwrap(), [error.as_str()], "it is told once");
        assert_eq!(tape.check_file(), Some(error.as_str()), "it stays so");
        assert!(tape.cursor().is_none() && tape.close().is_none() && tape.take_error().is_some());
        let there = fs::read_to_string(&path).unwrap_or_default();
        assert!(!there.contains("later"), "{there}");
    }
}

#[test]
#[cfg(unix)]
fn records_stand_behind_the_end_whatever_was_done_to_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tape.jsonl");
    let tape = Tape::create(&path, new_header(), new_clock()).unwrap();
    record_dispatch(&tape);
    fs::write(&path, "").unwrap();
    tape.record_note("remark", json!(1));
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.starts_with(b"{\"seq\":") && !bytes.contains(&0), "no hole is left");
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_of_tapes_is_its_owners() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a/tapes/tape.jsonl");
    drop(Tape::create(&path, new_header(), new_clock()).unwrap());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
}

#[test]
fn a_file_without_a_whole_header_gets_one_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tape.jsonl");
    for left in ["", "{\"seq\":0,\"at_ms\":1,\"pr"] {
        fs::write(&path, left).unwrap();
        let tape = Tape::open_or_create(&path, new_header(), new_clock()).unwrap();
        record_dispatch(&tape);
        tape.close().unwrap();
        drop(tape);
        let records = read(&path).unwrap().records;
        let [first, second, ..] = records.as_slice() else { panic!("{records:?}") };
        assert!(matches!(first.body, RecordBody::Header(_)), "{first:?}");
        assert!(
            matches!(second.body, RecordBody::Repaired(healed) if healed.line == 1 && healed.size_bytes == left.len() as u64),
            "{second:?}"
        );
    }
    // A complete tape is continued, and a missing one is started.
    let before = read(&path).unwrap().records.len();
    drop(Tape::open_or_create(&path, new_header(), new_clock()).unwrap());
    assert_eq!(read(&path).unwrap().records.len(), before);
    fs::remove_file(&path).unwrap();
    drop(Tape::open_or_create(&path, new_header(), new_clock()).unwrap());
    assert_eq!(read(&path).unwrap().records.len(), 1);
    // A file that is not a tape is not changed.
    fs::write(&path, "my notes\n").unwrap();
    assert!(Tape::open_or_create(&path, new_header(), new_clock()).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "my notes\n");
}

#[test]
fn a_tape_that_lost_records_since_it_was_left_does_not_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tape.jsonl");
    let tape = Tape::create(&path, new_header(), new_clock()).unwrap();
    tape.record_hooks([fixture_chain()]);
    record_dispatch(&tape);
    let cursor = tape.cursor().unwrap();
    drop(tape);
    let cursor: TapeCursor = serde_json::from_str(&serde_json::to_string(&cursor).unwrap()).unwrap();
    let bytes = fs::read(&path).unwrap();
    let ends: Vec<usize> = (1..bytes.len()).filter(|end| bytes[end - 1] == b'\n').collect();
    for end in ends.iter().copied().chain([0, 1, bytes.len() - 1]).filter(|end| *end < bytes.len()) {
        fs::write(&path, &bytes[..end]).unwrap();
        let error = Tape::resume_at(&path, &cursor, new_clock()).unwrap_err();
        assert!(matches!(error, TapeError::CursorLost { .. }), "cut after {end} bytes: {error}");
        assert_eq!(fs::read(&path).unwrap(), bytes[..end], "nothing is added to it");
    }
    // The same size with a different end.
    let mut bent = bytes.clone();
    let last = bytes.len() - 3;
    bent[last] ^= 1;
    fs::write(&path, &bent).unwrap();
    assert!(matches!(Tape::resume_at(&path, &cursor, new_clock()), Err(TapeError::CursorLost { .. })));
    fs::remove_file(&path).unwrap();
    let error = Tape::resume_at(&path, &cursor, new_clock()).unwrap_err().to_string();
    assert!(
        error.ends_with(&format!(
            "it had {} records, and it was deleted; records are missing or were changed",
            cursor.record_count()
        )),
        "{error}"
    );
    assert!(!path.exists());

    // Additional records of a killed process are kept, and a torn record is repaired.
    for more in [String::new(), String::from("{\"seq\":99,\"at")] {
        fs::write(&path, &bytes).unwrap();
        let tape = Tape::resume_at(&path, &cursor, new_clock()).unwrap();
        tape.record_note("remark", json!(1));
        drop(tape);
        OpenOptions::new().append(true).open(&path).unwrap().write_all(more.as_bytes()).unwrap();
        let tape = Tape::resume_at(&path, &cursor, new_clock()).unwrap();
        tape.record_note("remark", json!(2));
        drop(tape);
        let records = read(&path).unwrap().records;
        assert_eq!(records.len() as u64, cursor.record_count() + 2 + u64::from(!more.is_empty()));
    }
}

#[test]
fn time_does_not_go_back_on_a_tape() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tape.jsonl");
    let tape = Tape::create(&path, HeaderRecord::new("s1", 5), Arc::new(WritingTickingClock::default())).unwrap();
    (0..20).for_each(|number| tape.record_note("remark", json!(number)));
    let cursor = tape.cursor().unwrap();
    drop(tape);
    // Another process with a clock that is behind.
    let tape = Tape::resume_at(&path, &cursor, new_clock()).unwrap();
    tape.record_note("remark", json!(0));
    drop(tape);
    let tape = Tape::append_to(&path, new_clock()).unwrap();
    tape.record_note("remark", json!(0));
    drop(tape);
    let times: Vec<u64> = read(&path).unwrap().records.iter().map(|record| record.at_ms).collect();
    assert!(times.is_sorted(), "{times:?}");
}
