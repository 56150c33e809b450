//! `kill -9` at random moments of a running session: what is on its tape stays whole, and it goes on to its end.
//!
//! The moments are drawn from a seed, which every failure names. `PINTLE_KILL_SEED` sets another one, and
//! `PINTLE_KILL_MOMENTS` how many there are.
//!
//! At each moment the tape has to verify and the session to go on to its end. What takes long is left to one moment in
//! [`COSTLY`]: a hook that is a script, a second kill while the session goes on, and whether what it comes to verifies
//! and is the same when it is replayed.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod fixture;
mod moments;

use std::sync::atomic::{AtomicUsize, Ordering};

use fixture::KillFixture;
use moments::{KillMoment, MomentDraw};
use pintle_agent::SessionSummary;
use pintle_host::tape::{LoadedTape, read_bytes, replay, verify};

/// Where the moments come from when nobody says.
const SEED: u64 = 20_261_122;
const MOMENTS: u64 = 200;
const COSTLY: u64 = 5;
/// Two sessions at once: each is a program with hooks and tools of its own.
const AT_ONCE: u64 = 2;

fn env_number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// What came of the moments.
#[derive(Debug, Default)]
struct KillCounts {
    /// The program was killed while it was at work.
    cut_off: AtomicUsize,
    /// Among them, in the middle of a turn.
    in_turn: AtomicUsize,
    /// Among them, before there was a session.
    before_session: AtomicUsize,
    /// A call was cut off.
    interrupted: AtomicUsize,
}

impl KillCounts {
    fn count_if(counter: &AtomicUsize, is_so: bool) {
        counter.fetch_add(usize::from(is_so), Ordering::Relaxed);
    }
}

/// Reads the whole records of a tape, which must be sound; `None` where not even the header is whole.
fn read_valid(text: &[u8], label: &str) -> Option<LoadedTape> {
    let reading = match read_bytes(text) {
        Ok(reading) => reading,
        Err(error) => {
            assert!(!text.contains(&b'\n'), "{label}: the tape cannot be read: {error}");
            return None;
        }
    };
    let report = verify::verify_bytes(text).unwrap();
    assert!(report.is_valid(), "{label}: {:#?}", report.findings);
    Some(reading)
}

/// The whole records of a tape must be the same when they are replayed.
fn check_replay(text: &[u8], label: &str) {
    let replayed = replay::replay(text, &replay::ReplayOptions::default()).unwrap();
    assert!(replayed.difference.is_none(), "{label}: {:?}", replayed.difference);
}

/// Kills a session at a moment, once more when it goes on if the moment is a costly one, and sees it to its end.
fn kill_and_resume(draw: &mut MomentDraw, is_costly: bool, label: &str, seen: &KillCounts) {
    let fixture = KillFixture::new(is_costly);
    let was_killed = fixture.run_until(&["run", "."], draw.draw_moment());
    let before = fixture.read_tape();
    let past = read_valid(&before, label).and_then(|reading| SessionSummary::from_tape(&reading));
    KillCounts::count_if(&seen.cut_off, was_killed);
    KillCounts::count_if(&seen.before_session, past.is_none());
    KillCounts::count_if(&seen.in_turn, past.as_ref().is_some_and(|past| past.interrupted_turn.is_some()));
    let Some(mut past) = past else {
        let (out, status) = fixture.run(&["run", "--resume", "last"]);
        assert!(status == Some(3) || before.is_empty(), "{label}: {out}");
        return;
    };
    let mut before = whole_records(before);
    if is_costly {
        check_replay(&before, label);
        fixture.run_until(&["run", "--resume", "last"], draw.draw_moment_after(count_lines(&before)));
        let now = fixture.read_tape();
        assert!(now.starts_with(&before), "{label}: what was on the tape has changed");
        past = read_valid(&now, label).and_then(|reading| SessionSummary::from_tape(&reading)).unwrap();
        check_replay(&now, label);
        before = whole_records(now);
    }
    let has_ended = past.prompts == fixture::PROMPTS && past.interrupted_turn.is_none();
    let (out, status) = fixture.run(&["run", "--resume", "last"]);
    let expected = if has_ended { Some(3) } else { Some(0) };
    assert_eq!(status, expected, "{label}: {out}");
    let after = fixture.read_tape();
    assert!(after.starts_with(&before), "{label}: what was on the tape has changed");
    let reading = if is_costly { read_valid(&after, label).unwrap() } else { read_bytes(&after).unwrap() };
    if is_costly {
        check_replay(&after, label);
    }
    let messages = fixture::messages_of(&reading);
    fixture::check_conversation(&messages, label);
    KillCounts::count_if(
        &seen.interrupted,
        messages.iter().any(|message| message.content.starts_with("interrupted: ")),
    );
}

/// The bytes up to the end of the last whole record.
fn whole_records(mut text: Vec<u8>) -> Vec<u8> {
    text.truncate(text.iter().rposition(|byte| *byte == b'\n').map_or(0, |index| index + 1));
    text
}

fn count_lines(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count()
}

#[test]
fn a_session_survives_being_killed_at_any_moment_and_goes_on() {
    let (seed, moments) = (env_number("PINTLE_KILL_SEED", SEED), env_number("PINTLE_KILL_MOMENTS", MOMENTS));
    let seen = KillCounts::default();
    std::thread::scope(|threads| {
        for lane in 0..AT_ONCE {
            let seen = &seen;
            threads.spawn(move || {
                for moment in (lane..moments).step_by(usize::try_from(AT_ONCE).unwrap()) {
                    let mut draw = MomentDraw::new(seed, moment);
                    kill_and_resume(&mut draw, moment % COSTLY == 0, &format!("seed {seed}, moment {moment}"), seen);
                }
            });
        }
    });
    let enough = usize::try_from(moments / 2).unwrap();
    assert!(seen.cut_off.load(Ordering::Relaxed) >= enough, "too few of {moments} were at work: {seen:?}");
    assert!(seen.in_turn.load(Ordering::Relaxed) >= enough / 2, "too few of {moments} were in a turn: {seen:?}");
    assert!(seen.interrupted.load(Ordering::Relaxed) > 0 || moments < MOMENTS, "{seen:?}");
}

#[test]
fn the_moments_are_the_same_for_a_seed() {
    let drawn = |seed| {
        let mut draw = MomentDraw::new(seed, 3);
        [draw.draw_moment(), draw.draw_moment(), draw.draw_moment()]
    };
    assert_eq!(drawn(1), drawn(1));
    assert_ne!(drawn(1), drawn(2));
    assert!((0..50).any(|moment| matches!(MomentDraw::new(1, moment).draw_moment(), KillMoment::Records(_))));
}
