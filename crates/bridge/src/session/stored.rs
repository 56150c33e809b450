//! Lists the stored sessions of hosts.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pintle_host::files;
use pintle_host::tape::session_folder::{self, SessionFolder};

use super::summary::{HostSessionSummary, SessionSummaryError};
use super::{host_folder, store};
use crate::{HOSTS, HostDef};

/// A stored session of a host.
#[derive(Debug)]
pub struct StoredSession {
    /// The host.
    pub host: &'static HostDef,
    /// The host's ID of the session; the name of its directory if the tape does not contain it.
    pub session: String,
    /// Its directory.
    pub folder: PathBuf,
    /// The agent's directory when the session started; `None` if it is not known.
    pub project: Option<PathBuf>,
    /// The size of all its files, in bytes.
    pub size_bytes: u64,
    /// Whether a call of it is running.
    pub is_in_use: bool,
    /// The summary of its tape, or the reason why it cannot be read.
    pub summary: Result<HostSessionSummary, SessionSummaryError>,
}

impl StoredSession {
    /// All sessions of a host, the most recent one last. Other files in the host's directory are ignored.
    #[must_use]
    pub fn list(state_directory: &Path, host: &'static HostDef) -> Vec<Self> {
        let mut all: Vec<Self> =
            session_folders_of(state_directory, host).map(|dir| Self::from_folder(dir, host)).collect();
        all.sort_by_cached_key(|kept| (kept.summary.as_ref().ok().map(|story| story.last_ms), kept.session.clone()));
        all
    }

    /// The tapes of a host's sessions, unread, in no particular order. Sessions without a tape are left out.
    #[must_use]
    pub fn list_tapes(state_directory: &Path, host: &HostDef) -> Vec<PathBuf> {
        let tapes = session_folders_of(state_directory, host).map(|dir| session_folder::tape_path(&dir));
        tapes.filter(|tape| files::is_file(tape)).collect()
    }

    /// The agent's directory when the session in this directory started; `None` if it is not known.
    #[must_use]
    pub fn project_of(session_folder: &Path) -> Option<PathBuf> {
        project_of(session_folder)
    }

    /// The number of sessions of all hosts that worked on a project.
    #[must_use]
    pub fn count_for_project(state_directory: &Path, project: &Path) -> usize {
        let folders = HOSTS.iter().flat_map(|host| session_folders_of(state_directory, host));
        folders.filter(|dir| project_of(dir).is_some_and(|known| is_same_folder(&known, project))).count()
    }

    /// Whether it worked on a project.
    #[must_use]
    pub fn belongs_to(&self, project: &Path) -> bool {
        self.project.as_deref().is_some_and(|known| is_same_folder(known, project))
    }

    /// The path of its tape, which may not exist.
    #[must_use]
    pub fn tape_path(&self) -> PathBuf {
        session_folder::tape_path(&self.folder)
    }

    /// Deletes the session with all its files.
    ///
    /// # Errors
    /// When a call of it is running ([`io::ErrorKind::TimedOut`]), or its files cannot be deleted.
    pub fn delete(&self) -> io::Result<()> {
        SessionFolder::lock(self.folder.clone(), Duration::ZERO)?.delete()
    }

    fn from_folder(dir: PathBuf, host: &'static HostDef) -> Self {
        let name = || dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let story = HostSessionSummary::read(&session_folder::tape_path(&dir), host);
        let named = story.as_ref().ok().map(|story| story.session.clone()).filter(|session| !session.is_empty());
        Self {
            host,
            session: named.unwrap_or_else(name),
            project: project_of(&dir),
            size_bytes: session_folder::size_bytes(&dir),
            is_in_use: session_folder::is_in_use(&dir).unwrap_or(false),
            summary: story,
            folder: dir,
        }
    }
}

/// The directories of a host's sessions, in no particular order.
fn session_folders_of(state_directory: &Path, host: &HostDef) -> impl Iterator<Item = PathBuf> {
    session_folder::session_folders(&host_folder(state_directory, host.name)).into_iter()
}

fn project_of(dir: &Path) -> Option<PathBuf> {
    let state = store::read_state(dir).ok()??;
    Some(PathBuf::from(&state.project)).filter(|project| !project.as_os_str().is_empty())
}

/// Whether two paths are the same directory. If one does not exist, the paths are compared.
fn is_same_folder(one: &Path, other: &Path) -> bool {
    one == other
        || matches!((files::canonicalize(one), files::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}
