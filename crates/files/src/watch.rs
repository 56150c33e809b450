//! Which files a piece of work looked at, and whether any of them changed since.
//!
//! What was made of files can be used again as long as they are as they were: those that were read, those that were only
//! looked for and not found, and the directories that were listed. Every function of this crate that looks at a file says
//! so here; a crate whose work is watched uses no other ones.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{env, fs};

use crate::notices::ChangeNotices;
use crate::unsaved::{UnsavedTexts, is_unsaved};

thread_local! {
    /// What the watches of this thread saw, the innermost last.
    static WATCHES: RefCell<Vec<SharedWatch>> = const { RefCell::new(Vec::new()) };
}

type SharedWatch = Arc<Mutex<SeenFiles>>;

/// How many files are looked at one by one. The system notices changes of more than these ([`ChangeNotices`]).
const FEW_FILES: usize = 64;
/// Of more files than these, each is looked at: the notices that an account can have are for its other programs, too.
const MANY_FILES: usize = 4_000;

/// The files that were looked at, each as it was then.
#[derive(Debug, Default)]
pub struct SeenFiles {
    files: BTreeMap<PathBuf, FileState>,
    /// Of many files, those whose changes the system notices, and the others.
    noticed: Option<NoticedFiles>,
    /// What was looked for and not found, by the directory in which the first part of its path is missing.
    absent: BTreeMap<PathBuf, AbsentFiles>,
    /// Where paths led without links. A directory above one may have become a link to where the file was moved.
    real_paths: BTreeMap<PathBuf, Option<PathBuf>>,
    /// Whether one of them was changed so recently that it could change again without a trace.
    is_fresh: bool,
}

/// Files that were all as they had been when the system began to notice changes of them.
#[derive(Debug)]
struct NoticedFiles {
    notices: ChangeNotices,
    /// What is looked at all the same: links, directories, and what is on a file system that may change elsewhere.
    others: BTreeMap<PathBuf, FileState>,
    /// Where the files are: another directory could take the place of theirs.
    directories: BTreeMap<PathBuf, FileState>,
}

/// Files that do not exist. As long as their directory is as it was, they still do not.
#[derive(Debug, Clone)]
struct AbsentFiles {
    directory: FileState,
    files: BTreeSet<PathBuf>,
}

impl AbsentFiles {
    /// Whether the files still do not exist. What else happens in their directory is of no interest.
    fn are_absent(&mut self, path: &Path) -> bool {
        let directory = system::state(path);
        if directory == self.directory {
            return true;
        }
        let are_absent = self.files.iter().all(|file| system::state(file) == FileState::ABSENT);
        if are_absent && !directory.is_fresh() {
            self.directory = directory;
        }
        are_absent
    }
}

/// A file as a path leads to it, by what changes when it is touched: two states are equal only if nothing did in between.
/// Where every time of a file can be set back, no two states are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileState {
    /// What the path itself is.
    own: Option<SeenStamp>,
    /// What it leads to if it is a link.
    target: Option<SeenStamp>,
}

/// What changes when a file or a directory is touched. The time of the last change cannot be set back.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SeenStamp {
    file: (u64, u64),
    kind_and_mode: u32,
    owner: (u32, u32),
    length: u64,
    changed: (i64, i64),
}

impl FileState {
    const ABSENT: Self = Self { own: None, target: None };

    fn is_fresh(&self) -> bool {
        [&self.own, &self.target].into_iter().flatten().any(system::is_fresh)
    }

    /// Whether the path exists and is not a link.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.own.as_ref().is_some_and(system::is_plain)
    }

    /// Whether the path is a regular file, and not a link to one.
    fn is_file(&self) -> bool {
        self.own.as_ref().is_some_and(system::is_file)
    }

    /// Whether the path leads to the same file, which may have changed.
    fn is_same_file(&self, other: &Self) -> bool {
        let places = |state: &Self| [&state.own, &state.target].map(|stamp| stamp.as_ref().map(|stamp| stamp.file));
        self.own.is_some() && places(self) == places(other)
    }

    /// Appends what distinguishes this state of the file from every other one, for a process that looks at it later.
    /// Returns `false` if the file does not exist, or could change again without a trace.
    pub fn append_mark(&self, mark: &mut Vec<u8>) -> bool {
        for stamp in [&self.own, &self.target] {
            mark.push(u8::from(stamp.is_some()));
            let Some(SeenStamp { file, kind_and_mode, owner, length, changed }) = stamp else { continue };
            for number in [file.0, file.1, *length, changed.0.cast_unsigned(), changed.1.cast_unsigned()] {
                mark.extend(number.to_le_bytes());
            }
            for number in [*kind_and_mode, owner.0, owner.1] {
                mark.extend(number.to_le_bytes());
            }
        }
        self.own.is_some() && !self.is_fresh()
    }
}

/// The state of a file now.
#[must_use]
pub fn file_state(path: impl AsRef<Path>) -> FileState {
    note(path.as_ref());
    system::state(path.as_ref())
}

/// Notes the files that a piece of work looks at, on this thread and on those that it lets take part
/// ([`WatchHandle`]).
pub fn watch<T>(work: impl FnOnce() -> T) -> (T, SeenFiles) {
    let seen = SharedWatch::default();
    let texts = UnsavedTexts::of_this_thread();
    let done = WatchHandle { watches: vec![Arc::clone(&seen)], texts }.take_part(work);
    let seen = std::mem::take(&mut *lock(&seen));
    (done, seen)
}

/// The watches and unsaved texts of a thread, for threads that do a part of its work.
#[derive(Debug, Clone)]
pub struct WatchHandle {
    watches: Vec<SharedWatch>,
    texts: UnsavedTexts,
}

impl WatchHandle {
    /// The watches of this thread.
    #[must_use]
    pub fn of_this_thread() -> Self {
        Self { watches: WATCHES.with_borrow(Clone::clone), texts: UnsavedTexts::of_this_thread() }
    }

    /// Does a part of the watched work on this thread.
    pub fn take_part<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = WATCHES.with_borrow_mut(|watches| {
            watches.extend(self.watches.iter().cloned());
            watches.len() - self.watches.len()
        });
        let _end = EndOfWatch(before);
        self.texts.read_during(work)
    }
}

/// Ends the watches that began after the first ones, also if the work panics.
struct EndOfWatch(usize);

impl Drop for EndOfWatch {
    fn drop(&mut self) {
        WATCHES.with_borrow_mut(|watches| watches.truncate(self.0));
    }
}

fn lock(seen: &SharedWatch) -> MutexGuard<'_, SeenFiles> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

fn for_each_watch(note: impl FnMut(&mut SeenFiles)) {
    let mut note = note;
    WATCHES.with_borrow(|watches| watches.iter().for_each(|seen| note(&mut lock(seen))));
}

fn is_watched() -> bool {
    WATCHES.with_borrow(|watches| !watches.is_empty())
}

/// Notes that a file is about to be looked at. What changes afterwards is a change.
pub(crate) fn note(path: &Path) {
    if is_watched() {
        note_in_watches(path);
    }
}

/// Notes where a path leads without links.
pub(crate) fn note_real_path(path: &Path, real: Option<&Path>) {
    if is_watched() {
        let path = absolute(path);
        for_each_watch(|seen| {
            seen.real_paths.entry(path.clone()).or_insert_with(|| real.map(Path::to_owned));
        });
    }
}

fn absolute(path: &Path) -> PathBuf {
    match path.is_absolute() {
        true => path.to_owned(),
        false => env::current_dir().unwrap_or_default().join(path),
    }
}

fn note_in_watches(path: &Path) {
    let path = absolute(path);
    let mut state = None;
    for_each_watch(|seen| {
        if !seen.files.contains_key(&path) {
            let state = state.get_or_insert_with(|| system::state(&path)).clone();
            match path.ancestors().skip(1).find(|directory| fs::symlink_metadata(directory).is_ok()) {
                Some(directory) if state == FileState::ABSENT => seen.note_absent(directory, &path),
                _ => seen.note_state(path.clone(), state),
            }
        }
    });
}

impl SeenFiles {
    fn note_state(&mut self, path: PathBuf, state: FileState) {
        self.is_fresh |= state.is_fresh();
        self.files.insert(path, state);
    }

    fn note_absent(&mut self, directory: &Path, path: &Path) {
        if let Some(absent) = self.absent.get_mut(directory) {
            absent.files.insert(path.to_owned());
            return;
        }
        // A file that is made after this changes its directory.
        let absent = AbsentFiles { directory: system::state(directory), files: BTreeSet::from([path.to_owned()]) };
        match system::state(path) {
            FileState::ABSENT if !absent.directory.is_fresh() => drop(self.absent.insert(directory.to_owned(), absent)),
            state => self.note_state(path.to_owned(), state),
        }
    }

    /// Whether every file is as it was. `false` if that cannot be known.
    #[must_use]
    pub fn are_unchanged(&mut self) -> bool {
        !self.is_fresh
            && self.are_files_unchanged()
            && self.absent.iter_mut().all(|(directory, absent)| absent.are_absent(directory))
            && self.real_paths.iter().all(|(path, real)| fs::canonicalize(path).ok() == *real)
    }

    fn are_files_unchanged(&mut self) -> bool {
        let is_same = |(path, state): (&PathBuf, &FileState)| system::state(path) == *state;
        if let Some(NoticedFiles { notices, others, directories }) = &self.noticed {
            let is_same_place = |(path, state): (&PathBuf, &FileState)| system::state(path).is_same_file(state);
            if notices.are_none() && directories.iter().all(is_same_place) {
                return others.iter().all(is_same);
            }
        }
        // They are noticed from here on, and then looked at once more.
        let noticed =
            if (FEW_FILES + 1..=MANY_FILES).contains(&self.files.len()) { self.notice_changes() } else { None };
        let are_unchanged = self.files.iter().all(is_same);
        self.noticed = noticed.filter(|_| are_unchanged);
        are_unchanged
    }

    /// Lets the system notice changes of the files that are neither links nor directories; `None` if it cannot.
    fn notice_changes(&self) -> Option<NoticedFiles> {
        let mut notices = ChangeNotices::new()?;
        let (mut others, mut directories) = (BTreeMap::new(), BTreeMap::new());
        for (path, state) in &self.files {
            let place = path.parent().filter(|_| state.is_file());
            let is_noticed = |place: &&Path| directories.contains_key(*place) || ChangeNotices::sees_all_changes(place);
            let Some(place) = place.filter(is_noticed) else {
                others.insert(path.clone(), state.clone());
                continue;
            };
            if !notices.add(path) {
                return None;
            }
            directories.entry(place.to_owned()).or_insert_with_key(|place| system::state(place));
        }
        Some(NoticedFiles { notices, others, directories })
    }

    /// The files that were looked at, each as it was then, and those that were looked for and not found.
    pub fn states(&self) -> impl Iterator<Item = (&Path, &FileState)> {
        let absent = self.absent.values().flat_map(|absent| &absent.files).map(|file| (file, &FileState::ABSENT));
        self.files.iter().chain(absent).map(|(path, state)| (path.as_path(), state))
    }

    /// How many files were looked at.
    #[must_use]
    pub fn count(&self) -> usize {
        self.files.len() + self.absent.values().map(|absent| absent.files.len()).sum::<usize>()
    }
}

/// The properties of a file, of what a link leads to.
///
/// # Errors
/// When it does not exist, or cannot be looked at.
pub fn metadata(path: impl AsRef<Path>) -> std::io::Result<Metadata> {
    note(path.as_ref());
    fs::metadata(path)
}

/// The properties of a file, of a link itself.
///
/// # Errors
/// As [`metadata`].
pub fn symlink_metadata(path: impl AsRef<Path>) -> std::io::Result<Metadata> {
    note(path.as_ref());
    fs::symlink_metadata(path)
}

/// The entries of a directory.
///
/// # Errors
/// When it is none, or cannot be read.
pub fn read_dir(path: impl AsRef<Path>) -> std::io::Result<fs::ReadDir> {
    note(path.as_ref());
    fs::read_dir(path)
}

/// Whether a path leads to a directory.
#[must_use]
pub fn is_dir(path: impl AsRef<Path>) -> bool {
    metadata(path).is_ok_and(|found| found.is_dir())
}

/// Whether a path leads to a regular file.
#[must_use]
pub fn is_file(path: impl AsRef<Path>) -> bool {
    is_unsaved(&path) || metadata(path).is_ok_and(|found| found.is_file())
}

/// Whether a path leads to anything.
#[must_use]
pub fn exists(path: impl AsRef<Path>) -> bool {
    is_unsaved(&path) || metadata(path).is_ok()
}

#[cfg(unix)]
mod system {
    use std::fs::{self, Metadata};
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::{FileState, SeenStamp};

    /// The clock of files goes in steps of at most 10 ms: within one, a second change leaves no trace.
    const STEP_NS: i128 = 50_000_000;

    pub(super) fn state(path: &Path) -> FileState {
        let own = fs::symlink_metadata(path).ok();
        let is_link = own.as_ref().is_some_and(Metadata::is_symlink);
        let end = if is_link { fs::metadata(path).ok() } else { None };
        FileState { own: own.as_ref().map(stamp), target: end.as_ref().map(stamp) }
    }

    fn stamp(metadata: &Metadata) -> SeenStamp {
        SeenStamp {
            file: (metadata.dev(), metadata.ino()),
            kind_and_mode: metadata.mode(),
            owner: (metadata.uid(), metadata.gid()),
            length: metadata.size(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    pub(super) fn is_plain(stamp: &SeenStamp) -> bool {
        // The bits of the kind, and those of a link, which are the same on all Unix systems.
        stamp.kind_and_mode & 0o170_000 != 0o120_000
    }

    pub(super) fn is_file(stamp: &SeenStamp) -> bool {
        stamp.kind_and_mode & 0o170_000 == 0o100_000
    }

    pub(super) fn is_fresh(stamp: &SeenStamp) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let changed = i128::from(stamp.changed.0) * 1_000_000_000 + i128::from(stamp.changed.1);
        i128::try_from(now).unwrap_or_default() - changed < STEP_NS
    }
}

#[cfg(not(unix))]
mod system {
    use std::path::Path;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::{FileState, SeenStamp};

    /// A state that no other one is equal to.
    pub(super) fn state(_: &Path) -> FileState {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let file = (0, NEXT.fetch_add(1, Ordering::Relaxed));
        let own = SeenStamp { file, kind_and_mode: 0, owner: (0, 0), length: 0, changed: (0, 0) };
        FileState { own: Some(own), target: None }
    }

    /// Nothing is known, so it may be a link.
    pub(super) fn is_plain(_: &SeenStamp) -> bool {
        false
    }

    /// No changes are noticed here.
    pub(super) fn is_file(_: &SeenStamp) -> bool {
        false
    }

    pub(super) fn is_fresh(_: &SeenStamp) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// Sets the time at which the files of a directory were last changed well before now: the clock of files goes on.
    fn settle(dir: &Path) {
        let newest = |dir: &Path| {
            let entries = fs::read_dir(dir).unwrap().flatten().map(|entry| entry.path());
            entries.chain([dir.to_owned()]).filter_map(|path| system::state(&path).own).collect::<Vec<_>>()
        };
        while newest(dir).iter().any(system::is_fresh) {
            std::thread::yield_now();
        }
    }

    #[test]
    fn each_change_of_what_was_looked_at_is_seen() {
        let looked = |root: &Path| {
            watch(|| {
                let _ = crate::read(root.join("file"));
                let _ = crate::read_text(root.join("link"));
                assert!(!exists(root.join("absent")) && is_dir(root.join("dir")));
                let _ = read_dir(root.join("dir")).unwrap().count();
            })
            .1
        };
        type Change = fn(&Path);
        let changes: [(&str, Change); 9] = [
            ("a text of the same length", |root| fs::write(root.join("file"), "b").unwrap()),
            ("the same text and time", |root| {
                let file = fs::File::options().write(true).open(root.join("file")).unwrap();
                let before = file.metadata().unwrap().modified().unwrap();
                fs::write(root.join("file"), "c").unwrap();
                file.set_modified(before).unwrap();
            }),
            ("another file in its place", |root| {
                fs::write(root.join("other"), "a").unwrap();
                fs::rename(root.join("other"), root.join("file")).unwrap();
            }),
            ("its mode", |root| fs::set_permissions(root.join("file"), fs::Permissions::from_mode(0o640)).unwrap()),
            ("its end", |root| fs::remove_file(root.join("file")).unwrap()),
            ("the target of a link", |root| fs::write(root.join("target"), "new").unwrap()),
            ("where a link leads", |root| {
                fs::remove_file(root.join("link")).unwrap();
                symlink("file", root.join("link")).unwrap();
            }),
            ("what was missing", |root| fs::write(root.join("absent"), "").unwrap()),
            ("an entry of a directory", |root| fs::write(root.join("dir/new"), "").unwrap()),
        ];
        for (name, change) in changes {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path();
            fs::write(root.join("file"), "a").unwrap();
            fs::write(root.join("target"), "old").unwrap();
            symlink("target", root.join("link")).unwrap();
            fs::create_dir(root.join("dir")).unwrap();
            assert!(!looked(root).are_unchanged(), "files that were just written may change without a trace");
            settle(root);
            settle(&root.join("dir"));
            let mut seen = looked(root);
            assert!(seen.are_unchanged() && seen.count() == 4, "{seen:?}");
            change(root);
            assert!(!seen.are_unchanged(), "{name}");
        }
    }

    #[test]
    fn each_change_of_many_files_is_noticed() {
        let count = FEW_FILES + 10;
        let name = |number: usize| format!("dir/{number}");
        type Change = fn(&Path);
        let changes: [(&str, bool, Change); 12] = [
            ("a text of the same length", true, |root| fs::write(root.join("dir/7"), "b").unwrap()),
            ("another file in its place", true, |root| {
                fs::write(root.join("other"), "a").unwrap();
                fs::rename(root.join("other"), root.join("dir/7")).unwrap();
            }),
            ("its mode", true, |root| {
                fs::set_permissions(root.join("dir/7"), fs::Permissions::from_mode(0o640)).unwrap();
            }),
            ("its end", true, |root| fs::remove_file(root.join("dir/7")).unwrap()),
            ("its other name", true, |root| fs::write(root.join("twin"), "b").unwrap()),
            ("a new name, and a text by that", true, |root| {
                fs::hard_link(root.join("dir/7"), root.join("new")).unwrap();
                fs::write(root.join("new"), "b").unwrap();
            }),
            ("a new file", true, |root| fs::write(root.join("dir/new"), "").unwrap()),
            ("another directory", true, |root| {
                fs::rename(root.join("dir"), root.join("moved")).unwrap();
                fs::create_dir(root.join("dir")).unwrap();
                for entry in fs::read_dir(root.join("moved")).unwrap().flatten() {
                    fs::rename(entry.path(), root.join("dir").join(entry.file_name())).unwrap();
                }
            }),
            ("where a link leads", true, |root| fs::write(root.join("target"), "b").unwrap()),
            ("a change after more notices than the system keeps", true, |root| {
                for number in 0..40_000 {
                    drop(fs::File::options().write(true).open(root.join(format!("dir/{}", number % 2))).unwrap());
                }
                fs::write(root.join("dir/7"), "b").unwrap();
            }),
            ("a look at it", false, |root| drop(fs::read(root.join("dir/7")).unwrap())),
            ("a writer that wrote nothing", false, |root| {
                drop(fs::File::options().write(true).open(root.join("dir/7")).unwrap());
            }),
        ];
        for (change_name, is_change, change) in changes {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path();
            fs::create_dir(root.join("dir")).unwrap();
            for number in 0..count {
                fs::write(root.join(name(number)), "a").unwrap();
            }
            fs::write(root.join("target"), "a").unwrap();
            symlink("../target", root.join("dir/link")).unwrap();
            fs::hard_link(root.join("dir/8"), root.join("twin")).unwrap();
            settle(root);
            settle(&root.join("dir"));
            let mut seen = watch(|| {
                let _ = read_dir(root.join("dir")).unwrap().count();
                let _ = crate::read(root.join("dir/link"));
                (0..count).for_each(|number| drop(crate::read(root.join(name(number)))));
            })
            .1;
            for _ in 0..3 {
                assert!(seen.are_unchanged(), "{change_name}");
                assert_eq!(seen.noticed.is_some(), cfg!(target_os = "linux"));
            }
            change(root);
            assert_eq!(seen.are_unchanged(), !is_change, "{change_name}");
            assert_eq!(seen.are_unchanged(), !is_change, "{change_name}, later");
        }
    }

    #[test]
    fn what_is_missing_is_seen_wherever_its_path_begins_to_exist() {
        let missing = ["absent/deep/file", "dangling/file", "linked/file", "here"];
        type Change = fn(&Path);
        let changes: [(&str, bool, Change); 6] = [
            ("another file beside it", false, |root| fs::write(root.join("other"), "").unwrap()),
            ("its directory, empty", false, |root| fs::create_dir_all(root.join("absent/deep")).unwrap()),
            ("its directory with it", true, |root| {
                fs::create_dir_all(root.join("absent/deep")).unwrap();
                fs::write(root.join("absent/deep/file"), "").unwrap();
            }),
            ("what its link leads to", true, |root| {
                fs::create_dir(root.join("away")).unwrap();
                fs::write(root.join("away/file"), "").unwrap();
            }),
            ("in the target of its link", true, |root| fs::write(root.join("target/file"), "").unwrap()),
            ("a link in its place", true, |root| symlink("/nowhere", root.join("here")).unwrap()),
        ];
        for (name, is_change, change) in changes {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path();
            fs::create_dir(root.join("target")).unwrap();
            symlink("away", root.join("dangling")).unwrap();
            symlink("target", root.join("linked")).unwrap();
            settle(root);
            let mut seen = watch(|| missing.map(|path| assert!(!exists(root.join(path))))).1;
            assert_eq!((seen.are_unchanged(), seen.count(), seen.files.len()), (true, 4, 0));
            for round in 0..3 {
                fs::write(root.join(format!("noise {round}")), "").unwrap();
                assert!(seen.are_unchanged(), "{name}");
                settle(root);
                assert!(seen.are_unchanged(), "{name}");
            }
            change(root);
            assert_eq!(seen.are_unchanged(), !is_change, "{name}");
            settle(root);
            assert_eq!(seen.are_unchanged(), !is_change, "{name}, later");
        }
    }

    #[test]
    fn a_path_that_leads_elsewhere_to_the_same_file_is_a_change() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir_all(root.join("a/b")).unwrap();
        settle(&root.join("a"));
        let mut seen = watch(|| crate::canonicalize(root.join("a/b")).unwrap()).1;
        assert!(seen.are_unchanged());
        fs::rename(root.join("a"), root.join("moved")).unwrap();
        symlink("moved", root.join("a")).unwrap();
        assert!(!seen.are_unchanged());
    }

    #[test]
    fn only_the_work_itself_is_watched() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let _ = exists(at("before"));
        let ((inner, ()), outer) = watch(|| {
            let handle = WatchHandle::of_this_thread();
            let inner = watch(|| exists(at("inner"))).1;
            std::thread::scope(|scope| {
                scope.spawn(|| handle.take_part(|| exists(at("helped"))));
                scope.spawn(|| exists(at("other thread")));
            });
            (inner, ())
        });
        let panicked = std::panic::catch_unwind(|| watch(|| panic!("the end")));
        let _ = (panicked, exists(at("after")));
        let names = |seen: &SeenFiles| {
            let absent = seen.absent.values().flat_map(|absent| &absent.files);
            absent.chain(seen.files.keys()).map(|path| path.file_name().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(&inner), ["inner"]);
        assert_eq!(names(&outer), ["helped", "inner"]);
        assert!(!is_watched());
        let future = SeenStamp { file: (0, 0), kind_and_mode: 0, owner: (0, 0), length: 0, changed: (i64::MAX, 0) };
        assert!(system::is_fresh(&future));
    }
}
