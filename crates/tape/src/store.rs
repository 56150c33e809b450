//! The folder of a session that many short processes work on: its tape, its state, and whose turn it is.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::line::digest;

/// How long a process waits between two looks.
const LOOK: Duration = Duration::from_millis(2);
/// The longest name of a session that becomes the name of a folder as it is.
const LONGEST_NAME: usize = 100;

/// The folder of a session. Nobody else has it while this value lives.
#[derive(Debug)]
pub struct SessionFolder {
    path: PathBuf,
    /// Holds the lock, which the system gives back when the process ends, however it ends.
    _lock: File,
}

impl SessionFolder {
    /// Claims the folder of a session, and makes it first if need be. Others may not read it: payloads can hold secrets.
    ///
    /// # Errors
    /// When it cannot be made, or another process still has it after `patience`.
    pub fn claim(path: PathBuf, patience: Duration) -> io::Result<Self> {
        let lock = match open_lock(&path) {
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => {
                make(&path)?;
                open_lock(&path)?
            }
            opened => opened?,
        };
        let until = Instant::now() + patience;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(Self { path, _lock: lock }),
                // Where there are no locks nobody can be kept away.
                Err(TryLockError::Error(fault)) if fault.kind() == io::ErrorKind::Unsupported => {
                    return Ok(Self { path, _lock: lock });
                }
                Err(TryLockError::Error(fault)) => return Err(fault),
                Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                    return Err(io::Error::new(
                        io::ErrorKind::TimedOut,
                        "another call of this session is still going on",
                    ));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(LOOK),
            }
        }
    }

    /// Where the tape stands.
    #[must_use]
    pub fn tape(&self) -> PathBuf {
        self.path.join("tape.jsonl")
    }

    /// What was kept last, when something was.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub fn kept(&self) -> io::Result<Option<Vec<u8>>> {
        read(&self.path.join("state.json"))
    }

    /// Keeps something in the place of what was kept before. A process that dies in between leaves the old or the new.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&self, bytes: &[u8]) -> io::Result<()> {
        replace(&self.path.join("state.json"), bytes)
    }
}

/// The name of a session's folder: the session's own where that is a plain name, else its digest.
#[must_use]
pub fn folder_name(session: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let is_plain = !session.is_empty() && session.len() <= LONGEST_NAME && session.bytes().all(plain);
    if is_plain && !session.starts_with('.') { session.to_owned() } else { digest(session.as_bytes()) }
}

/// The bytes of a file, or nothing when there is none.
///
/// # Errors
/// When it is there and cannot be read.
pub fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Ok(mut file) => file.read_to_end(&mut bytes).map(|_| Some(bytes)),
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// Puts bytes in the place of a file at once, so that nobody ever reads half of them.
///
/// # Errors
/// When they cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
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

fn open_lock(folder: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(folder.join("lock"))
}

fn make(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_at_a_time_has_a_session() {
        let root = std::env::temp_dir().join(format!("pintle-store-{}", std::process::id()));
        let path = root.join("claude").join("s1");
        let first = SessionFolder::claim(path.clone(), Duration::ZERO).unwrap();
        assert_eq!(SessionFolder::claim(path.clone(), Duration::ZERO).unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(first.kept().unwrap(), None);
        first.keep(b"one").unwrap();
        first.keep(b"two").unwrap();
        drop(first);
        let next = SessionFolder::claim(path, Duration::ZERO).unwrap();
        assert_eq!(next.kept().unwrap().as_deref(), Some(b"two".as_slice()));
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
