//! The sources of hooks if the user does not name a path: the organisation, the user, and the project around the
//! working directory.
//!
//! The hooks of the first two are trusted. A project's hooks are found, not named, so the user must trust them
//! ([`crate::trust`]).

mod dirs;
mod folder;
mod project;

use std::path::PathBuf;

pub(crate) use dirs::home_dir;
pub use dirs::{MissingDir, UserDirs, find_config_dir, find_managed_dir, state_dir};
pub use folder::load_layer;
pub use project::find_projects;

/// The sources of hooks if the user does not name a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LayerDirs {
    /// The working directory. The project is the nearest directory from here upwards that contains hooks.
    pub cwd: PathBuf,
    /// The user's home directory; no project is searched above it. Default: none, and the search ends at the
    /// repository.
    pub home: Option<PathBuf>,
    /// The directories of the organisation. A missing one contains nothing. Default: none.
    pub managed: Vec<PathBuf>,
    /// The configuration directory of the user. Default: none.
    pub config: Option<PathBuf>,
    /// The name of a dialect whose hooks the host runs itself, so that they are left out of the project's. Default:
    /// none.
    pub excluded_dialect: Option<String>,
}

impl LayerDirs {
    /// The directories of this machine for a working directory: `/etc/pintle`, and the user's own as found by
    /// [`find_config_dir`].
    #[must_use]
    pub fn from_env(cwd: impl Into<PathBuf>, config: Option<PathBuf>) -> Self {
        Self { cwd: cwd.into(), home: dirs::home_dir(), config, ..Self::managed_only() }
    }

    /// Only the organisation's directory of this machine, `/etc/pintle`, for callers that name all others.
    #[must_use]
    pub fn managed_only() -> Self {
        Self { managed: vec![PathBuf::from(dirs::MANAGED)], ..Self::default() }
    }

    /// Adds a directory of the organisation, as found by [`find_managed_dir`].
    #[must_use]
    pub fn with_managed_dir(mut self, dir: Option<PathBuf>) -> Self {
        self.managed.extend(dir);
        self
    }

    /// Leaves out the project's hooks of a dialect that the host runs itself.
    #[must_use]
    pub fn excluding_dialect(mut self, dialect: Option<&str>) -> Self {
        self.excluded_dialect = dialect.map(str::to_owned);
        self
    }
}
