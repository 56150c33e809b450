//! The directory of a session that many short processes share: its tape, its state, and a lock.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::line::digest_hex;

/// How long a process waits between two attempts to lock.
const LOOK: Duration = Duration::from_millis(2);
/// The lock file.
const LOCK: &str = "lock";
const TAPE: &str = "tape.jsonl";
/// The file with the saved state.
const STATE: &str = "state.json";
/// The maximum length of a session id that is used as a directory name.
const LONGEST_NAME: usize = 100;

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
                    return Err(io::Error::new(
                        io::ErrorKind::TimedOut,
                        "another call of this session is still running",
                    ));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(LOOK),
            }
        }
    }

    /// Deletes the session with its whole directory.
    ///
    /// # Errors
    /// When something in it cannot be deleted.
    pub fn delete(self) -> io::Result<()> {
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

    /// The saved state, if there is any.
    ///
    /// # Errors
    /// When it cannot be read, or was saved but is missing.
    pub fn load_state(&self) -> io::Result<Option<Vec<u8>>> {
        match load_state(&self.path)? {
            None if self.lock.metadata()?.len() > 0 => Err(io::Error::other(format!("its `{STATE}` is missing"))),
            kept => Ok(kept),
        }
    }

    /// Replaces the saved state. If the process dies meanwhile, either the old or the new state remains.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save_state(&self, bytes: &[u8]) -> io::Result<()> {
        replace_atomically(&self.path.join(STATE), bytes)?;
        // The lock file records that state was saved, so that missing state is not taken for a new session.
        if self.lock.metadata().is_ok_and(|lock| lock.len() == 0) {
            let _ = (&self.lock).write_all(b"kept\n");
        }
        Ok(())
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
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&beside).and_then(|mut file| file.write_all(bytes));
    let replaced = written.and_then(|()| fs::rename(&beside, path));
    if replaced.is_err() {
        let _ = fs::remove_file(&beside);
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

/// Whether a process has locked the session's directory. A directory without a lock file is not locked.
///
/// # Errors
/// When its lock file exists and cannot be checked.
pub fn is_locked(dir: &Path) -> io::Result<bool> {
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

/// Whether the lock file was deleted after it was opened.
#[cfg(unix)]
fn is_gone(lock: &File) -> bool {
    lock.metadata().is_ok_and(|lock| std::os::unix::fs::MetadataExt::nlink(&lock) == 0)
}

/// On other systems open files cannot be deleted.
#[cfg(not(unix))]
fn is_gone(_lock: &File) -> bool {
    false
}

fn open_lock(dir: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(dir.join(LOCK))
}

fn create_session_folder(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
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
        assert_eq!(first.load_state().unwrap(), None);
        first.save_state(b"one").unwrap();
        first.save_state(b"two").unwrap();
        drop(first);
        let next = SessionFolder::lock(path, Duration::ZERO).unwrap();
        assert_eq!(next.load_state().unwrap().as_deref(), Some(b"two".as_slice()));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn deleted_session_starts_empty_for_the_process_that_waited() {
        let root = std::env::temp_dir().join(format!("pintle-store-delete-{}", std::process::id()));
        let path = root.join("claude").join("s1");
        assert!(!is_locked(&path).unwrap(), "it does not exist");
        let first = SessionFolder::lock(path.clone(), Duration::ZERO).unwrap();
        assert!(is_locked(&path).unwrap());
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
        assert!(path.exists() && !is_locked(&path).unwrap());
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
