//! Where a command's hooks are, and whether somebody said so.

use std::path::PathBuf;

use pintle::loader::TrustOptions;

/// The places of hooks.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    pub(crate) paths: Vec<PathBuf>,
    /// Whether nobody named them: the current directory. To name a path is to agree to what its hooks may do.
    pub(crate) is_found: bool,
    /// Whether each of them has to hold hooks.
    pub(crate) wants_hooks: bool,
    /// Whether hooks are only looked at, so that those that do not run are shown, too.
    lists: bool,
}

impl Places {
    /// These paths, or the current directory when there is none.
    pub(crate) fn named_or_here(paths: Vec<PathBuf>) -> Self {
        match paths.is_empty() {
            true => Self::found(PathBuf::from(".")),
            false => Self::named(paths),
        }
    }

    /// Paths that somebody named.
    pub(crate) fn named(paths: Vec<PathBuf>) -> Self {
        Self { paths, is_found: false, wants_hooks: false, lists: false }
    }

    /// A path that nobody named.
    pub(crate) fn found(path: PathBuf) -> Self {
        Self { paths: vec![path], is_found: true, wants_hooks: false, lists: false }
    }

    /// Paths that a tape names and nobody else.
    pub(crate) fn of_tape(paths: Vec<PathBuf>) -> Self {
        Self { paths, is_found: true, wants_hooks: false, lists: false }
    }

    /// The same for a command that asks the hooks: a path that is named and holds none is a mistake, and would look like an
    /// allow.
    pub(crate) fn guarded(self) -> Self {
        Self { wants_hooks: !self.is_found, ..self }
    }

    /// The same for a command that fires nothing.
    pub(crate) fn listing(self) -> Self {
        Self { lists: true, ..self }
    }

    /// Whose agreements count.
    pub(crate) fn trust(&self) -> TrustOptions {
        TrustOptions { lists_untrusted: self.lists, ..TrustOptions::from_env() }
    }
}
