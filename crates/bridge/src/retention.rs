//! Removes the sessions of hosts that the user does not want to keep any longer.
//!
//! A session that was used within the last day is kept whatever the user's limits are, as is one of which a call is
//! running, and one whose directory has files that Pintle did not write. What an agent just did stays on record.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pintle_host::contract::TapeRetention;
use pintle_host::files;
use pintle_host::tape::session_folder::{self, FolderFacts, SessionFolder};
use pintle_host::tape::shared_call::remove_old_records;

use crate::session::host_folder;
use crate::shared_call::shared_calls_dir;
use crate::{HOSTS, HostDef};

const DAY: Duration = Duration::from_secs(86_400);
/// How long a session is kept after its last use.
const LEAST_AGE: Duration = DAY;
/// The file that says when expired sessions were looked for last.
const STAMP: &str = "retention-checked";

/// The sessions of hosts that a retention removes, and what it keeps.
#[derive(Debug, Default)]
pub struct RetentionPlan {
    /// The sessions that it removes, the oldest first.
    pub expired: Vec<ExpiredSession>,
    /// How many it keeps.
    pub kept_count: usize,
    /// The size of those, in bytes.
    pub kept_bytes: u64,
    /// The directories of the hosts.
    host_dirs: Vec<PathBuf>,
}

/// A session that a retention removes.
#[derive(Debug, Clone)]
pub struct ExpiredSession {
    /// The host.
    pub host: &'static HostDef,
    /// Its directory, named after the session.
    pub folder: PathBuf,
    /// The limit that it exceeds.
    pub exceeded: RetentionLimit,
    facts: FolderFacts,
}

/// A limit of a retention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetentionLimit {
    /// `keep_days`.
    Age,
    /// `max_size`.
    Size,
}

/// What was removed.
#[derive(Debug, Default)]
pub struct RetentionResult {
    /// The removed sessions.
    pub removed: Vec<ExpiredSession>,
    /// The sessions that were used meanwhile or cannot be removed, each with the reason.
    pub kept: Vec<(ExpiredSession, io::Error)>,
    /// The number of records of calls that several entries reported.
    pub shared_call_count: usize,
}

impl RetentionLimit {
    /// The name of the limit.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Age => "age",
            Self::Size => "size",
        }
    }
}

impl ExpiredSession {
    /// The name of its directory: the host's ID of the session, or its digest.
    #[must_use]
    pub fn name(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The size of its files, in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.facts.size_bytes
    }

    /// When it was used last, in milliseconds since 1970.
    #[must_use]
    pub fn last_used_ms(&self) -> u64 {
        let since = self.facts.last_used.duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    /// Removes the session, unless it was used since or is in use.
    fn remove(&self) -> io::Result<()> {
        let folder = SessionFolder::lock_existing(self.folder.clone())?;
        match folder.facts()? == self.facts {
            true => folder.delete(),
            false => Err(io::Error::new(ErrorKind::TimedOut, "it was used meanwhile")),
        }
    }
}

impl RetentionPlan {
    /// Finds out what a retention removes from a state directory. No file is read; links are not followed.
    #[must_use]
    pub fn new(state_directory: &Path, retention: &TapeRetention, now: SystemTime) -> Self {
        let mut plan = Self::default();
        let mut sessions = Vec::new();
        for &host in HOSTS {
            let dir = host_folder(state_directory, host.name);
            // A link leads to files that are not Pintle's own.
            let is_own = |dir: &Path| files::symlink_metadata(dir).is_ok_and(|found| found.is_dir());
            if !dir.parent().is_some_and(is_own) || !is_own(&dir) {
                continue;
            }
            for folder in session_folder::session_folders(&dir) {
                let Ok(facts) = session_folder::folder_facts(&folder) else { continue };
                sessions.push(ExpiredSession { host, folder, exceeded: RetentionLimit::Age, facts });
            }
            plan.host_dirs.push(dir);
        }
        sessions.sort_by_cached_key(|session| (session.facts.last_used, session.folder.clone()));
        let mut total_bytes: u64 = sessions.iter().map(ExpiredSession::size_bytes).sum();
        let mut kept = Vec::new();
        for session in sessions {
            let max_age = retention.keep_days.map(|days| DAY.saturating_mul(u32::try_from(days).unwrap_or(u32::MAX)));
            if max_age.is_some_and(|max_age| session.is_removable(max_age.max(LEAST_AGE), now)) {
                total_bytes = total_bytes.saturating_sub(session.size_bytes());
                plan.expired.push(session);
            } else {
                kept.push(session);
            }
        }
        for session in kept {
            let is_over = retention.max_size_bytes.is_some_and(|max_bytes| total_bytes > max_bytes);
            if is_over && session.is_removable(LEAST_AGE, now) {
                total_bytes = total_bytes.saturating_sub(session.size_bytes());
                plan.expired.push(ExpiredSession { exceeded: RetentionLimit::Size, ..session });
            } else {
                plan.kept_count += 1;
                plan.kept_bytes = plan.kept_bytes.saturating_add(session.size_bytes());
            }
        }
        plan
    }

    /// The size of the sessions that it removes, in bytes.
    #[must_use]
    pub fn expired_bytes(&self) -> u64 {
        self.expired.iter().map(ExpiredSession::size_bytes).sum()
    }

    /// Removes the first `limit` of the sessions, the records of calls that are not needed any more, and what is left of
    /// sessions whose removal was interrupted. Another process may do the same at the same time.
    #[must_use]
    pub fn execute(self, limit: usize) -> RetentionResult {
        let mut result = RetentionResult::default();
        for session in self.expired.into_iter().take(limit) {
            match session.remove() {
                Ok(()) => result.removed.push(session),
                // Another process removed it.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => result.kept.push((session, error)),
            }
        }
        for dir in &self.host_dirs {
            // What cannot be removed now is tried again the next time.
            let _ = session_folder::remove_deleted(dir);
            result.shared_call_count += remove_old_records(&shared_calls_dir(dir)).unwrap_or_default();
        }
        result
    }
}

impl ExpiredSession {
    /// Whether it is older than that, and nothing keeps it.
    fn is_removable(&self, max_age: Duration, now: SystemTime) -> bool {
        // A time in the future is not reliable.
        let is_old = now.duration_since(self.facts.last_used).is_ok_and(|age| age > max_age);
        is_old && self.facts.has_own_files_only && session_folder::is_in_use(&self.folder).is_ok_and(|used| !used)
    }
}

impl RetentionResult {
    /// The size of the removed sessions, in bytes.
    #[must_use]
    pub fn removed_bytes(&self) -> u64 {
        self.removed.iter().map(ExpiredSession::size_bytes).sum()
    }
}

/// Whether expired sessions of a state directory were not looked for within the last day.
#[must_use]
pub fn is_retention_due(state_directory: &Path, now: SystemTime) -> bool {
    let checked = files::metadata(state_directory.join(STAMP)).and_then(|found| found.modified());
    // A time in the future is not reliable.
    !checked.is_ok_and(|checked| now.duration_since(checked).is_ok_and(|age| age < DAY))
}

/// Notes that expired sessions of a state directory were looked for now.
///
/// # Errors
/// When the note cannot be written; then they are looked for again the next time.
pub fn mark_retention_checked(state_directory: &Path) -> io::Result<()> {
    session_folder::replace_atomically(&state_directory.join(STAMP), b"")
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;

    const MB: usize = 1_000_000;

    struct StateFixture {
        root: tempfile::TempDir,
        now: SystemTime,
    }

    impl StateFixture {
        fn new() -> Self {
            Self { root: tempfile::tempdir().unwrap(), now: SystemTime::now() }
        }

        fn dir(&self, session: &str) -> PathBuf {
            self.root.path().join("bridge").join(session)
        }

        /// Writes a session that was used that long ago, in hours.
        fn add(&self, session: &str, hours: u64, size_bytes: usize) -> PathBuf {
            let dir = self.dir(session);
            drop(SessionFolder::lock(dir.clone(), Duration::ZERO).unwrap());
            for (name, size_bytes) in [("state.json", 0), ("tape.jsonl", size_bytes)] {
                fs::write(dir.join(name), vec![b'x'; size_bytes]).unwrap();
                self.age(&dir.join(name), hours);
            }
            dir
        }

        fn age(&self, file: &Path, hours: u64) {
            let time = self.now - Duration::from_secs(hours * 3_600);
            File::options().write(true).open(file).unwrap().set_modified(time).unwrap();
        }

        fn plan(&self, keep_days: Option<u64>, max_size_bytes: Option<u64>) -> RetentionPlan {
            RetentionPlan::new(self.root.path(), &TapeRetention { keep_days, max_size_bytes }, self.now)
        }
    }

    fn names(sessions: &[ExpiredSession]) -> Vec<(String, RetentionLimit)> {
        sessions.iter().map(|session| (session.name(), session.exceeded)).collect()
    }

    #[test]
    fn sessions_expire_by_age_and_then_the_oldest_by_size() {
        use RetentionLimit::{Age, Size};
        let state = StateFixture::new();
        let ages =
            [("claude/a", 30 * 24 + 1), ("codex/b", 29 * 24), ("claude/c", 48), ("claude/d", 25), ("claude/e", 1)];
        ages.iter().for_each(|(session, hours)| drop(state.add(session, *hours, MB)));
        type RetentionCase<'a> = (Option<u64>, Option<u64>, &'a [(&'a str, RetentionLimit)]);
        let cases: &[RetentionCase<'_>] = &[
            (None, None, &[]),
            (Some(30), None, &[("a", Age)]),
            (Some(1), None, &[("a", Age), ("b", Age), ("c", Age), ("d", Age)]),
            (None, Some(5_000_000), &[]),
            (None, Some(4_999_999), &[("a", Size)]),
            (None, Some(0), &[("a", Size), ("b", Size), ("c", Size), ("d", Size)]),
            (Some(30), Some(3_500_000), &[("a", Age), ("b", Size)]),
            (Some(u64::MAX), None, &[]),
        ];
        for (keep_days, max_bytes, wanted) in cases {
            let plan = state.plan(*keep_days, *max_bytes);
            let wanted: Vec<_> = wanted.iter().map(|(name, limit)| ((*name).to_owned(), *limit)).collect();
            assert_eq!(names(&plan.expired), wanted, "{keep_days:?} {max_bytes:?}");
            assert_eq!(plan.kept_count, ages.len() - wanted.len());
            assert_eq!(plan.kept_bytes + plan.expired_bytes(), 5_000_000);
        }
    }

    #[test]
    fn what_is_in_use_or_not_written_by_pintle_is_kept() {
        let state = StateFixture::new();
        let locked = SessionFolder::lock(state.add("claude/locked", 999, 1), Duration::ZERO).unwrap();
        let with_call = state.add("claude/with-call", 999, 1);
        fs::write(with_call.join("call-1-2-3.jsonl"), "{}\n").unwrap();
        let branch = File::open(with_call.join("call-1-2-3.jsonl")).unwrap();
        branch.lock().unwrap();
        state.age(&with_call.join("call-1-2-3.jsonl"), 999);
        let noted = state.add("claude/noted", 999, 1);
        fs::write(noted.join("notes.txt"), "mine").unwrap();
        state.age(&noted.join("notes.txt"), 999);
        let future = state.add("claude/future", 0, 1);
        File::options()
            .write(true)
            .open(future.join("tape.jsonl"))
            .unwrap()
            .set_modified(state.now + Duration::from_secs(9))
            .unwrap();
        let plan = state.plan(Some(1), Some(0));
        assert_eq!((plan.expired.len(), plan.kept_count), (0, 4));
        drop((locked, branch));
        assert_eq!(state.plan(Some(1), None).expired.len(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        use std::os::unix::fs::symlink;
        let (state, elsewhere) = (StateFixture::new(), StateFixture::new());
        let own = elsewhere.add("claude/mine", 999, 1);
        let linked = state.add("codex/linked", 999, 1);
        symlink(elsewhere.dir("claude"), state.dir("claude")).unwrap();
        symlink(&own, state.dir("codex/other")).unwrap();
        assert_eq!(names(&state.plan(Some(1), None).expired), [(String::from("linked"), RetentionLimit::Age)]);
        // A tape that is a link is not a file that Pintle wrote.
        fs::remove_file(linked.join("tape.jsonl")).unwrap();
        symlink(own.join("tape.jsonl"), linked.join("tape.jsonl")).unwrap();
        assert!(state.plan(Some(1), None).expired.is_empty());
        let all = StateFixture::new();
        symlink(elsewhere.root.path().join("bridge"), all.root.path().join("bridge")).unwrap();
        assert!(all.plan(Some(1), None).expired.is_empty());
    }

    #[test]
    fn what_is_used_after_the_plan_is_kept_and_what_is_gone_is_not_made_again() {
        let state = StateFixture::new();
        let used = state.add("claude/used", 999, 1);
        let gone = state.add("claude/gone", 998, 1);
        let old = state.add("claude/old", 997, MB);
        let begun = state.add("claude/begun", 996, 1);
        let (plan, other) = (state.plan(Some(1), None), state.plan(Some(1), None));
        fs::write(used.join("state.json"), "{}\n").unwrap();
        fs::remove_dir_all(&gone).unwrap();
        let call = SessionFolder::lock(begun.clone(), Duration::ZERO).unwrap();
        let result = plan.execute(usize::MAX);
        assert_eq!(result.kept.iter().map(|(session, _)| session.name()).collect::<Vec<_>>(), ["used", "begun"]);
        assert!(used.exists() && begun.exists() && !gone.exists() && !old.exists());
        assert_eq!(result.removed_bytes(), 1_000_000);
        drop(call);
        // A second process planned the same.
        let result = other.execute(usize::MAX);
        assert_eq!(result.removed.iter().map(ExpiredSession::name).collect::<Vec<_>>(), ["begun"]);
        assert_eq!(session_folder::session_folders(&state.dir("claude")), [used]);
    }

    #[test]
    fn the_oldest_are_removed_first_and_leftovers_always() {
        let state = StateFixture::new();
        let (old, older) = (state.add("claude/old", 100, 1), state.add("claude/older", 200, 1));
        let left = state.add("claude/.deleted-x-1", 300, 1);
        let plan = state.plan(Some(1), None);
        assert_eq!(plan.expired.len(), 2);
        let _ = plan.execute(1);
        assert!(old.exists() && !older.exists() && !left.exists());
    }

    #[test]
    fn expired_sessions_are_looked_for_once_a_day() {
        let state = StateFixture::new();
        let is_due = || is_retention_due(state.root.path(), state.now);
        assert!(is_due());
        mark_retention_checked(state.root.path()).unwrap();
        let stamp = state.root.path().join(STAMP);
        for (hours, wanted) in [(0, false), (23, false), (24, true)] {
            state.age(&stamp, hours);
            assert_eq!(is_due(), wanted, "{hours}");
        }
        File::options().write(true).open(&stamp).unwrap().set_modified(state.now + DAY).unwrap();
        assert!(is_due());
    }
}
