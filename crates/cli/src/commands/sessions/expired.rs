//! Sessions that nobody has heard of for long.

use super::row::{SessionRow, SessionRowState};
use crate::render::count_text;

const DAY_MS: u64 = 86_400_000;

/// Sessions that nobody has heard of for long, and others that stay whatever their age.
pub(super) struct ExpiredSessions {
    /// Those whose last record is older.
    pub(super) sessions: Vec<SessionRow>,
    /// How many stay because their tapes cannot be read, so that nobody knows how old they are.
    unreadable_count: usize,
    /// How many stay because they are at work.
    in_use_count: usize,
}

impl ExpiredSessions {
    /// Those whose last record is more than so many days old.
    pub(super) fn expired_in(all: Vec<SessionRow>, days: u64, now_ms: u64) -> Self {
        let before_ms = now_ms.saturating_sub(days.saturating_mul(DAY_MS));
        let mut old = Self { sessions: Vec::new(), unreadable_count: 0, in_use_count: 0 };
        for listed in all {
            match listed {
                SessionRow { state: SessionRowState::Unreadable, .. } | SessionRow { last_ms: None, .. } => old.unreadable_count += 1,
                SessionRow { last_ms: Some(last_ms), .. } if last_ms >= before_ms => {}
                SessionRow { state: SessionRowState::Running, .. } => old.in_use_count += 1,
                listed => old.sessions.push(listed),
            }
        }
        old
    }

    /// What is said of those that stay whatever their age.
    pub(super) fn notes(&self) -> Vec<String> {
        let one = |number: usize, what: &str| format!("{} {what}", count_text(number, "session"));
        let mut notes = Vec::new();
        match self.unreadable_count {
            0 => {}
            1 => notes.push(String::from("1 session cannot be read and stays; `sessions delete ID` deletes it")),
            number => notes.push(one(number, "cannot be read and stay; `sessions delete ID..` deletes them")),
        }
        match self.in_use_count {
            0 => {}
            1 => notes.push(String::from("1 session is at work and stays")),
            number => notes.push(one(number, "are at work and stay")),
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_to_be_older_is_old() {
        let now_ms = 100 * DAY_MS;
        let cases = [
            ("old", SessionRowState::Ended, Some(now_ms - 30 * DAY_MS - 1), true),
            ("just not", SessionRowState::Ended, Some(now_ms - 30 * DAY_MS), false),
            ("ahead of us", SessionRowState::Open, Some(now_ms + DAY_MS), false),
            ("at work", SessionRowState::Running, Some(0), false),
            ("new and at work", SessionRowState::Running, Some(now_ms), false),
            ("unreadable", SessionRowState::Unreadable, None, false),
            ("interrupted", SessionRowState::Interrupted, Some(0), true),
        ];
        let all = |cases: &[(&str, SessionRowState, Option<u64>, bool)]| {
            cases.iter().map(|(id, state, last_ms, _)| SessionRow::without_tape(id, *state, *last_ms)).collect::<Vec<_>>()
        };
        let old = ExpiredSessions::expired_in(all(&cases), 30, now_ms);
        let wanted: Vec<&str> = cases.iter().filter(|(.., is_old)| *is_old).map(|(id, ..)| *id).collect();
        assert_eq!(old.sessions.iter().map(|listed| listed.id.as_str()).collect::<Vec<_>>(), wanted);
        assert_eq!((old.unreadable_count, old.in_use_count), (1, 1));
        assert!(ExpiredSessions::expired_in(all(&cases), u64::MAX, now_ms).sessions.is_empty());
    }
}
