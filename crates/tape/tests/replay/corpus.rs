//! The corpus: tapes of real sessions.

use std::path::Path;

use pintle_tape::replay::{ReplayError, ReplayOptions, StopPoint, replay};
use pintle_tape::verify::verify_bytes;

use crate::replay::fixture::assert_replays_equal;

/// The name and bytes of each tape, without a torn record.
fn corpus_tapes() -> Vec<(String, Vec<u8>)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tapes");
    let paths = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let mut tapes: Vec<(String, Vec<u8>)> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .map(|path| {
            let mut bytes = std::fs::read(&path).unwrap();
            bytes.truncate(bytes.iter().rposition(|byte| *byte == b'\n').unwrap() + 1);
            (path.display().to_string(), bytes)
        })
        .collect();
    tapes.sort();
    tapes
}

#[test]
fn corpus_tape_is_valid_and_replays_byte_for_byte() {
    let tapes = corpus_tapes();
    assert!(tapes.len() >= 9);
    for (name, tape) in tapes {
        assert_eq!(verify_bytes(&tape).unwrap().findings, [], "{name}");
        assert_replays_equal(&tape, &name);
    }
}

#[test]
fn turns_are_counted_in_one_way() {
    let mut most = 0;
    for (name, tape) in corpus_tapes() {
        let until = |turn| replay(&tape, &ReplayOptions { stop_point: Some(StopPoint::Turn(turn)), threads: None });
        let turns = replay(&tape, &ReplayOptions::default()).unwrap().turns;
        assert_eq!(verify_bytes(&tape).unwrap().turns, turns, "{name}");
        most = most.max(turns);
        let turns = u32::try_from(turns).unwrap();
        for turn in 1..=turns {
            assert_eq!(until(turn).unwrap().turns, turn as usize, "{name}, turn {turn}");
        }
        // `pintle fire` uses turn 1, although no turn starts.
        assert!(matches!(until(turns.max(1) + 1), Err(ReplayError::NoStopPoint(_))), "{name}");
    }
    assert!(most > 1, "no tape has more than one turn");
}
