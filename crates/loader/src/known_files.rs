//! The files that were loaded, so that none of them is loaded twice.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pintle_contract::{Diagnostic, Location};
use pintle_files::real_path;

use crate::discover::DiscoveredFile;

/// The files that were loaded so far, by their paths without links.
#[derive(Debug, Default)]
pub struct KnownFiles(RefCell<BTreeSet<PathBuf>>);

impl KnownFiles {
    /// Whether a file was loaded, by any of its paths.
    #[must_use]
    pub fn contains(&self, path: &Path) -> bool {
        self.0.borrow().contains(&real_path(path))
    }

    /// Remembers files.
    pub(crate) fn add(&self, files: &[DiscoveredFile]) {
        self.0.borrow_mut().extend(files.iter().map(|file| real_path(&file.path)));
    }

    /// Removes the files that were loaded before, each with a note; remembers the others.
    pub(crate) fn keep_new(&self, files: &mut Vec<DiscoveredFile>, findings: &mut Vec<Diagnostic>) {
        let (known, new): (Vec<_>, Vec<_>) =
            std::mem::take(files).into_iter().partition(|file| self.contains(&file.path));
        self.add(&new);
        *files = new;
        let mut told: Vec<&Path> = Vec::new();
        for file in &known {
            if !told.contains(&file.path.as_path()) {
                told.push(&file.path);
                let message =
                    format!("the file `{}` is loaded once, although several paths lead to it", file.path.display());
                findings.push(Diagnostic::note("loaded_once", message, Location::default()));
            }
        }
    }
}
