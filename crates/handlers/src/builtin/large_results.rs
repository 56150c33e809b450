//! Stores tool results that are too large for a conversation in files.
//!
//! Each session has its own directory below the host's temporary directory. It is created by this process and only its
//! user can access it, so that no other user can have put files there.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pintle_files::{private_dir_builder, private_options};

/// The stored results of one session.
#[derive(Debug)]
struct SessionResults {
    directory: PathBuf,
    files: HashSet<PathBuf>,
}

/// The stored results of a runtime's sessions, shared by all hooks of a session.
#[derive(Debug, Default)]
pub(crate) struct LargeResults(Mutex<HashMap<String, SessionResults>>);

/// The most names that are tried for a directory or a file.
const MOST_TRIES: u32 = 10_000;

impl LargeResults {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, SessionResults>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a result to the session's directory.
    pub(super) fn store(&self, session: &str, text: &str) -> io::Result<PathBuf> {
        let mut sessions = self.lock();
        let directory = match sessions.get(session) {
            Some(kept) if kept.directory.is_dir() => kept.directory.clone(),
            _ => {
                let directory = create_private_dir(&std::env::temp_dir())?;
                let kept = SessionResults { directory: directory.clone(), files: HashSet::new() };
                sessions.insert(session.to_owned(), kept);
                directory
            }
        };
        let path = write_new_file(&directory, |number| format!("tool-result-{number}.txt"), text)?;
        if let Some(kept) = sessions.get_mut(session) {
            kept.files.insert(path.clone());
        }
        Ok(path)
    }

    /// Reads a result that was written to a file in this session. `None` for any other file: the path must be the one
    /// that the model got.
    pub(crate) fn read(&self, session: &str, path: &str) -> Option<io::Result<String>> {
        let known = self.lock().get(session)?.files.get(Path::new(path))?.clone();
        Some(std::fs::read_to_string(known))
    }

    /// Removes the session's directory with all its files.
    pub(super) fn remove_session(&self, session: &str) -> io::Result<()> {
        let known = self.lock().remove(session);
        match known.map(|kept| std::fs::remove_dir_all(kept.directory)) {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Creates a directory that only this user can access.
fn create_private_dir(parent: &Path) -> io::Result<PathBuf> {
    for number in 0..MOST_TRIES {
        let path = parent.join(format!("pintle-tool-results-{}-{number}", std::process::id()));
        match private_dir_builder().create(&path) {
            Ok(()) => return Ok(path),
            // An existing directory may belong to another user.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "no free name for a directory"))
}

/// Writes a text to a new file that only this user can read, under the first free name.
pub(super) fn write_new_file(directory: &Path, name: impl Fn(u32) -> String, text: &str) -> io::Result<PathBuf> {
    for number in 1..=MOST_TRIES {
        let path = directory.join(name(number));
        match private_options().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                if let Err(error) = file.write_all(text.as_bytes()) {
                    // A partial result must not be mistaken for a complete one.
                    let _ = std::fs::remove_file(&path);
                    return Err(error);
                }
                return Ok(path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "no free name for a file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_result_is_read_by_its_own_path_in_its_own_session_alone() {
        let results = LargeResults::default();
        let path = results.store("one", "text").unwrap();
        let shown = path.display().to_string();
        assert_eq!(results.read("one", &shown).unwrap().unwrap(), "text");
        let directory = path.parent().unwrap().display().to_string();
        for (session, path) in [
            ("two", shown.clone()),
            ("one", format!("{directory}/../{directory}/tool-result-1.txt")),
            ("one", format!("{directory}/tool-result-2.txt")),
            ("one", directory.clone()),
            ("one", String::from("/etc/passwd")),
        ] {
            assert!(results.read(session, &path).is_none(), "{session} {path}");
        }
        results.remove_session("one").unwrap();
        assert!(results.read("one", &shown).is_none());
    }
}
