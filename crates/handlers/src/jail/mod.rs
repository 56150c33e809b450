//! Restricts file access to a directory, and reads files in it.
//!
//! Every path is opened relative to the directory's own handle, so neither `..`, nor an absolute path, nor a symbolic
//! link leads out of it, even if files are moved concurrently. Hooks and tools share this code for reading; operations
//! that only an agent may do, such as writing, are in its workspace.

mod answer;
mod error;
mod lines;
mod read;
mod walk;

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

pub use answer::answer_fs;
pub use error::JailError;
pub use lines::LineView;
pub use read::{EntryStat, MAX_FILE_BYTES, MAX_HOOK_FILE_BYTES, open_regular_file};
pub use walk::{TreeWalk, glob_matcher};

/// A directory that paths cannot leave.
#[derive(Debug)]
pub struct JailedDir {
    root: PathBuf,
    dir: Arc<Dir>,
}

/// The open directories of the process. Many sessions work in one directory, and an open one counts against the limit of
/// open files.
static OPEN_DIRS: Mutex<BTreeMap<PathBuf, Weak<Dir>>> = Mutex::new(BTreeMap::new());

impl JailedDir {
    /// Opens a directory.
    ///
    /// # Errors
    /// When it does not exist or cannot be opened.
    pub fn open(root: &Path) -> io::Result<Self> {
        let dir = Arc::new(Dir::open_ambient_dir(root, ambient_authority())?);
        let root = std::path::absolute(root)?;
        let dir = share_dir(&root, dir);
        Ok(Self { root, dir })
    }

    /// The absolute path of the directory.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Runs an operation on a path in the directory.
    ///
    /// # Errors
    /// When the path leads out of the directory, or the operation fails.
    pub fn run_at<T>(&self, path: &str, operation: impl FnOnce(&Dir, &Path) -> io::Result<T>) -> Result<T, JailError> {
        let inside = self.relative_path(path)?;
        operation(&self.dir, &inside).map_err(|error| JailError::from_io(path, error))
    }

    /// The path relative to the directory, normalized but not resolved; the directory itself is `.`. An absolute path
    /// is accepted if it starts with the directory's own.
    ///
    /// # Errors
    /// When its text alone shows that it is outside the directory.
    pub fn relative_path(&self, path: &str) -> Result<PathBuf, JailError> {
        let written = Path::new(path);
        let outside = || JailError::Outside { path: path.to_owned() };
        let relative = match written.strip_prefix(&self.root) {
            Ok(rest) => rest,
            Err(_) if written.is_absolute() => return Err(outside()),
            Err(_) => written,
        };
        if path.contains('\0') {
            return Err(JailError::NulCharacter { path: path.to_owned() });
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
                // `a/..` through a link is not `.`, so the path stays as written and the handle decides.
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
}

/// The directory if it is open already, otherwise the given one.
fn share_dir(root: &Path, opened: Arc<Dir>) -> Arc<Dir> {
    let mut open_dirs = OPEN_DIRS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = open_dirs.get(root).and_then(Weak::upgrade);
    if let Some(known) = known.filter(|known| is_same_dir(known, &opened)) {
        return known;
    }
    open_dirs.retain(|_, dir| dir.strong_count() > 0);
    open_dirs.insert(root.to_owned(), Arc::downgrade(&opened));
    opened
}

#[cfg(unix)]
fn is_same_dir(one: &Dir, other: &Dir) -> bool {
    use cap_std::fs::MetadataExt;
    let identity = |dir: &Dir| dir.dir_metadata().map(|known| (known.dev(), known.ino())).ok();
    identity(one).is_some_and(|known| identity(other) == Some(known))
}

/// On other systems directories have no identity that could be compared.
#[cfg(not(unix))]
fn is_same_dir(_one: &Dir, _other: &Dir) -> bool {
    false
}

#[cfg(test)]
pub(crate) mod tests {
    use std::fs;

    use super::*;

    pub(crate) fn jailed_dir(files: &[&str]) -> (tempfile::TempDir, JailedDir) {
        let dir = tempfile::tempdir().unwrap();
        for path in files {
            let file = dir.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "x").unwrap();
        }
        let jailed = JailedDir::open(dir.path()).unwrap();
        (dir, jailed)
    }

    #[test]
    fn no_spelling_of_a_path_reads_outside_of_the_folder() {
        let (dir, jailed) = jailed_dir(&["in/a.txt"]);
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), "secret").unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret"), dir.path().join("link")).unwrap();
        std::os::unix::fs::symlink(outside.path(), dir.path().join("linked")).unwrap();
        std::os::unix::fs::symlink("/proc", dir.path().join("proc")).unwrap();
        std::os::unix::fs::symlink("in/a.txt", dir.path().join("good")).unwrap();
        let absolute = dir.path().join("in/a.txt");
        for path in ["in/a.txt", "./in/a.txt", "in/../in/a.txt", "good", absolute.to_str().unwrap()] {
            assert_eq!(jailed.read(path).unwrap(), "x", "{path}");
        }
        let beside = format!("{}-secrets/x", dir.path().display());
        let spellings =
            ["../x", "in/../../x", "/etc/passwd", "link", "linked/secret", "proc/self/environ", beside.as_str(), ".."];
        for path in spellings {
            for error in [
                jailed.read(path).map(drop),
                jailed.list(path).map(drop),
                jailed.exists(path).map(drop),
                jailed.stat(path).map(drop),
            ] {
                assert!(error.unwrap_err().to_string().contains("outside the workspace"), "{path}");
            }
        }
        assert!(jailed.read("in\0").unwrap_err().to_string().contains("a NUL character"));
    }
}
