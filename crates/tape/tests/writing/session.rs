//! What the reader and `show` make of a written tape.

use std::sync::Arc;

use pintle_tape::show::{ShowOptions, render_lines};
use pintle_tape::{HeaderRecord, Record, RecordBody, RecordObserver, Tape, TapeError, read, read_bytes};
use sha2::{Digest, Sha256};

use crate::writing::fixture::{WritingTickingClock, fixture_chain, new_tape, read_memory_tape, record_dispatch};

#[test]
fn a_session_reads_well() {
    let tape = new_tape();
    record_dispatch(&tape);
    let reading = read_memory_tape(&tape);
    let shown: Vec<String> = render_lines(&reading, &ShowOptions::default()).iter().map(ToString::to_string).collect();
    let expected = [
        "session s1, pintle 0.1.0",
        "+0.001s  2 hooks loaded",
        "+0.002s  deny     tool.pre run",
        "         shape                     rewrite      12 us  replaces args",
        "             emit custom.seen null",
        "             now -> 5",
        "             context: be careful",
        "             warning: slow",
        "         +0.004s  allow    custom.seen  (no hook)",
        "         guard                     failed       20 ms  error: no network \\u{1b}[2J",
        "             http GET http://a.example: failed: no network",
        "         other  warning: `when` failed",
        "         rewrote args (2 -> 13 bytes): {\"safe\":true}",
        "         guard  failure counts as a deny: failure policy `closed`",
        "+0.014s  a_tool  uuid -> done",
        "+0.015s  remark assistant: I cannot.",
        "+0.016s  note.event 1",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn each_version_of_a_payload_is_written_once() {
    let tape = new_tape();
    record_dispatch(&tape);
    let text = tape.lines().join("\n");
    assert_eq!(
        text.matches(r#""args":{"safe":true}},"#).count() + text.matches(r#""args":{"safe":true}}}"#).count(),
        2
    );
    let reading = read_bytes(text.as_bytes()).unwrap();
    let versions: Vec<(u64, u32, bool)> = reading
        .records
        .iter()
        .filter_map(|record| match &record.body {
            RecordBody::HookCall(asked) => Some((asked.dispatch, asked.payload, asked.value.is_some())),
            RecordBody::Outcome(decided) => Some((decided.dispatch, decided.payload, decided.value.is_some())),
            _ => None,
        })
        .collect();
    assert_eq!(versions, [(1, 0, false), (2, 0, false), (1, 1, true), (1, 1, false)]);
}

#[test]
fn each_record_holds_the_digest_of_the_line_before() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("deep/er/tape.jsonl");
    let tape = Tape::create(&path, HeaderRecord::new("s1", 1_000), Arc::new(WritingTickingClock::default())).unwrap();
    tape.record_hooks([fixture_chain()]);
    record_dispatch(&tape);
    assert!(tape.take_error().is_none());
    let text = std::fs::read_to_string(&path).unwrap();
    let reading = read(&path).unwrap();
    let mut prev = None;
    for (index, (line, record)) in text.lines().zip(&reading.records).enumerate() {
        assert_eq!((record.seq, &record.prev), (index as u64, &prev));
        let digest = Sha256::digest(line.as_bytes());
        prev = Some(digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    }
    let memory = new_tape();
    record_dispatch(&memory);
    assert_eq!(text.lines().collect::<Vec<_>>(), memory.lines());

    let again = Tape::create(&path, HeaderRecord::new("s2", 1_000), Arc::new(WritingTickingClock::default()));
    assert!(matches!(again, Err(TapeError::Exists { .. })), "{again:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn dispatches_of_many_threads_keep_apart() {
    let tape = new_tape();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    record_dispatch(&tape);
                }
            });
        }
    });
    let reading = read_bytes(tape.lines().join("\n").as_bytes()).unwrap();
    let mut hooks_of: std::collections::BTreeMap<u64, Vec<String>> = Default::default();
    for record in &reading.records {
        match &record.body {
            RecordBody::Event(fired) => {
                assert!(hooks_of.insert(fired.dispatch, vec![fired.event.to_string()]).is_none())
            }
            RecordBody::HookReturned(answered) => {
                hooks_of.get_mut(&answered.dispatch).unwrap().push(answered.hook.to_string())
            }
            RecordBody::Outcome(decided) => {
                hooks_of.get_mut(&decided.dispatch).unwrap().push(decided.event.to_string())
            }
            _ => {}
        }
    }
    assert_eq!(hooks_of.len(), 8 * 20 * 2);
    for steps in hooks_of.values() {
        let whole = [vec!["tool.pre", "shape", "guard", "tool.pre"], vec!["custom.seen", "custom.seen"]];
        assert!(whole.iter().any(|expected| expected == steps), "{steps:?}");
    }
}

#[test]
fn a_follower_sees_each_line_in_order() {
    #[derive(Debug, Default)]
    struct LineCapture(std::sync::Mutex<Vec<String>>);
    impl RecordObserver for LineCapture {
        fn on_record(&self, record: &Record<'_>, line: &str) {
            // The line has no origin if it is that of the line before.
            let whole = record.to_line().unwrap();
            let origin = whole.split_once("\"origin\":").and_then(|(_, rest)| rest.split_once("\"kind\""));
            let short = origin.map(|(origin, _)| whole.replace(&format!("\"origin\":{origin}"), ""));
            assert!(line == whole || Some(line) == short.as_deref(), "{line}\n{whole}");
            self.0.lock().unwrap().push(line.to_owned());
        }
    }
    let tape = new_tape();
    let seen = Arc::new(LineCapture::default());
    tape.observe(seen.clone());
    record_dispatch(&tape);
    assert_eq!(*seen.0.lock().unwrap(), tape.lines()[2..]);
}

#[test]
fn a_tape_that_cannot_be_made_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let made = Tape::create(file.join("tape"), HeaderRecord::new("s", 0), Arc::new(WritingTickingClock::default()));
    assert!(matches!(made, Err(TapeError::Open { .. })), "{made:?}");
}

#[test]
fn what_is_no_tape_is_refused_with_its_line() {
    let header = new_tape().lines().remove(0);
    let cases = [
        (String::new(), "the tape is empty; a tape begins with a header record"),
        (String::from("\n"), "the tape is empty; a tape begins with a header record"),
        (String::from("hello\n"), "line 1: not JSON: expected value (column 1)"),
        (
            header.replace("header", "other") + "\n",
            "line 1: the first record is not a header; check that the file is a tape",
        ),
        (format!("{header}\n{{\n{header}\n"), "line 2: not JSON: EOF while parsing an object (column 1)"),
        (String::from("{\"seq\":0,"), "line 1 is truncated after 9 bytes; the tape contains no complete record"),
        (format!("{header}\n{header}\n"), "line 2: a second header; a tape has only one"),
        (
            header.replace("\"format\":8", "\"format\":7") + "\n",
            "cannot read a tape of format 7, which pintle 0.1.0 wrote: this program reads format 8; use the version that wrote it",
        ),
        (
            header.replace("\"format\":8", "\"format\":9").replace("\"pintle\"", "\"by\"") + "\n",
            "cannot read a tape of format 9, which an unknown version of pintle wrote: this program reads format 8; use the version that wrote it",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(read_bytes(text.as_bytes()).unwrap_err().to_string(), expected, "{text}");
    }
}
