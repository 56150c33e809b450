//! How many connections a resident serves at once.

use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::Pid;

/// The most connections in all.
const MOST: usize = 64;
/// The most of one session of processes: an agent that reports many calls at once leaves room for others.
const MOST_OF_SESSION: usize = 16;

#[derive(Debug, Default)]
pub(super) struct ConnectionLimits(Arc<Mutex<HashMap<Option<u32>, usize>>>);

/// The right to be served, until it is dropped.
#[derive(Debug)]
pub(super) struct AdmittedConnection {
    open: Arc<Mutex<HashMap<Option<u32>, usize>>>,
    session: Option<u32>,
}

impl ConnectionLimits {
    /// Admits a process's connection if there is room.
    pub(super) fn admit(&self, process: Pid) -> Option<AdmittedConnection> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero()));
        self.admit_session(stat.ok().and_then(|stat| session_in(&stat)))
    }

    /// Whether no connection is open.
    pub(super) fn is_idle(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    fn admit_session(&self, session: Option<u32>) -> Option<AdmittedConnection> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.values().sum::<usize>() >= MOST {
            return None;
        }
        let count = open.entry(session).or_default();
        if *count >= MOST_OF_SESSION {
            return None;
        }
        *count += 1;
        Some(AdmittedConnection { open: Arc::clone(&self.0), session })
    }
}

impl Drop for AdmittedConnection {
    fn drop(&mut self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.session) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.session);
            }
        }
    }
}

/// The session in a process's `stat`. It is 0 where the leader is outside the container, which `getsid` of rustix does not
/// allow for.
fn session_in(stat: &str) -> Option<u32> {
    // The name before it may have spaces and parentheses.
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_of_a_process_is_found_behind_any_name() {
        assert_eq!(session_in("71 (sh) S 70 71 70 34816 71 4194304 1 0"), Some(70));
        assert_eq!(session_in("71 (a) S 1 2 3 (b) R 5 6 0 0 -1"), Some(0));
        for stat in ["", "71 (sh", "71 (sh) S 70 71", "71 (sh) S 70 71 -1"] {
            assert_eq!(session_in(stat), None, "{stat}");
        }
    }

    #[test]
    fn a_flood_of_one_session_leaves_room_for_others() {
        let limits = ConnectionLimits::default();
        let mut open: Vec<_> = (0..100).filter_map(|_| limits.admit_session(Some(1))).collect();
        assert_eq!(open.len(), MOST_OF_SESSION);
        open.extend((0..100).filter_map(|number| limits.admit_session(Some(2 + number / 2))));
        assert_eq!(open.len(), MOST);
        open.truncate(MOST_OF_SESSION);
        assert!(limits.admit_session(Some(1)).is_none());
        let other = limits.admit_session(Some(7));
        assert!(other.is_some());
        drop((open, other));
        assert!(limits.0.lock().unwrap().is_empty());
    }
}
