//! The files that were loaded, so that none of them is loaded twice.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use pintle_contract::{Diagnostic, Location};
use pintle_dialects::ArtifactKind;
use pintle_files::{FileState, file_state, real_path};

use crate::discover::DiscoveredFile;

/// The files that were loaded so far, by their paths without links.
#[derive(Debug, Default)]
pub struct KnownFiles {
    files: RefCell<HashSet<PathBuf>>,
    /// The directories of files that were asked for, each without links.
    folders: RefCell<HashMap<PathBuf, PathBuf>>,
}

impl KnownFiles {
    /// Whether a file was loaded, by any of its paths.
    #[must_use]
    pub fn contains(&self, path: &Path) -> bool {
        self.files.borrow().contains(&self.resolve(path, &file_state(path)))
    }

    /// Remembers files.
    pub(crate) fn add(&self, files: &[DiscoveredFile]) {
        self.files.borrow_mut().extend(files.iter().map(|file| self.resolve(&file.path, &file_state(&file.path))));
    }

    /// The path without links. Of the many files of one directory, only the last part is looked at.
    fn resolve(&self, path: &Path, state: &FileState) -> PathBuf {
        let (Some(folder), Some(name)) = (path.parent().filter(|_| state.is_plain()), path.file_name()) else {
            return real_path(path);
        };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let mut folders = self.folders.borrow_mut();
        let known = folders.get(folder).cloned();
        known.unwrap_or_else(|| folders.entry(folder.to_owned()).or_insert(real_path(folder)).clone()).join(name)
    }

    /// Removes the files that were loaded before, each with a note; remembers the others. Returns the states of these.
    pub(crate) fn keep_new(&self, files: &mut Vec<DiscoveredFile>, findings: &mut Vec<Diagnostic>) -> Vec<FileState> {
        let (mut known, mut new, mut states) = (Vec::new(), Vec::new(), Vec::with_capacity(files.len()));
        for file in std::mem::take(files) {
            let state = file_state(&file.path);
            let real = self.resolve(&file.path, &state);
            // What another file extends is part of that file.
            if file.role != ArtifactKind::PolicyBase && self.files.borrow().contains(&real) {
                known.push(file);
                continue;
            }
            new.push(real);
            states.push(state);
            files.push(file);
        }
        self.files.borrow_mut().extend(new);
        let mut told: Vec<&Path> = Vec::new();
        for file in &known {
            if !told.contains(&file.path.as_path()) {
                told.push(&file.path);
                let message =
                    format!("the file `{}` is loaded once, although several paths lead to it", file.path.display());
                findings.push(Diagnostic::note("loaded_once", message, Location::default()));
            }
        }
        states
    }
}
