//! The directory of a session that many short processes share: its tape, its state, a lock, and the branches of the tape
//! that running calls write.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use pintle_files::{path_beside, private_dir_builder, private_options};

use crate::is_being_written;
use crate::line::digest_hex;

/// How long a process waits between two attempts to lock.
const LOOK: Duration = Duration::from_millis(2);
/// How often a lock file is opened again that is not the session's. Some file systems number a file differently each time.
const MOST_REOPENED: u32 = 8;
/// The lock file.
const LOCK: &str = "lock";
const TAPE: &str = "tape.jsonl";
/// The file with the saved state.
const STATE: &str = "state.json";
/// What a process leaves that dies while it replaces the state.
const NEW_STATE: &str = "state.new";
/// The files of a session that are no branches.
const OWN_FILES: [&str; 4] = [TAPE, LOCK, STATE, NEW_STATE];
/// The start of a branch's file name.
const BRANCH: &str = "call-";
/// The start of the name of a directory whose session is deleted. No session has such a name.
const DELETED: &str = ".deleted-";
/// The maximum length of a session id that is used as a directory name.
const LONGEST_NAME: usize = 100;

/// The file of a saved state, as it was read or written. It is not kept open where an open file cannot be replaced.
///
/// Its first line is a state, and each one after it says what changed: to save another state is to write one line. After
/// some of them a line has the whole state again, behind an empty one. A line that was torn as its process died is not one.
/// When the file has grown, a new one with the whole state takes its place.
#[derive(Debug)]
pub struct StateFile {
    file: Option<File>,
    /// The same file once a line was added.
    writer: Option<File>,
    length_bytes: u64,
    /// Where the last line with the whole state begins, and its length.
    whole_line: (u64, u64),
    /// Whether its last line is whole.
    ends_whole: bool,
}

/// What the next line of a saved state has to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateForm {
    /// The whole state.
    Whole,
    /// What changed since the last line.
    Change,
}

impl StateFile {
    fn new(file: File, bytes: &[u8]) -> Self {
        let file = cfg!(unix).then_some(file);
        let start = start_of_state(bytes);
        let line_bytes = bytes.iter().skip(start).take_while(|byte| **byte != b'\n').count();
        Self {
            file,
            writer: None,
            length_bytes: bytes.len() as u64,
            whole_line: (start as u64, line_bytes as u64),
            ends_whole: bytes.ends_with(b"\n"),
        }
    }

    /// Whether the state was saved again since.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        let Some(found) = self.file.as_ref().and_then(|file| file.metadata().ok()) else { return true };
        is_deleted(&found) || found.len() != self.length_bytes
    }

    /// What the next line in the same file has to say; `None` if that is full.
    fn next_form(&self) -> Option<StateForm> {
        let (start, line_bytes) = self.whole_line;
        let is_full = !self.ends_whole || self.length_bytes > 2 * line_bytes + MOST_STATE_BYTES;
        // Who reads it reads from that line on.
        let is_long = self.length_bytes - start > 2 * line_bytes + MOST_CHANGES_BYTES;
        (!is_full).then_some(if is_long { StateForm::Whole } else { StateForm::Change })
    }

    /// Writes one more line. What cannot be written whole is removed again; if that fails too, it is a torn line.
    fn append(mut self, path: &Path, form: StateForm, line: Vec<u8>) -> io::Result<Self> {
        let mut writer = self.writer.map_or_else(|| File::options().append(true).open(path), Ok)?;
        let lines = match form {
            StateForm::Change => line,
            StateForm::Whole => {
                self.whole_line = (self.length_bytes + 1, line.len() as u64);
                [b"\n", &*line].concat()
            }
        };
        if let Err(error) = writer.write_all(&lines) {
            let _ = writer.set_len(self.length_bytes);
            return Err(error);
        }
        Ok(Self { length_bytes: self.length_bytes + lines.len() as u64, writer: Some(writer), ..self })
    }
}

/// Where the last line begins that has the whole state. That of an empty line that was written last is torn.
fn start_of_state(bytes: &[u8]) -> usize {
    let before_last_line = bytes.iter().rposition(|byte| *byte == b'\n').unwrap_or_default();
    let whole = bytes.get(..before_last_line).unwrap_or_default();
    whole.windows(2).rposition(|pair| pair == b"\n\n").map_or(0, |at| at + 2)
}

/// The whole lines of a file with a state, from the last one with all of it; everything if there is none.
fn lines_of_state(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') {
        bytes.truncate(end + 1);
        bytes.drain(..start_of_state(&bytes));
    }
    bytes
}

/// The empty file of a branch.
#[derive(Debug)]
pub struct BranchFile {
    /// Its path.
    pub path: PathBuf,
    /// The file, if this process has kept it open and locked.
    pub file: Option<File>,
}

impl From<PathBuf> for BranchFile {
    fn from(path: PathBuf) -> Self {
        Self { path, file: None }
    }
}

/// The branches in a session's directory that belong to no running call.
#[derive(Debug, Default)]
pub struct IdleBranches {
    /// Those of calls that ended without merging them, the oldest first.
    pub abandoned: Vec<PathBuf>,
    /// Empty files, to be used again.
    pub spare: Vec<PathBuf>,
}

/// What is known of a session's directory without reading its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FolderFacts {
    /// The size of its files, in bytes.
    pub size_bytes: u64,
    /// When a call of the session recorded or saved something last.
    pub last_used: SystemTime,
    /// Whether it has only files that Pintle writes there.
    pub has_own_files_only: bool,
}

/// The directory of a session, locked while this value exists.
#[derive(Debug)]
pub struct SessionFolder {
    path: PathBuf,
    /// Holds the lock, which the system releases when the process ends for any reason.
    lock: Arc<File>,
}

/// The open lock file of a session's directory, to lock that again.
#[derive(Debug)]
pub struct LockFile(Arc<File>);

impl Drop for SessionFolder {
    fn drop(&mut self) {
        // Whoever keeps the file open has not locked it any more. It fails only where there are no locks.
        let _ = self.lock.unlock();
    }
}

impl SessionFolder {
    /// Locks the directory of a session, and creates it if needed. Only the user may read it, because payloads can
    /// contain secrets.
    ///
    /// # Errors
    /// When it cannot be created, or another process still holds the lock after `patience`.
    pub fn lock(path: PathBuf, patience: Duration) -> io::Result<Self> {
        let lock = LockFile(Arc::new(open_or_create_lock(&path)?));
        Self::lock_by(path, lock, patience)
    }

    /// Locks the directory by its [lock file](Self::lock_file) of an earlier time. No other thread may use that file.
    ///
    /// # Errors
    /// As [`SessionFolder::lock`].
    pub fn lock_by(path: PathBuf, lock: LockFile, patience: Duration) -> io::Result<Self> {
        let LockFile(mut lock) = lock;
        let until = Instant::now() + patience;
        let mut reopened_count = 0;
        loop {
            match lock.try_lock() {
                // The session was deleted while this process waited, and starts again.
                Ok(()) if reopened_count < MOST_REOPENED && !is_lock_of(&lock, &path) => {
                    reopened_count += 1;
                    lock = Arc::new(open_or_create_lock(&path)?);
                }
                Ok(()) => return Ok(Self { path, lock }),
                // Without support for locks, other processes cannot be excluded.
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                    return Ok(Self { path, lock });
                }
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                    let text = format!("another process keeps `{}` locked", path.join(LOCK).display());
                    return Err(io::Error::new(io::ErrorKind::TimedOut, text));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(LOOK),
            }
        }
    }

    /// Locks the directory of a session that no process has locked. Nothing is created: a session that another process
    /// deleted stays deleted.
    ///
    /// # Errors
    /// When it does not exist ([`io::ErrorKind::NotFound`]), or another process holds the lock
    /// ([`io::ErrorKind::TimedOut`]).
    pub fn lock_existing(path: PathBuf) -> io::Result<Self> {
        let lock = Arc::new(open_lock(&path)?);
        let locked = Self::lock_by(path, LockFile(Arc::clone(&lock)), Duration::ZERO)?;
        // It may be another session by now, of which nothing is known.
        if Arc::ptr_eq(&locked.lock, &lock) { Ok(locked) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    /// The lock file, to be kept open for the next time.
    #[must_use]
    pub fn lock_file(&self) -> LockFile {
        LockFile(Arc::clone(&self.lock))
    }

    /// Deletes the session with its whole directory. If the process dies on the way, the session is whole or gone, and
    /// what is left of it is for [`remove_deleted`]. Where a directory with open files cannot be renamed, a part of the
    /// session may be left.
    ///
    /// # Errors
    /// When a call of it is running ([`io::ErrorKind::TimedOut`]), or something in it cannot be deleted.
    pub fn delete(self) -> io::Result<()> {
        if self.branches()?.iter().any(|branch| is_running(branch)) {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "a call of this session is running"));
        }
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let aside = self.path.with_file_name(format!("{DELETED}{name}-{}", std::process::id()));
        let is_aside = fs::rename(&self.path, &aside).is_ok();
        delete_files(if is_aside { &aside } else { &self.path })
    }

    /// What is known of the directory without reading its files.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn facts(&self) -> io::Result<FolderFacts> {
        folder_facts(&self.path)
    }

    /// The path of the tape.
    #[must_use]
    pub fn tape_path(&self) -> PathBuf {
        tape_path(&self.path)
    }

    /// A file for the branch of a call that begins, with a name that no other one has. Branches are sorted by time. A spare
    /// one gets this name if there is one: to use it again costs less than a new file.
    #[must_use]
    pub fn begin_branch(&self, now_ms: u64, spare: Option<BranchFile>) -> BranchFile {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = self.path.join(format!("{BRANCH}{now_ms:014}-{process}-{count}.jsonl"));
        // Otherwise the branch becomes a new file.
        let file = spare.filter(|spare| fs::rename(&spare.path, &path).is_ok()).and_then(|spare| spare.file);
        BranchFile { path, file }
    }

    /// The branches that belong to no running call. `own` is one that this process keeps.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn idle_branches(&self, own: Option<&Path>) -> io::Result<IdleBranches> {
        let mut idle = IdleBranches::default();
        for branch in self.branches()?.into_iter().filter(|branch| Some(branch.as_path()) != own) {
            if !is_being_written(&branch).unwrap_or(true) {
                if is_empty(&branch) { &mut idle.spare } else { &mut idle.abandoned }.push(branch);
            }
        }
        idle.abandoned.sort_unstable();
        Ok(idle)
    }

    /// Whether a call is running other than that of a branch.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn has_other_call(&self, own: &Path) -> io::Result<bool> {
        Ok(self.branches()?.iter().any(|branch| branch != own && is_running(branch)))
    }

    fn branches(&self) -> io::Result<Vec<PathBuf>> {
        branches(&self.path)
    }

    /// Removes a branch that was merged.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove_branch(&self, branch: &Path) -> io::Result<()> {
        fs::remove_file(branch)
    }

    /// Empties a branch that was merged, for a later call. Where files that others have open cannot be cut, it is removed.
    ///
    /// # Errors
    /// When it cannot be emptied.
    pub fn empty_branch(&self, branch: &Path, file: &File) -> io::Result<()> {
        if cfg!(unix) { file.set_len(0) } else { self.remove_branch(branch) }
    }

    /// The lines of the saved state with its file, if there is any.
    ///
    /// # Errors
    /// When it cannot be read, or was saved but is missing.
    pub fn load_state(&self) -> io::Result<Option<(StateFile, Vec<u8>)>> {
        match pintle_files::open(self.path.join(STATE)) {
            Ok(mut file) => {
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes)?;
                Ok(Some((StateFile::new(file, &bytes), lines_of_state(bytes))))
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Err(_) if self.lock.metadata()?.len() > 0 => Err(io::Error::other(format!("its `{STATE}` is missing"))),
            Err(_) => Ok(None),
        }
    }

    /// Saves the state, and returns its file. `before` is the file as it was loaded or saved last; `write_line` writes a
    /// line, with its end, that says all of the state or what changed since. If the process dies meanwhile, either the old
    /// or the new state remains.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save_state(
        &self,
        before: Option<StateFile>,
        write_line: impl FnOnce(StateForm) -> io::Result<Vec<u8>>,
    ) -> io::Result<StateFile> {
        let path = self.path.join(STATE);
        let before = before.filter(|file| !file.is_changed()).and_then(|file| Some((file.next_form()?, file)));
        let file = match before {
            Some((form, before)) => before.append(&path, form, write_line(form)?)?,
            // Only one process at a time gets here, so a file that a killed one left is used again.
            None => replace_by(&self.path.join(NEW_STATE), &path, &write_line(StateForm::Whole)?)?,
        };
        // The lock file records that state was saved, so that missing state is not taken for a new session.
        if self.lock.metadata().is_ok_and(|lock| lock.len() == 0) {
            let _ = (&*self.lock).write_all(b"kept\n");
        }
        Ok(file)
    }
}

/// The directory name of a session: its id if that is a plain name, otherwise its digest.
#[must_use]
pub fn folder_name(session: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let is_plain = !session.is_empty() && session.len() <= LONGEST_NAME && session.bytes().all(plain);
    if is_plain && !session.starts_with('.') { session.to_owned() } else { digest_hex(session.as_bytes()) }
}

/// The bytes of a file, or `None` if it does not exist.
///
/// # Errors
/// When it exists and cannot be read.
pub fn read_if_exists(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match pintle_files::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Replaces a file atomically, so that readers never see a part of it.
///
/// # Errors
/// When the file cannot be written.
pub fn replace_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_by(&path_beside(path), path, bytes).map(drop)
}

/// The length of changes after which a line has the whole state again, and that of a file which is replaced. Both are
/// longer by twice the length of a whole state. To replace a file costs much more than to write a line.
const MOST_CHANGES_BYTES: u64 = 16 << 10;
const MOST_STATE_BYTES: u64 = 128 << 10;

/// Replaces a file by a new one, which is written beside it.
fn replace_by(sibling: &Path, path: &Path, bytes: &[u8]) -> io::Result<StateFile> {
    let opened = private_options().write(true).create(true).truncate(true).open(sibling);
    let written = opened.and_then(|mut file| file.write_all(bytes).map(|()| StateFile::new(file, bytes)));
    let replaced = written.and_then(|file| fs::rename(sibling, path).map(|()| file));
    if replaced.is_err() {
        let _ = fs::remove_file(sibling);
    }
    replaced
}

/// The path of a session's tape.
#[must_use]
pub fn tape_path(dir: &Path) -> PathBuf {
    dir.join(TAPE)
}

/// The lines of a session's saved state, if there is any.
///
/// # Errors
/// When it exists and cannot be read.
pub fn load_state(dir: &Path) -> io::Result<Option<Vec<u8>>> {
    Ok(read_if_exists(&dir.join(STATE))?.map(lines_of_state))
}

/// The directory of a state directory in which the sessions of all host agents are, with a directory for each agent.
#[must_use]
pub fn hosts_dir(state_directory: &Path) -> PathBuf {
    state_directory.join("bridge")
}

/// The directories of the host agents that have sessions, in no particular order.
#[must_use]
pub fn host_folders(state_directory: &Path) -> Vec<PathBuf> {
    subdirectories(&hosts_dir(state_directory)).collect()
}

/// The session directories in a directory, in no particular order: those with a tape or a lock. Everything else is
/// skipped, as is everything that cannot be read.
#[must_use]
pub fn session_folders(within: &Path) -> Vec<PathBuf> {
    let folders = subdirectories(within).filter(|dir| !has_name_start(dir, DELETED));
    folders.filter(|dir| [TAPE, LOCK].iter().any(|name| dir.join(name).is_file())).collect()
}

/// Removes what is left in a directory of sessions whose processes died while they deleted them.
///
/// # Errors
/// When something cannot be removed.
pub fn remove_deleted(within: &Path) -> io::Result<()> {
    for dir in subdirectories(within).filter(|dir| has_name_start(dir, DELETED)) {
        // Without its lock, which goes last, it is empty.
        let lock = pintle_files::open(dir.join(LOCK)).ok();
        let is_deleting = lock.as_ref().is_some_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)));
        if !is_deleting {
            delete_files(&dir)?;
        }
    }
    Ok(())
}

fn subdirectories(within: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(within).into_iter().flatten().flatten();
    // A link points outside this directory.
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path())
}

fn has_name_start(path: &Path, start: &str) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start))
}

/// Deletes a session's directory. Another process may have deleted a part of it.
fn delete_files(dir: &Path) -> io::Result<()> {
    let is_missing = |result: io::Result<()>| match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    };
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_name() == LOCK {
            continue;
        }
        let is_dir = entry.file_type()?.is_dir();
        is_missing(if is_dir { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) })?;
    }
    // The lock goes last: from here on another process may start the session again and own the directory.
    is_missing(fs::remove_file(dir.join(LOCK)))?;
    match is_missing(fs::remove_dir(dir)) {
        Err(error) if error.kind() != io::ErrorKind::DirectoryNotEmpty => Err(error),
        _ => Ok(()),
    }
}

/// What is known of a session's directory without reading its files. Links are not followed.
///
/// # Errors
/// When it cannot be read.
pub fn folder_facts(dir: &Path) -> io::Result<FolderFacts> {
    let (mut size_bytes, mut has_own_files_only) = (0, true);
    // To lock a session is not to use it.
    let (mut used, mut locked) = (None, None);
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let (found, name) = (entry.metadata()?, entry.file_name());
        let name = name.to_string_lossy();
        has_own_files_only &= found.is_file() && (is_branch_name(&name) || OWN_FILES.contains(&&*name));
        if found.is_file() {
            size_bytes += found.len();
            let last = if name == LOCK { &mut locked } else { &mut used };
            *last = (*last).max(Some(found.modified()?));
        }
    }
    let last_used = used.or(locked).ok_or_else(|| io::Error::other("it has no files"))?;
    Ok(FolderFacts { size_bytes, last_used, has_own_files_only })
}

/// The total size of a session's files.
#[must_use]
pub fn size_bytes(dir: &Path) -> u64 {
    let files = fs::read_dir(dir).into_iter().flatten().flatten().filter_map(|entry| entry.metadata().ok());
    files.filter(fs::Metadata::is_file).map(|file| file.len()).sum()
}

/// Whether a call of the session is running, or a process has locked its directory. A directory without a lock file is
/// not locked.
///
/// # Errors
/// When its lock file exists and cannot be checked.
pub fn is_in_use(dir: &Path) -> io::Result<bool> {
    if branches(dir)?.iter().any(|branch| is_running(branch)) {
        return Ok(true);
    }
    let lock = match pintle_files::open(dir.join(LOCK)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        opened => opened?,
    };
    match lock.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => Err(error),
        _ => Ok(false),
    }
}

fn is_branch_name(name: &str) -> bool {
    name.starts_with(BRANCH) && name.ends_with(".jsonl")
}

fn branches(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let files = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let names = files.map(|entry| entry.file_name());
    let named = names.filter_map(|name| name.into_string().ok()).filter(|name| is_branch_name(name));
    Ok(named.map(|name| dir.join(name)).collect())
}

/// Whether the call of a branch is running: its process has locked the file. A branch that cannot be opened counts as
/// running, one that is empty was merged.
fn is_running(branch: &Path) -> bool {
    !is_empty(branch) && is_being_written(branch).unwrap_or(true)
}

fn is_empty(branch: &Path) -> bool {
    fs::symlink_metadata(branch).is_ok_and(|found| found.len() == 0)
}

/// Opens the lock file of a directory, and creates both if needed.
fn open_or_create_lock(dir: &Path) -> io::Result<File> {
    match open_lock(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            create_session_folder(dir)?;
            open_lock(dir)
        }
        opened => opened,
    }
}

/// Whether an open lock file is still that of the session in a directory. It is that of a deleted one if the process died
/// that deleted it, too.
#[cfg(unix)]
fn is_lock_of(lock: &File, dir: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    match (lock.metadata(), fs::metadata(dir.join(LOCK))) {
        (Ok(open), Ok(found)) => identity(open) == identity(found),
        (_, Err(error)) => error.kind() != io::ErrorKind::NotFound,
        (Err(_), _) => true,
    }
}

/// Where open files cannot be deleted, nor their directory renamed, it always is.
#[cfg(not(unix))]
fn is_lock_of(_lock: &File, _dir: &Path) -> bool {
    true
}

#[cfg(unix)]
fn is_deleted(open: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(open) == 0
}

/// On other systems open files cannot be deleted.
#[cfg(not(unix))]
fn is_deleted(_open: &fs::Metadata) -> bool {
    false
}

fn open_lock(dir: &Path) -> io::Result<File> {
    private_options().write(true).create(true).truncate(false).open(dir.join(LOCK))
}

fn create_session_folder(dir: &Path) -> io::Result<()> {
    private_dir_builder().recursive(true).create(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_at_a_time_has_a_session() {
        let root = std::env::temp_dir().join(format!("pintle-store-{}", std::process::id()));
        let path = root.join("claude").join("s1");
        let first = SessionFolder::lock(path.clone(), Duration::ZERO).unwrap();
        assert_eq!(SessionFolder::lock(path.clone(), Duration::ZERO).unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(first.load_state().unwrap().is_none());
        let save = |folder: &SessionFolder, before, text: &str| {
            folder.save_state(before, |form| Ok(format!("{text} {form:?}\n").into_bytes())).unwrap()
        };
        let file = save(&first, None, "one");
        let file = save(&first, Some(file), "two");
        assert!(!file.is_changed());
        drop(first);
        let next = SessionFolder::lock(path.clone(), Duration::ZERO).unwrap();
        let state = path.join(STATE);
        assert_eq!(fs::read(&state).unwrap(), b"one Whole\ntwo Change\n");
        let (loaded, text) = next.load_state().unwrap().unwrap();
        assert_eq!(text, fs::read(&state).unwrap());
        let loaded = save(&next, Some(loaded), "three");
        assert!(!loaded.is_changed() && (cfg!(windows) || file.is_changed()));
        // What a process that died left of its line is not a state, and nothing is written behind it.
        fs::write(&state, "one\ntwo\nthr").unwrap();
        let (torn, text) = next.load_state().unwrap().unwrap();
        assert_eq!(text, b"one\ntwo\n");
        save(&next, Some(torn), "four");
        assert_eq!(fs::read(&state).unwrap(), b"four Whole\n");
        // Long changes end with the whole state, and a long file is replaced.
        let long = "x".repeat(usize::try_from(MOST_CHANGES_BYTES).unwrap() / 2);
        let mut file = Some(next.load_state().unwrap().unwrap().0);
        let mut counts = Vec::new();
        for _ in 0..24 {
            file = Some(save(&next, file, &long));
            let lines = String::from_utf8(load_state(&path).unwrap().unwrap()).unwrap();
            assert!(lines.lines().next().unwrap().ends_with("Whole") && !lines.trim_end().contains("\n\n"));
            counts.push((lines.lines().count(), fs::metadata(&state).unwrap().len() / MOST_CHANGES_BYTES));
        }
        assert!(counts.iter().all(|(lines, size)| *lines <= 5 && *size <= 10), "{counts:?}");
        assert!(counts.windows(2).any(|pair| pair[0].1 > pair[1].1), "it was replaced: {counts:?}");
        assert!(counts.windows(2).any(|pair| pair[0].0 > pair[1].0 && pair[0].1 <= pair[1].1), "{counts:?}");
        // The whole state was torn.
        fs::write(&state, "one Whole\ntwo Change\n\nthree Wh").unwrap();
        let (torn, text) = next.load_state().unwrap().unwrap();
        assert_eq!(text, b"one Whole\ntwo Change\n\n");
        drop(torn);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn deleted_session_starts_empty_for_the_process_that_waited() {
        let root = std::env::temp_dir().join(format!("pintle-store-delete-{}", std::process::id()));
        let path = root.join("claude").join("s1");
        assert!(!is_in_use(&path).unwrap(), "it does not exist");
        let first = SessionFolder::lock(path.clone(), Duration::ZERO).unwrap();
        assert!(is_in_use(&path).unwrap());
        first.save_state(None, |_| Ok(b"one\n".to_vec())).unwrap();
        fs::create_dir(path.join("more")).unwrap();
        fs::write(path.join("more/file"), "").unwrap();
        let lock = open_or_create_lock(&path).unwrap();
        let waiting = thread::spawn({
            let path = path.clone();
            move || SessionFolder::lock(path, Duration::from_secs(60)).unwrap()
        });
        first.delete().unwrap();
        assert!(!is_lock_of(&lock, &path));
        let next = waiting.join().unwrap();
        assert_eq!(session_folders(&root.join("claude")), std::slice::from_ref(&path));
        assert!(next.load_state().unwrap().is_none() && !path.join("more").exists());
        drop(next);
        assert!(path.exists() && !is_in_use(&path).unwrap());
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_deletion_that_was_interrupted_is_finished_later_and_is_not_a_session() {
        let root = tempfile::tempdir().unwrap();
        let (path, host) = (root.path().join("claude/s1"), root.path().join("claude"));
        let waiting = open_or_create_lock(&path).unwrap();
        fs::write(path.join(TAPE), "{}\n").unwrap();
        let left = host.join(format!("{DELETED}s1-1"));
        fs::rename(&path, &left).unwrap();
        assert!(session_folders(&host).is_empty());
        assert_eq!(SessionFolder::lock_existing(path.clone()).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(!path.exists(), "it was not made again");
        // The process that waited for the lock does not take the deleted session for its own.
        let again = SessionFolder::lock_by(path.clone(), LockFile(Arc::new(waiting)), Duration::ZERO).unwrap();
        assert!(path.join(LOCK).exists() && again.load_state().unwrap().is_none());
        // One that another process deletes now is left to it.
        let other = File::open(left.join(LOCK)).unwrap();
        other.lock().unwrap();
        remove_deleted(&host).unwrap();
        assert!(left.exists());
        drop(other);
        remove_deleted(&host).unwrap();
        assert!(!left.exists() && path.exists());
        fs::create_dir(&left).unwrap();
        remove_deleted(&host).unwrap();
        assert!(!left.exists(), "it had no files");
        remove_deleted(&host.join("none")).unwrap();
    }

    #[test]
    fn a_session_was_used_when_its_files_were_written_and_not_when_it_was_locked() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("s1");
        let folder = SessionFolder::lock(path.clone(), Duration::ZERO).unwrap();
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let write = |name: &str, seconds| {
            fs::write(path.join(name), "12").unwrap();
            File::options().write(true).open(path.join(name)).unwrap().set_modified(at(seconds)).unwrap();
        };
        File::options().write(true).open(path.join(LOCK)).unwrap().set_modified(at(9)).unwrap();
        let facts = |size_bytes, seconds, has_own_files_only| {
            let last_used = at(seconds);
            assert_eq!(folder.facts().unwrap(), FolderFacts { size_bytes, last_used, has_own_files_only });
        };
        facts(0, 9, true);
        write(TAPE, 3);
        facts(2, 3, true);
        write(STATE, 5);
        write("call-1-2-3.jsonl", 4);
        facts(6, 5, true);
        write("notes.txt", 6);
        facts(8, 6, false);
        assert_eq!(folder_facts(&root.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(folder_facts(root.path()).is_err(), "it has no files");
    }

    #[test]
    fn no_session_names_a_folder_outside() {
        for (session, plain) in
            [("a9bc-14_f.2", true), ("..", false), ("a/b", false), ("", false), (".x", false), ("\u{fc}", false)]
        {
            let name = folder_name(session);
            assert_eq!(name == session, plain, "{session:?}");
            assert!(name.len() <= LONGEST_NAME && !name.contains(['/', '\\']) && !name.starts_with('.'), "{name}");
        }
    }
}
