//! Where the tapes of a machine are.

use std::path::{Path, PathBuf};

use pintle_tape::session_folder;
use serde::Deserialize;

/// Where to look for tapes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TapePlaces {
    /// The directory in which `pintle hook` keeps the sessions of host agents; `None` for none.
    pub state_dir: Option<PathBuf>,
    /// The directories whose own sessions are shipped.
    pub directories: Vec<PathBuf>,
}

/// A tape on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedTape {
    /// The tape.
    pub path: PathBuf,
    /// The agent that ran the session under `pintle hook`; `None` for a session of Pintle's own loop.
    pub host: Option<String>,
    /// The directory of the project of an own session; those of host agents say theirs in their state.
    project: Option<PathBuf>,
}

/// What is read of the saved state of a host agent's session.
#[derive(Deserialize)]
struct SavedState {
    facts: SavedFacts,
}

#[derive(Deserialize)]
struct SavedFacts {
    project: String,
}

impl TapePlaces {
    /// The tapes, unread, by path.
    #[must_use]
    pub fn list_tapes(&self) -> Vec<LocatedTape> {
        let hosts = self.state_dir.iter().flat_map(|state| session_folder::host_folders(state));
        let hosts = hosts.flat_map(|host| {
            let name = host.file_name().map(|name| name.to_string_lossy().into_owned());
            let tapes = session_folder::session_folders(&host).into_iter().map(|dir| session_folder::tape_path(&dir));
            let tapes = tapes.filter(|tape| pintle_files::is_file(tape));
            tapes.map(move |path| LocatedTape { path, host: name.clone(), project: None })
        });
        let own = self.directories.iter().flat_map(|dir| {
            let home = pintle_files::canonicalize(dir).unwrap_or_else(|_| dir.clone());
            let entries = pintle_files::read_dir(home.join(".pintle").join("tapes")).into_iter().flatten().flatten();
            let tapes = entries.map(|entry| entry.path());
            let tapes = tapes.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
            tapes.map(move |path| LocatedTape { path, host: None, project: Some(home.clone()) })
        });
        let mut all: Vec<LocatedTape> = hosts.chain(own).collect();
        all.sort_by(|one, other| one.path.cmp(&other.path));
        all.dedup_by(|one, other| one.path == other.path);
        all
    }
}

impl LocatedTape {
    /// The directory of the project; `None` if it is not known.
    #[must_use]
    pub fn find_project(&self) -> Option<String> {
        let project = match &self.project {
            Some(project) => project.to_string_lossy().into_owned(),
            None => self.path.parent().and_then(read_project)?,
        };
        Some(project).filter(|project| !project.is_empty())
    }
}

/// The project that the saved state of a session names: its first line has the whole state.
fn read_project(session_folder: &Path) -> Option<String> {
    let lines = session_folder::load_state(session_folder).ok()??;
    let first = lines.split(|byte| *byte == b'\n').find(|line| !line.is_empty())?;
    serde_json::from_slice::<SavedState>(first).ok().map(|state| state.facts.project)
}
