//! Where hooks come from when nobody names a path: the organisation, the person, and the project around a folder.
//!
//! What the first two have is trusted. What a project has is found and not named, so it needs consent
//! ([`crate::trust`]).

mod dirs;
mod folder;
mod project;

use std::path::PathBuf;

pub(crate) use dirs::home_dir;
pub use dirs::{MissingDir, UserDirs, find_config_dir, find_managed_dir, state_dir};
pub use folder::load_layer;
pub use project::find_projects;

/// Where hooks come from when nobody names a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LayerDirs {
    /// The folder that is worked in. The project is the nearest folder from here upwards that holds hooks.
    pub cwd: PathBuf,
    /// The person's home, above which no project is looked for. Default: none, and the search ends at the repository.
    pub home: Option<PathBuf>,
    /// The folders of the organisation. Those that are not there hold nothing. Default: none.
    pub managed: Vec<PathBuf>,
    /// The folder of the person. Default: none.
    pub config: Option<PathBuf>,
    /// The name of a dialect that the host runs itself, so that its hooks are left out of the project's. Default: none.
    pub excluded_dialect: Option<String>,
}

impl LayerDirs {
    /// The folders of this machine for somebody who works in a folder: `/etc/pintle`, and the person's own as it was
    /// found ([`find_config_dir`]).
    #[must_use]
    pub fn from_env(cwd: impl Into<PathBuf>, config: Option<PathBuf>) -> Self {
        Self { cwd: cwd.into(), home: dirs::home_dir(), config, ..Self::managed_only() }
    }

    /// The organisation's folder of this machine alone, `/etc/pintle`, for somebody who names all the rest.
    #[must_use]
    pub fn managed_only() -> Self {
        Self { managed: vec![PathBuf::from(dirs::MANAGED)], ..Self::default() }
    }

    /// Adds a folder of the organisation, as it was found ([`find_managed_dir`]).
    #[must_use]
    pub fn with_managed_dir(mut self, folder: Option<PathBuf>) -> Self {
        self.managed.extend(folder);
        self
    }

    /// Leaves out the project's hooks of a dialect that the host runs itself.
    #[must_use]
    pub fn excluding_dialect(mut self, dialect: Option<&str>) -> Self {
        self.excluded_dialect = dialect.map(str::to_owned);
        self
    }
}
