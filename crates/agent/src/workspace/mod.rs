//! The folder an agent works in, and the only files its tools can reach.
//!
//! Every path is opened beneath the folder's own handle, so neither `..`, nor an absolute path, nor a symbolic link
//! leads out of it, also when somebody moves things around at the same time.

mod content;
mod files;
mod lines;
mod protect;
mod walk;

use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use pintle::loader::PolicyFiles;

pub(crate) use content::{find, replace_all, replace_one};
pub(crate) use files::Stat;
pub(crate) use lines::Lines;
pub(crate) use walk::matcher as glob_matcher;

/// The most bytes that a tool reads from one file. Larger files are refused, not cut.
pub(crate) const MAX_FILE_BYTES: u64 = 16 << 20;

/// A folder that cannot be left.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    dir: Dir,
    /// What tools may not change.
    policy: PolicyFiles,
}

impl Workspace {
    /// Opens a folder.
    ///
    /// # Errors
    /// When it is not there or cannot be opened.
    pub fn open(root: &Path) -> Result<Self, String> {
        let fault = |fault: io::Error| format!("cannot open workspace `{}`: {fault}", root.display());
        let dir = Dir::open_ambient_dir(root, ambient_authority()).map_err(fault)?;
        let root = std::path::absolute(root).map_err(fault)?;
        Ok(Self { root, dir, policy: PolicyFiles::default() })
    }

    /// The folder's absolute path.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Runs an operation on a path of the workspace.
    ///
    /// An absolute path is taken when it begins with the workspace's own; every other one is refused.
    fn at<T>(&self, path: &str, operation: impl FnOnce(&Dir, &Path) -> io::Result<T>) -> Result<T, String> {
        let inside = self.relative(path)?;
        operation(&self.dir, &inside).map_err(|fault| explain(path, &fault))
    }

    /// The path relative to the workspace, normal but not resolved; the folder itself is `.`.
    pub(crate) fn relative(&self, path: &str) -> Result<PathBuf, String> {
        let written = Path::new(path);
        let outside = || format!("path `{path}` is outside the workspace; give a path inside it");
        let relative = match written.strip_prefix(&self.root) {
            Ok(rest) => rest,
            Err(_) if written.is_absolute() => return Err(outside()),
            Err(_) => written,
        };
        if path.contains('\0') {
            return Err(format!("path {path:?} holds a NUL character"));
        }
        let mut depth = 0_usize;
        let mut normal = PathBuf::new();
        for component in relative.components() {
            match component {
                Component::CurDir => {}
                Component::Normal(name) => {
                    depth += 1;
                    normal.push(name);
                }
                // `a/..` through a link is not `.`, so the path goes on as written and the handle decides.
                Component::ParentDir => {
                    depth = depth.checked_sub(1).ok_or_else(outside)?;
                    normal.push("..");
                }
                Component::RootDir | Component::Prefix(_) => return Err(outside()),
            }
        }
        if normal.as_os_str().is_empty() {
            normal.push(".");
        }
        Ok(normal)
    }

    /// The real absolute path of a folder in the workspace, for a program to start in.
    pub(crate) fn directory(&self, path: &str) -> Result<PathBuf, String> {
        let real = self.at(path, |dir, path| {
            dir.open_dir(path)?;
            dir.canonicalize(path)
        })?;
        Ok(self.root.join(real))
    }
}

/// What went wrong with a path, for the model: it should be able to do better the next time.
fn explain(path: &str, fault: &io::Error) -> String {
    match fault.kind() {
        io::ErrorKind::NotFound => format!("`{path}` does not exist; list its folder to see what does"),
        io::ErrorKind::AlreadyExists => format!("`{path}` already exists"),
        io::ErrorKind::IsADirectory => format!("`{path}` is a folder, not a file"),
        io::ErrorKind::NotADirectory => format!("`{path}` is not a folder"),
        // The sandbox refuses with this kind and no code of the system.
        io::ErrorKind::PermissionDenied if fault.raw_os_error().is_none() => {
            format!("path `{path}` leads outside the workspace; links may not leave it")
        }
        _ => format!("cannot use `{path}`: {fault}"),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn workspace() -> (tempfile::TempDir, Workspace) {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        (folder, workspace)
    }

    #[test]
    fn no_spelling_of_a_path_leaves_the_workspace() {
        let (folder, workspace) = workspace();
        std::fs::create_dir(folder.path().join("in")).unwrap();
        std::fs::write(folder.path().join("in/a.txt"), "inside").unwrap();
        let secret = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(secret.path(), "secret").unwrap();
        std::os::unix::fs::symlink(secret.path(), folder.path().join("link")).unwrap();
        std::os::unix::fs::symlink(secret.path().parent().unwrap(), folder.path().join("linked")).unwrap();
        std::os::unix::fs::symlink("in/a.txt", folder.path().join("good")).unwrap();
        let name = secret.path().file_name().unwrap().to_str().unwrap();
        let beside = format!("{}-secrets/x", folder.path().display());

        for path in ["in/a.txt", "./in/a.txt", "in/../in/a.txt", "good"] {
            assert_eq!(workspace.read(path).unwrap(), "inside", "{path}");
        }
        let absolute = folder.path().join("in/a.txt");
        assert_eq!(workspace.read(absolute.to_str().unwrap()).unwrap(), "inside");
        let through = format!("linked/{name}");
        for path in ["../x", "in/../../x", "/etc/passwd", "link", through.as_str(), beside.as_str(), ".."] {
            let fault = workspace.read(path).unwrap_err();
            assert!(fault.contains("outside the workspace"), "{path}: {fault}");
            let fault = workspace.write(path, "x").unwrap_err();
            assert!(fault.contains("outside the workspace"), "{path}: {fault}");
        }
        assert_eq!(std::fs::read_to_string(secret.path()).unwrap(), "secret");
    }

    #[test]
    fn a_program_starts_only_in_a_folder_of_the_workspace() {
        let (folder, workspace) = workspace();
        std::fs::create_dir(folder.path().join("in")).unwrap();
        std::os::unix::fs::symlink("/", folder.path().join("out")).unwrap();
        assert_eq!(workspace.directory("in").unwrap(), workspace.root().join("in"));
        assert_eq!(workspace.directory(".").unwrap().components().as_path(), workspace.root());
        for path in ["out", "..", "/"] {
            assert!(workspace.directory(path).unwrap_err().contains("outside the workspace"), "{path}");
        }
        assert_eq!(workspace.directory("no").unwrap_err(), "`no` does not exist; list its folder to see what does");
    }
}
