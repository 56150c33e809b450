//! The sources of hooks if the user does not name a path: the organisation, the user, and the project around the
//! working directory.
//!
//! The hooks of the first two are trusted. A project's hooks are found, not named, so the user must trust them
//! ([`crate::trust`]).

mod account;
mod dirs;
mod folder;
mod project;

use std::path::{Path, PathBuf};

pub use account::resolve_named_dir;
pub(crate) use dirs::default_dirs;
pub use dirs::{MANAGED_DIR, MissingDir, UserDirs, find_config_dir, find_managed_dir};
pub use folder::{
    find_tape_retention, find_tape_witness, find_telemetry, load_layer, load_shadowed_layer, telemetry_of,
};
pub use pintle_files::state_dir;
use pintle_files::{BUNDLE_LINK, SHADOW_BUNDLE_LINK};
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
    /// Directories of the organisation whose hooks are called and not enforced. Default: none.
    pub shadowed: Vec<PathBuf>,
    /// The name of a dialect whose hooks the host runs itself, so that they are left out of the project's. Default:
    /// none.
    pub excluded_dialect: Option<String>,
    /// Whether the agent of the nearest project is the one that runs. Default: no, the host runs its own agent, and only
    /// the hooks of the project apply to it.
    pub runs_project_agent: bool,
}

impl LayerDirs {
    /// Finds the directories of this machine for a working directory: `/etc/pintle` and a further directory of the
    /// organisation ([`find_managed_dir`]), the user's own ([`find_config_dir`]), and the policy bundles in each of them.
    /// `config` and `managed` are what the command line names. Without a working directory (an empty path), no project is searched.
    ///
    /// # Errors
    /// When a named directory does not exist.
    pub fn find(cwd: PathBuf, config: Option<&Path>, managed: Option<&Path>) -> Result<Self, MissingDir> {
        let mut layers = Self::find_own(cwd, config)?;
        layers.managed.extend(find_managed_dir(managed)?);
        Ok(layers.with_bundles())
    }

    /// The same for a command line that another agent runs: if it names the user's directory, `PINTLE_MANAGED_DIR` is
    /// ignored. Managed hooks need no trust, and a project may be able to set the variables of the agent.
    ///
    /// # Errors
    /// When a named directory does not exist.
    pub fn find_for_host(cwd: PathBuf, config: Option<&Path>, managed: Option<&Path>) -> Result<Self, MissingDir> {
        match (config, managed) {
            (Some(_), None) => Self::find_own(cwd, config).map(Self::with_bundles),
            _ => Self::find(cwd, config, managed),
        }
    }

    fn find_own(cwd: PathBuf, config: Option<&Path>) -> Result<Self, MissingDir> {
        let managed = vec![PathBuf::from(dirs::MANAGED_DIR)];
        Ok(Self { cwd, home: pintle_files::home_dir(), managed, config: find_config_dir(config)?, ..Self::default() })
    }

    /// Adds the policy bundles that `pintle-fleet` keeps in the directories. They are the organisation's, also those in the
    /// directory of a user.
    fn with_bundles(mut self) -> Self {
        let dirs: Vec<PathBuf> = self.managed.iter().chain(&self.config).cloned().collect();
        let find = |link| dirs.iter().filter_map(move |dir| pintle_files::find_bundle(dir, link));
        self.managed.extend(find(BUNDLE_LINK));
        self.shadowed.extend(find(SHADOW_BUNDLE_LINK));
        self
    }

    /// Runs the agent of the nearest project, with its own settings.
    #[must_use]
    pub fn running_project_agent(mut self) -> Self {
        self.runs_project_agent = true;
        self
    }

    /// Leaves out the project's hooks of a dialect that the host runs itself.
    #[must_use]
    pub fn excluding_dialect(mut self, dialect: Option<&str>) -> Self {
        self.excluded_dialect = dialect.map(str::to_owned);
        self
    }
}
