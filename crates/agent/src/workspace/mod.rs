//! The workspace: the directory an agent works in, and the only files its tools can reach.
//!
//! [`JailedDir`] reads files; this module changes them, within the same directory handle, except for protected files.

mod content;
mod files;
mod protect;

use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use pintle_host::jail::JailedDir;
use pintle_host::loader::PolicyFiles;

pub(crate) use content::{replace_all, replace_one};

/// A directory that paths cannot leave, with files that tools cannot change.
#[derive(Debug)]
pub struct Workspace {
    dir: JailedDir,
    /// What the files that tools cannot change are found from: the policy that sessions share, and paths of its own.
    shared_policy: Option<(Arc<PolicyFiles>, Vec<PathBuf>)>,
    /// The files that tools cannot change, found before the first change: an idle session does not need them.
    policy: OnceLock<PolicyFiles>,
}

/// The error of a workspace that cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("cannot open workspace `{path}`: {source}")]
#[non_exhaustive]
pub struct WorkspaceError {
    /// The directory.
    pub path: PathBuf,
    /// The cause.
    pub source: io::Error,
}

/// All reading functions.
impl Deref for Workspace {
    type Target = JailedDir;

    fn deref(&self) -> &JailedDir {
        &self.dir
    }
}

impl Workspace {
    /// Opens a directory.
    ///
    /// # Errors
    /// When it does not exist or cannot be opened.
    pub fn open(root: &Path) -> Result<Self, WorkspaceError> {
        let folder = JailedDir::open(root).map_err(|source| WorkspaceError { path: root.to_owned(), source })?;
        Ok(Self { dir: folder, shared_policy: None, policy: OnceLock::new() })
    }

    /// The real absolute path of a directory in the workspace, for a program to start in.
    pub(crate) fn directory(&self, path: &str) -> Result<PathBuf, String> {
        let real = self.run_at(path, |dir, path| {
            dir.open_dir(path)?;
            dir.canonicalize(path)
        });
        let real = real.map_err(|error| error.to_string())?;
        Ok(self.root().join(real))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn open_workspace() -> (tempfile::TempDir, Workspace) {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(dir.path()).unwrap();
        (dir, workspace)
    }

    #[test]
    fn no_spelling_of_a_path_leaves_the_workspace() {
        let (dir, workspace) = open_workspace();
        std::fs::create_dir(dir.path().join("in")).unwrap();
        std::fs::write(dir.path().join("in/a.txt"), "inside").unwrap();
        let secret = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(secret.path(), "secret").unwrap();
        std::os::unix::fs::symlink(secret.path(), dir.path().join("link")).unwrap();
        std::os::unix::fs::symlink(secret.path().parent().unwrap(), dir.path().join("linked")).unwrap();
        std::os::unix::fs::symlink("in/a.txt", dir.path().join("good")).unwrap();
        let name = secret.path().file_name().unwrap().to_str().unwrap();
        let beside = format!("{}-secrets/x", dir.path().display());

        for path in ["in/a.txt", "./in/a.txt", "in/../in/a.txt", "good"] {
            assert_eq!(workspace.read(path).unwrap(), "inside", "{path}");
        }
        let absolute = dir.path().join("in/a.txt");
        assert_eq!(workspace.read(absolute.to_str().unwrap()).unwrap(), "inside");
        let through = format!("linked/{name}");
        for path in ["../x", "in/../../x", "/etc/passwd", "link", through.as_str(), beside.as_str(), ".."] {
            let error = workspace.read(path).unwrap_err().to_string();
            assert!(error.contains("outside the workspace"), "{path}: {error}");
            let error = workspace.write(path, "x").unwrap_err();
            assert!(error.contains("outside the workspace"), "{path}: {error}");
        }
        assert_eq!(std::fs::read_to_string(secret.path()).unwrap(), "secret");
    }

    #[test]
    fn a_program_starts_only_in_a_folder_of_the_workspace() {
        let (dir, workspace) = open_workspace();
        std::fs::create_dir(dir.path().join("in")).unwrap();
        std::os::unix::fs::symlink("/", dir.path().join("out")).unwrap();
        assert_eq!(workspace.directory("in").unwrap(), workspace.root().join("in"));
        assert_eq!(workspace.directory(".").unwrap().components().as_path(), workspace.root());
        for path in ["out", "..", "/"] {
            assert!(workspace.directory(path).unwrap_err().contains("outside the workspace"), "{path}");
        }
        assert_eq!(workspace.directory("no").unwrap_err(), "`no` does not exist; list its directory to see what does");
    }
}
