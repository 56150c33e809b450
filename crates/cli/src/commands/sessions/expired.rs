//! Sessions whose last record is older than a number of days.

use super::row::{SessionRow, SessionRowState};
use crate::render::count_text;

const DAY_MS: u64 = 86_400_000;

/// Expired sessions, and the numbers of those that are kept whatever their age.
pub(super) struct ExpiredSessions {
    /// The expired sessions.
    pub(super) sessions: Vec<SessionRow>,
    /// How many are kept because their tapes cannot be read, so that their age is unknown.
    unreadable_count: usize,
    /// How many are kept because they are in use.
    in_use_count: usize,
}

impl ExpiredSessions {
    /// Selects the sessions whose last record is more than `days` days old.
    pub(super) fn expired_in(all: Vec<SessionRow>, days: u64, now_ms: u64) -> Self {
        let before_ms = now_ms.saturating_sub(days.saturating_mul(DAY_MS));
        let mut old = Self { sessions: Vec::new(), unreadable_count: 0, in_use_count: 0 };
        for listed in all {
            match listed {
                SessionRow { state: SessionRowState::Unreadable, .. } | SessionRow { last_ms: None, .. } => {
                    old.unreadable_count += 1
                }
                SessionRow { last_ms: Some(last_ms), .. } if last_ms >= before_ms => {}
                SessionRow { state: SessionRowState::Running, .. } => old.in_use_count += 1,
                listed => old.sessions.push(listed),
            }
        }
        old
    }

    /// Returns notes about sessions that are kept whatever their age.
    pub(super) fn notes(&self) -> Vec<String> {
        let one = |number: usize, what: &str| format!("{} {what}", count_text(number, "session"));
        let mut notes = Vec::new();
        match self.unreadable_count {
            0 => {}
            1 => notes.push(String::from("1 session cannot be read and is kept; delete it with `sessions delete ID`")),
            number => notes.push(one(number, "cannot be read and are kept; delete them with `sessions delete ID..`")),
        }
        match self.in_use_count {
            0 => {}
            1 => notes.push(String::from("1 session is in use and is kept")),
            number => notes.push(one(number, "are in use and are kept")),
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
            cases
                .iter()
                .map(|(id, state, last_ms, _)| SessionRow::without_tape(id, *state, *last_ms))
                .collect::<Vec<_>>()
        };
        let old = ExpiredSessions::expired_in(all(&cases), 30, now_ms);
        let wanted: Vec<&str> = cases.iter().filter(|(.., is_old)| *is_old).map(|(id, ..)| *id).collect();
        assert_eq!(old.sessions.iter().map(|listed| listed.id.as_str()).collect::<Vec<_>>(), wanted);
        assert_eq!((old.unreadable_count, old.in_use_count), (1, 1));
        assert!(ExpiredSessions::expired_in(all(&cases), u64::MAX, now_ms).sessions.is_empty());
    }
}
