//! What a dialect can ask about installed programs while it reads files. The loader answers.

use std::fmt::Debug;
use std::path::Path;

/// Looks up programs without starting them.
pub trait ProgramLookup: Debug {
    /// The status of an absolute path.
    fn inspect(&self, path: &Path) -> PathStatus;

    /// Whether a program of this name is on the search path.
    fn can_find(&self, name: &str) -> bool;
}

/// The status of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStatus {
    /// There is nothing.
    Missing,
    /// It is not a regular file, but for example a directory.
    NotAFile,
    /// A regular file.
    File {
        /// The beginning of its text; invalid bytes are replaced.
        head: String,
        /// Whether this process may execute it.
        is_executable: bool,
    },
}
