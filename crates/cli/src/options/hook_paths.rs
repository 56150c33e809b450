//! Paths of a command's hooks, and whether the user named them.

use std::path::PathBuf;

use pintle::loader::TrustOptions;

/// Paths to load hooks from.
#[derive(Debug, Clone)]
pub(crate) struct HookPaths {
    pub(crate) paths: Vec<PathBuf>,
    /// Whether the user did not name them. A path that the user names is trusted for this run.
    pub(crate) is_discovered: bool,
    /// Whether a path without hooks is an error.
    pub(crate) requires_hooks: bool,
    /// Whether untrusted hooks are listed, too, because the command only shows hooks.
    lists_untrusted: bool,
}

impl HookPaths {
    /// Returns these paths, or the current directory if there are none.
    pub(crate) fn from_paths_or_current_dir(paths: Vec<PathBuf>) -> Self {
        match paths.is_empty() {
            true => Self::from_discovered(PathBuf::from(".")),
            false => Self::from_named_paths(paths),
        }
    }

    /// Paths that the user named.
    pub(crate) fn from_named_paths(paths: Vec<PathBuf>) -> Self {
        Self { paths, is_discovered: false, requires_hooks: false, lists_untrusted: false }
    }

    /// A path that the user did not name.
    pub(crate) fn from_discovered(path: PathBuf) -> Self {
        Self { paths: vec![path], is_discovered: true, requires_hooks: false, lists_untrusted: false }
    }

    /// Paths that only a tape names.
    pub(crate) fn from_tape(paths: Vec<PathBuf>) -> Self {
        Self { paths, is_discovered: true, requires_hooks: false, lists_untrusted: false }
    }

    /// Requires hooks in each named path, for a command that calls hooks: without any, the result would look like an
    /// `allow`.
    pub(crate) fn with_required_hooks(self) -> Self {
        Self { requires_hooks: !self.is_discovered, ..self }
    }

    /// Lists untrusted hooks, too, for a command that fires nothing.
    pub(crate) fn with_untrusted_listed(self) -> Self {
        Self { lists_untrusted: true, ..self }
    }

    /// The options for reading the trust file.
    pub(crate) fn trust_options(&self) -> TrustOptions {
        TrustOptions { lists_untrusted: self.lists_untrusted, ..TrustOptions::from_env() }
    }
}
