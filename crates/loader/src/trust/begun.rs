//! Remembers the sessions that were started on this machine: a resumed session uses the paths that the user named when
//! it started, and a tape from elsewhere uses none.
//!
//! The file in the state directory contains one digest per line and is append-only.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::digest;

const FILE: &str = "begun-sessions";
/// The mode bits that let other users write.
const OTHERS_WRITE: u32 = 0o022;

/// The sessions that were started on this machine, identified by the paths that the user named for them.
#[derive(Debug, Clone)]
pub struct BegunSessions {
    path: Option<PathBuf>,
}

impl BegunSessions {
    /// The sessions of a state directory. Without one, no session was started here.
    #[must_use]
    pub fn from_state_dir(directory: Option<&Path>) -> Self {
        Self { path: directory.map(|directory| directory.join(FILE)) }
    }

    /// Whether a session with these facts was started here. A file that other users can write is ignored.
    #[must_use]
    pub fn contains(&self, facts: &str) -> bool {
        let Some(path) = &self.path else { return false };
        let is_own = fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & OTHERS_WRITE == 0);
        let digest = digest::digest_bytes(facts.as_bytes());
        is_own
            && pintle_files::read_text(path).is_ok_and(|text| text.lines().collect::<HashSet<_>>().contains(&*digest))
    }

    /// Remembers that a session with these facts was started here.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn remember(&self, facts: &str) -> io::Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        if self.contains(facts) {
            return Ok(());
        }
        if let Some(dir) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
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
