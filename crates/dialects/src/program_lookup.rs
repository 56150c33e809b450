//! What a dialect may ask about programs on this machine while it reads files. The loader answers.

use std::fmt::Debug;
use std::path::Path;

/// Tells what programs there are. Nothing is started for it.
pub trait ProgramLookup: Debug {
    /// What lies at an absolute path.
    fn inspect(&self, path: &Path) -> PathStatus;

    /// Whether a program of this name is found in the search path.
    fn can_find(&self, name: &str) -> bool;
}

/// What lies at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStatus {
    /// Nothing.
    Missing,
    /// Something that is no plain file, such as a folder.
    NotAFile,
    /// A file.
    File {
        /// The beginning of its text; what is no character is replaced.
        head: String,
        /// Whether this process may run it.
        is_executable: bool,
    },
}
