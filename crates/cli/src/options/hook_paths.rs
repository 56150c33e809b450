//! Paths of a command's hooks, and whether the user named them.

use std::path::PathBuf;

use pintle_host::loader::{TrustOptions, find_projects};

use super::UserOptions;
use crate::error::CliError;

/// Where a command loads hooks from, in addition to the organisation's and the user's own.
#[derive(Debug, Clone)]
pub(crate) struct HookPaths {
    /// The paths that the user or a tape names.
    pub(crate) paths: Vec<PathBuf>,
    /// The directory whose surrounding project is searched; `None` if paths are named instead.
    pub(crate) search_dir: Option<PathBuf>,
    /// Whether the user named the paths. A path that the user names is trusted for this run.
    pub(crate) is_named: bool,
    /// Whether a path without hooks is an error.
    pub(crate) requires_hooks: bool,
    /// Whether untrusted hooks are listed, too, because the command only shows hooks.
    lists_untrusted: bool,
}

impl HookPaths {
    /// Returns these paths, or the project around the current directory if there are none.
    pub(crate) fn from_paths_or_current_dir(paths: Vec<PathBuf>) -> Self {
        match paths.is_empty() {
            true => Self::from_search_dir(current_dir()),
            false => Self::from_named_paths(paths),
        }
    }

    /// Paths that the user named.
    pub(crate) fn from_named_paths(paths: Vec<PathBuf>) -> Self {
        Self { paths, search_dir: None, is_named: true, requires_hooks: false, lists_untrusted: false }
    }

    /// The project around a directory, which the user did not name.
    pub(crate) fn from_search_dir(dir: PathBuf) -> Self {
        Self { search_dir: Some(dir), is_named: false, ..Self::from_named_paths(Vec::new()) }
    }

    /// Paths that only a tape names.
    pub(crate) fn from_tape(paths: Vec<PathBuf>) -> Self {
        Self { is_named: false, ..Self::from_named_paths(paths) }
    }

    /// Adds a file that the user did not name.
    pub(crate) fn with_found_file(mut self, file: Option<PathBuf>) -> Self {
        self.paths.extend(file);
        self
    }

    /// Requires hooks in each named path, for a command that calls hooks: without any, the result would look like an
    /// `allow`.
    pub(crate) fn with_required_hooks(self) -> Self {
        Self { requires_hooks: self.is_named, ..self }
    }

    /// Lists untrusted hooks, too, for a command that fires nothing.
    pub(crate) fn with_untrusted_listed(self) -> Self {
        Self { lists_untrusted: true, ..self }
    }

    /// The options for reading the trust file.
    pub(crate) fn trust_options(&self) -> TrustOptions {
        TrustOptions { lists_untrusted: self.lists_untrusted, ..TrustOptions::from_env() }
    }

    /// The directories whose hooks need trust, outermost first.
    pub(crate) fn untrusted_dirs(&self, user: &UserOptions) -> Result<Vec<PathBuf>, CliError> {
        let Some(dir) = &self.search_dir else { return Ok(Vec::new()) };
        let mut dirs = find_projects(&user.layers(dir.clone())?, &self.trust_options().into_grants());
        dirs.extend(self.paths.iter().cloned());
        Ok(dirs)
    }
}

/// The current directory, which always has a name.
pub(crate) fn current_dir() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}
