//! Where a command's hooks are, and whether somebody said so.

use std::path::PathBuf;

use pintle::loader::TrustOptions;

/// The places of hooks.
#[derive(Debug, Clone)]
pub(crate) struct HookPaths {
    pub(crate) paths: Vec<PathBuf>,
    /// Whether nobody named them: the current directory. To name a path is to agree to what its hooks may do.
    pub(crate) is_discovered: bool,
    /// Whether each of them has to hold hooks.
    pub(crate) requires_hooks: bool,
    /// Whether hooks are only looked at, so that those that do not run are shown, too.
    lists_untrusted: bool,
}

impl HookPaths {
    /// These paths, or the current directory when there is none.
    pub(crate) fn from_paths_or_current_dir(paths: Vec<PathBuf>) -> Self {
        match paths.is_empty() {
            true => Self::from_discovered(PathBuf::from(".")),
            false => Self::from_named_paths(paths),
        }
    }

    /// Paths that somebody named.
    pub(crate) fn from_named_paths(paths: Vec<PathBuf>) -> Self {
        Self { paths, is_discovered: false, requires_hooks: false, lists_untrusted: false }
    }

    /// A path that nobody named.
    pub(crate) fn from_discovered(path: PathBuf) -> Self {
        Self { paths: vec![path], is_discovered: true, requires_hooks: false, lists_untrusted: false }
    }

    /// Paths that a tape names and nobody else.
    pub(crate) fn from_tape(paths: Vec<PathBuf>) -> Self {
        Self { paths, is_discovered: true, requires_hooks: false, lists_untrusted: false }
    }

    /// The same for a command that asks the hooks: a path that is named and holds none is a mistake, and would look like an
    /// allow.
    pub(crate) fn with_required_hooks(self) -> Self {
        Self { requires_hooks: !self.is_discovered, ..self }
    }

    /// The same for a command that fires nothing.
    pub(crate) fn with_untrusted_listed(self) -> Self {
        Self { lists_untrusted: true, ..self }
    }

    /// Whose agreements count.
    pub(crate) fn trust_options(&self) -> TrustOptions {
        TrustOptions { lists_untrusted: self.lists_untrusted, ..TrustOptions::from_env() }
    }
}
