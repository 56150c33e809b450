//! The listed policy files and directories, under every name that they have.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use pintle_files::trace_links;

use crate::file_facts::file_identity;

/// The most directory entries that are examined for another name of a file.
const MOST_ENTRIES: usize = 65_536;

/// Paths without links in them, by the same path in lower case: on some systems case does not matter.
#[derive(Debug, Clone, Default)]
pub(super) struct ListedPaths(BTreeMap<PathBuf, PathBuf>);

impl ListedPaths {
    /// Lists paths with the links that they go through: neither a link nor its target may be replaced.
    pub(super) fn from_paths(paths: impl Iterator<Item = PathBuf>) -> Self {
        Self(paths.flat_map(|path| trace_links(&path)).map(|path| (to_key(&path), path)).collect())
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.values().map(PathBuf::as_path)
    }

    /// Whether a path without links is listed, or is inside a listed directory.
    pub(super) fn covers(&self, path: &Path) -> bool {
        to_key(path).ancestors().any(|above| self.0.contains_key(above))
    }

    /// The listed paths at and below a path without links.
    pub(super) fn find_below(&self, path: &Path) -> impl Iterator<Item = &Path> {
        let dir = to_key(path);
        let after = self.0.range(dir.clone()..);
        after.take_while(move |(found, _)| found.starts_with(&dir)).map(|(_, path)| path.as_path())
    }

    /// Whether a path is a hard link to a listed file, or to one in a listed directory.
    pub(super) fn has_hard_link(&self, path: &Path) -> bool {
        let identity = |path: &Path| pintle_files::metadata(path).ok().and_then(|found| file_identity(&found));
        let Some(wanted) = identity(path) else { return false };
        let mut is_it = |path: &Path| identity(path) == Some(wanted);
        self.paths().any(|path| is_it(path) || (pintle_files::is_dir(path) && has_any_below(path, &mut is_it)))
    }
}

/// Whether two paths are of one file that exists.
pub(super) fn has_same_file(path: &Path, other: &Path) -> bool {
    let identity = |path: &Path| pintle_files::metadata(path).ok().and_then(|found| file_identity(&found));
    identity(path).is_some_and(|wanted| identity(other) == Some(wanted))
}

fn to_key(path: &Path) -> PathBuf {
    let lower = path.to_str().map(|text| OsString::from(text.to_lowercase()));
    PathBuf::from(lower.unwrap_or_else(|| path.as_os_str().to_ascii_lowercase()))
}

/// Whether a predicate holds for any file below a directory; links are not followed.
pub(super) fn has_any_below(dir: &Path, is_it: &mut dyn FnMut(&Path) -> bool) -> bool {
    let mut folders = vec![dir.to_owned()];
    let mut seen = 0;
    while let Some(dir) = folders.pop() {
        for entry in pintle_files::read_dir(dir).into_iter().flatten().flatten() {
            seen += 1;
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(kind) if kind.is_file() && is_it(&path) => return true,
                _ => {}
            }
        }
        if seen > MOST_ENTRIES {
            // A file that cannot be ruled out is treated as policy.
            return true;
        }
    }
    false
}
