//! The sessions that somebody began on this machine: a session goes on with what the person named when it began, and a tape
//! from elsewhere with nothing.
//!
//! A file of digests in the state directory, one a line, to which only is appended.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::digest;

/// The file's name.
const FILE: &str = "begun-sessions";
/// The bits of a mode by which others can write.
const OTHERS_WRITE: u32 = 0o022;

/// The sessions that were begun here, by what was named for them.
#[derive(Debug, Clone)]
pub struct BegunSessions {
    path: Option<PathBuf>,
}

impl BegunSessions {
    /// Those of a state directory. Without one nothing was begun here.
    #[must_use]
    pub fn from_state_dir(directory: Option<&Path>) -> Self {
        Self { path: directory.map(|directory| directory.join(FILE)) }
    }

    /// Whether a session with these facts was begun here. A file that others can write says nothing.
    #[must_use]
    pub fn contains(&self, facts: &str) -> bool {
        let Some(path) = &self.path else { return false };
        let is_own = fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & OTHERS_WRITE == 0);
        let digest = digest::digest_bytes(facts.as_bytes());
        is_own
            && pintle_files::read_text(path).is_ok_and(|text| text.lines().collect::<HashSet<_>>().contains(&*digest))
    }

    /// Remembers that a session with these facts was begun here.
    ///
    /// # Errors
    /// When it cannot be written down.
    pub fn remember(&self, facts: &str) -> io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        if self.contains(facts) {
            return Ok(());
        }
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let mut file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        file.write_all(format!("{}\n", digest::digest_bytes(facts.as_bytes())).as_bytes())
    }
}

#[cfg(test)]
mod tests {
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
}
