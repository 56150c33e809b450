//! The directory of a session that many short processes share: its tape, its state, a lock, and the branches of the tape
//! that running calls write.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pintle_files::{private_dir_builder, private_options};

use crate::is_being_written;
use crate::line::digest_hex;

/// How long a process waits between two attempts to lock.
const LOOK: Duration = Duration::from_millis(2);
/// The lock file.
const LOCK: &str = "lock";
const TAPE: &str = "tape.jsonl";
/// The file with the saved state.
const STATE: &str = "state.json";
/// The start of a branch's file name.
const BRANCH: &str = "call-";
/// The maximum length of a session id that is used as a directory name.
const LONGEST_NAME: usize = 100;

/// The file of a saved state, as it was read or written. It is not kept open where an open file cannot be replaced.
#[derive(Debug)]
pub struct StateFile(Option<File>);

impl StateFile {
    fn new(file: File) -> Self {
        Self(cfg!(unix).then_some(file))
    }

    /// Whether the state was saved again since.
    #[must_use]
    pub fn is_replaced(&self) -> bool {
        self.0.as_ref().is_none_or(is_gone)
    }
}

/// The directory of a session, locked while this value exists.
#[derive(Debug)]
pub struct SessionFolder {
    path: PathBuf,
    /// Holds the lock, which the system releases when the process ends for any reason.
    lock: File,
}

impl SessionFolder {
    /// Locks the directory of a session, and creates it if needed. Only the user may read it, because payloads can
    /// contain secrets.
    ///
    /// # Errors
    /// When it cannot be created, or another process still holds the lock after `patience`.
    pub fn lock(path: PathBuf, patience: Duration) -> io::Result<Self> {
        let until = Instant::now() + patience;
        let mut lock = open_or_create_lock(&path)?;
        loop {
            match lock.try_lock() {
                // The session was deleted while this process waited, and starts again.
                Ok(()) if is_gone(&lock) => lock = open_or_create_lock(&path)?,
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

    /// Deletes the session with its whole directory.
    ///
    /// # Errors
    /// When a call of it is running ([`io::ErrorKind::TimedOut`]), or something in it cannot be deleted.
    pub fn delete(self) -> io::Result<()> {
        if self.branches()?.iter().any(|branch| is_running(branch)) {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "a call of this session is running"));
        }
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if entry.file_name() == LOCK {
                continue;
            }
            if entry.file_type()?.is_dir() { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) }?;
        }
        // The lock goes last: from here on another process may start the session again and own the directory.
        fs::remove_file(self.path.join(LOCK))?;
        match fs::remove_dir(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::DirectoryNotEmpty => Err(error),
            _ => Ok(()),
        }
    }

    /// The path of the tape.
    #[must_use]
    pub fn tape_path(&self) -> PathBuf {
        tape_path(&self.path)
    }

    /// A path for the branch of a call that begins, which no other call has. Branches are sorted by time.
    #[must_use]
    pub fn new_branch_path(&self, now_ms: u64) -> PathBuf {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        self.path.join(format!("{BRANCH}{now_ms:014}-{process}-{count}.jsonl"))
    }

    /// The branches of calls that ended without merging them, the oldest first.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn abandoned_branches(&self) -> io::Result<Vec<PathBuf>> {
        let mut abandoned = self.branches()?;
        abandoned.retain(|branch| !is_running(branch));
        abandoned.sort_unstable();
        Ok(abandoned)
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

    /// The saved state with its file, if there is any.
    ///
    /// # Errors
    /// When it cannot be read, or was saved but is missing.
    pub fn load_state(&self) -> io::Result<Option<(StateFile, Vec<u8>)>> {
        match pintle_files::open(self.path.join(STATE)) {
            Ok(mut file) => {
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes)?;
                Ok(Some((StateFile::new(file), bytes)))
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Err(_) if self.lock.metadata()?.len() > 0 => Err(io::Error::other(format!("its `{STATE}` is missing"))),
            Err(_) => Ok(None),
        }
    }

    /// Replaces the saved state, and returns its new file. If the process dies meanwhile, either the old or the new state
    /// remains.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save_state(&self, bytes: &[u8]) -> io::Result<StateFile> {
        // Only one process at a time gets here, so a file that a killed one left is used again.
        let path = self.path.join(STATE);
        let file = replace_by(&path.with_extension("new"), &path, bytes)?;
        // The lock file records that state was saved, so that missing state is not taken for a new session.
        if self.lock.metadata().is_ok_and(|lock| lock.len() == 0) {
            let _ = (&self.lock).write_all(b"kept\n");
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
    replace_by(&path.with_extension(format!("{}.new", std::process::id())), path, bytes).map(drop)
}

/// Replaces a file by a new one, which is written beside it.
fn replace_by(sibling: &Path, path: &Path, bytes: &[u8]) -> io::Result<StateFile> {
    let opened = private_options().write(true).create(true).truncate(true).open(sibling);
    let written = opened.and_then(|mut file| file.write_all(bytes).map(|()| StateFile::new(file)));
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

/// The saved state of a session, if there is any.
///
/// # Errors
/// When it exists and cannot be read.
pub fn load_state(dir: &Path) -> io::Result<Option<Vec<u8>>> {
    read_if_exists(&dir.join(STATE))
}

/// The session directories in a directory, in no particular order: those with a tape or a lock. Everything else is
/// skipped, as is everything that cannot be read.
#[must_use]
pub fn session_folders(within: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(within).into_iter().flatten().flatten();
    // A link points outside this directory.
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path());
    folders.filter(|dir| [TAPE, LOCK].iter().any(|name| dir.join(name).is_file())).collect()
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

fn branches(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let is_branch = |name: &str| name.starts_with(BRANCH) && name.ends_with(".jsonl");
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let files = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let names = files.map(|entry| entry.file_name());
    let named = names.filter_map(|name| name.into_string().ok()).filter(|name| is_branch(name));
    Ok(named.map(|name| dir.join(name)).collect())
}

/// Whether the process of a branch is running. It has locked the file; a branch that cannot be opened counts as running.
fn is_running(branch: &Path) -> bool {
    is_being_written(branch).unwrap_or(true)
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

/// Whether a file was deleted after it was opened.
#[cfg(unix)]
fn is_gone(file: &File) -> bool {
    file.metadata().is_ok_and(|file| std::os::unix::fs::MetadataExt::nlink(&file) == 0)
}

/// On other systems open files cannot be deleted.
#[cfg(not(unix))]
fn is_gone(_file: &File) -> bool {
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
        first.save_state(b"one").unwrap();
        first.save_state(b"two").unwrap();
        drop(first);
        let next = SessionFolder::lock(path, Duration::ZERO).unwrap();
        assert_eq!(next.load_state().unwrap().unwrap().1, b"two");
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn deleted_session_starts_empty_for_the_process_that_waited() {
        let root = std::env::temp_dir().join(format!("pintle-store-delete-{}", std::process::id()));
        let path = root.join("claude").join("s1");
        assert!(!is_in_use(&path).unwrap(), "it does not exist");
        let first = SessionFolder::lock(path.clone(), Duration::ZERO).unwrap();
        assert!(is_in_use(&path).unwrap());
        first.save_state(b"one").unwrap();
        fs::create_dir(path.join("more")).unwrap();
        fs::write(path.join("more/file"), "").unwrap();
        let lock = open_or_create_lock(&path).unwrap();
        let waiting = thread::spawn({
            let path = path.clone();
            move || SessionFolder::lock(path, Duration::from_secs(60)).unwrap()
        });
        first.delete().unwrap();
        assert!(is_gone(&lock));
        let next = waiting.join().unwrap();
        assert_eq!(session_folders(&root.join("claude")), std::slice::from_ref(&path));
        assert!(next.load_state().unwrap().is_none() && !path.join("more").exists());
        drop(next);
        assert!(path.exists() && !is_in_use(&path).unwrap());
        fs::remove_dir_all(root).unwrap();
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
