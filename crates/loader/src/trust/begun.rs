//! Remembers the sessions that were started on this machine: a resumed session uses the paths that the user named when
//! it started, and a tape from elsewhere uses none.
//!
//! The file in the state directory contains one digest per line and is append-only. A second file contains the directories
//! of agents, each with the directory from which the agent was run, so that its sessions are found from there.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pintle_files::private_options;

use super::digest;
use crate::file_facts::{OTHERS_WRITE, mode};
use crate::private_file::create_private_dir;

const FILE: &str = "begun-sessions";
const AGENTS: &str = "run-agents";

/// The sessions that were started on this machine, identified by the paths that the user named for them.
#[derive(Debug, Clone)]
pub struct BegunSessions {
    directory: Option<PathBuf>,
}

impl BegunSessions {
    /// The sessions of a state directory. Without one, no session was started here.
    #[must_use]
    pub fn from_state_dir(directory: Option<&Path>) -> Self {
        Self { directory: directory.map(Path::to_owned) }
    }

    /// Whether a session with these facts was started here. A file that other users can write is ignored.
    #[must_use]
    pub fn contains(&self, facts: &str) -> bool {
        let digest = digest::digest_bytes(facts.as_bytes());
        self.read(FILE).lines().collect::<HashSet<_>>().contains(&*digest)
    }

    /// The directories of the agents that were run from a directory. A file that other users can write is ignored.
    #[must_use]
    pub fn agents_run_from(&self, dir: &Path) -> Vec<PathBuf> {
        let text = self.read(AGENTS);
        let pairs = text.lines().filter_map(|line| serde_json::from_str::<(PathBuf, PathBuf)>(line).ok());
        pairs.filter(|(from, _)| from == dir).map(|(_, agent)| agent).collect()
    }

    /// Remembers that a session with these facts was started here.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn remember(&self, facts: &str) -> io::Result<()> {
        if self.contains(facts) {
            return Ok(());
        }
        self.append(FILE, &digest::digest_bytes(facts.as_bytes()))
    }

    /// Remembers the directory of an agent that is run from another directory.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn remember_agent(&self, from: &Path, agent: &Path) -> io::Result<()> {
        let agent = pintle_files::canonicalize(from.join(agent))?;
        if agent == from || self.agents_run_from(from).contains(&agent) {
            return Ok(());
        }
        self.append(AGENTS, &serde_json::to_string(&(from, agent))?)
    }

    /// The text of a file; empty if it cannot be read or other users can write it.
    fn read(&self, name: &str) -> String {
        let Some(path) = self.directory.as_ref().map(|directory| directory.join(name)) else { return String::new() };
        let is_own = pintle_files::metadata(&path).is_ok_and(|metadata| mode(&path, &metadata) & OTHERS_WRITE == 0);
        if is_own { pintle_files::read_text(&path).unwrap_or_default() } else { String::new() }
    }

    fn append(&self, name: &str, line: &str) -> io::Result<()> {
        let Some(directory) = &self.directory else { return Ok(()) };
        create_private_dir(directory)?;
        let mut file = private_options().create(true).append(true).open(directory.join(name))?;
        file.write_all(format!("{line}\n").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_was_remembered_is_known_and_nothing_else() {
        let state = tempfile::tempdir().unwrap();
        let sessions = BegunSessions::from_state_dir(Some(&state.path().join("new")));
        assert!(!sessions.contains("a"));
        sessions.remember("a").unwrap();
        sessions.remember("b").unwrap();
        sessions.remember("a").unwrap();
        assert!(sessions.contains("a") && sessions.contains("b") && !sessions.contains("c"));
        let file = state.path().join("new").join(FILE);
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 2);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(!sessions.contains("a"), "others can write it");
        let nowhere = BegunSessions::from_state_dir(None);
        nowhere.remember("a").unwrap();
        assert!(!nowhere.contains("a"));
    }

    #[test]
    fn an_agent_is_known_where_it_was_run_from() {
        let root = tempfile::tempdir().unwrap().keep().canonicalize().unwrap();
        fs::create_dir_all(root.join("agent\n1")).unwrap();
        let sessions = BegunSessions::from_state_dir(Some(&root.join("state")));
        for _ in 0..2 {
            sessions.remember_agent(&root, Path::new("agent\n1")).unwrap();
        }
        sessions.remember_agent(&root, Path::new(".")).unwrap();
        assert_eq!(sessions.agents_run_from(&root), [root.join("agent\n1")]);
        assert!(sessions.agents_run_from(&root.join("agent\n1")).is_empty());
        assert!(sessions.remember_agent(&root, Path::new("gone")).is_err());
        fs::set_permissions(root.join("state").join(AGENTS), fs::Permissions::from_mode(0o622)).unwrap();
        assert!(sessions.agents_run_from(&root).is_empty(), "others can write it");
        fs::remove_dir_all(root).unwrap();
    }
}
