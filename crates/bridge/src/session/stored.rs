//! The sessions of hosts that are kept, for lists of them.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pintle::tape::session_folder::{self, SessionFolder};
use serde::Deserialize;

use super::host_folder;
use super::summary::HostSessionSummary;
use crate::{HOSTS, HostDef};

/// A session of a host that is kept in the state directory.
#[derive(Debug)]
pub struct StoredSession {
    /// The host.
    pub host: &'static HostDef,
    /// The session as the host names it; the name of its folder where its tape does not say.
    pub session: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The folder that the agent worked in when the session began; `None` when that was not kept.
    pub project: Option<PathBuf>,
    /// What all its files take, in bytes.
    pub size_bytes: u64,
    /// Whether a call of it is answered right now.
    pub is_in_use: bool,
    /// What its tape tells, or why that cannot be read.
    pub summary: Result<HostSessionSummary, String>,
}

/// What of a session's state is looked at here.
#[derive(Deserialize)]
struct StatePeek {
    project: String,
}

impl StoredSession {
    /// All sessions of a host, the one that was heard of last at the end. Whatever else lies in the host's folder is none.
    #[must_use]
    pub fn list(state_directory: &Path, host: &'static HostDef) -> Vec<Self> {
        let mut all: Vec<Self> =
            session_folders_of(state_directory, host).map(|folder| Self::from_folder(folder, host)).collect();
        all.sort_by_cached_key(|kept| (kept.summary.as_ref().ok().map(|story| story.last_ms), kept.session.clone()));
        all
    }

    /// How many sessions of all hosts worked on a project.
    #[must_use]
    pub fn count_for_project(state_directory: &Path, project: &Path) -> usize {
        let folders = HOSTS.iter().flat_map(|host| session_folders_of(state_directory, host));
        folders.filter(|folder| project_of(folder).is_some_and(|known| is_same_folder(&known, project))).count()
    }

    /// Whether it worked on a project.
    #[must_use]
    pub fn belongs_to(&self, project: &Path) -> bool {
        self.project.as_deref().is_some_and(|known| is_same_folder(known, project))
    }

    /// The path of its tape. Not every session has come to one.
    #[must_use]
    pub fn tape_path(&self) -> PathBuf {
        session_folder::tape_path(&self.folder)
    }

    /// Deletes it with all that is kept of it.
    ///
    /// # Errors
    /// When a call of it is answered right now ([`io::ErrorKind::TimedOut`]), or its files cannot be deleted.
    pub fn delete(&self) -> io::Result<()> {
        SessionFolder::lock(self.folder.clone(), Duration::ZERO)?.delete()
    }

    fn from_folder(folder: PathBuf, host: &'static HostDef) -> Self {
        let name = || folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let story = HostSessionSummary::read(&session_folder::tape_path(&folder), host);
        let named = story.as_ref().ok().map(|story| story.session.clone()).filter(|session| !session.is_empty());
        Self {
            host,
            session: named.unwrap_or_else(name),
            project: project_of(&folder),
            size_bytes: session_folder::size_bytes(&folder),
            is_in_use: session_folder::is_locked(&folder).unwrap_or(false),
            summary: story,
            folder,
        }
    }
}

/// The folders of a host's sessions, in no order.
fn session_folders_of(state_directory: &Path, host: &HostDef) -> impl Iterator<Item = PathBuf> {
    session_folder::session_folders(&host_folder(state_directory, host.name)).into_iter()
}

fn project_of(folder: &Path) -> Option<PathBuf> {
    let kept = session_folder::load_state(folder).ok()??;
    let StatePeek { project } = serde_json::from_slice(&kept).ok()?;
    (!project.is_empty()).then(|| PathBuf::from(project))
}

/// Whether two paths mean one folder. Of one that is gone only the name counts.
fn is_same_folder(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
