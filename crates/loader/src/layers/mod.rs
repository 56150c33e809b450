//! Where hooks come from when nobody names a path: the organisation, the person, and the project around a folder.
//!
//! What the first two have is trusted. What a project has is found and not named, so it needs consent
//! ([`crate::trust`]).

mod folder;
mod places;
mod project;

use std::path::PathBuf;

pub use folder::load_layer;
pub use places::{config_dir, named_config_dir, state_dir, usual_config_dir};
pub use project::find_projects;

/// Where hooks come from when nobody names a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layers {
    /// The folder that is worked in. The project is the nearest folder from here upwards that holds hooks.
    pub cwd: PathBuf,
    /// The person's home, above which no project is looked for. Default: none, and the search ends at the repository.
    pub home: Option<PathBuf>,
    /// The folders of the organisation. Those that are not there hold nothing. Default: none.
    pub managed: Vec<PathBuf>,
    /// The folder of the person. Default: none.
    pub config: Option<PathBuf>,
    /// The name of a dialect that the host runs itself, so that its hooks are left out of the project's. Default: none.
    pub without: Option<String>,
}

impl Layers {
    /// The folders as the environment has them, for somebody who works in a folder: `/etc/pintle`, besides it
    /// `PINTLE_MANAGED_DIR`, and the person's own ([`config_dir`]) when it is there.
    #[must_use]
    pub fn of_environment(cwd: impl Into<PathBuf>) -> Self {
        Self {
            cwd: cwd.into(),
            home: places::home(),
            managed: places::managed(),
            config: config_dir().filter(|folder| folder.is_dir()),
            without: None,
        }
    }

    /// Leaves out the project's hooks of a dialect that the host runs itself.
    #[must_use]
    pub fn without(mut self, dialect: Option<&str>) -> Self {
        self.without = dialect.map(str::to_owned);
        self
    }
}
