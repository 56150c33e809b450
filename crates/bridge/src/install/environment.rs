//! Locates the settings of a host.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pintle_host::files;

use super::{InstallError, InstallScope, SettingsLocation};

/// The root of this machine's file system.
const ROOT: &str = "/";

/// The environment of an installation.
#[derive(Debug, Clone)]
pub struct InstallEnvironment {
    /// The user's home directory.
    pub home: PathBuf,
    /// The project's directory.
    pub project: PathBuf,
    /// The root of the file system with the settings of the machine: `/`, or the directory of an image.
    pub root: PathBuf,
    /// The environment variables.
    pub variables: BTreeMap<String, String>,
}

impl InstallEnvironment {
    /// The environment of this process, with a project.
    ///
    /// # Errors
    /// When the home directory is unknown, or the project does not exist.
    pub fn from_env(project: &Path) -> Result<Self, InstallError> {
        let variables: BTreeMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let home = files::home_variable().ok_or(InstallError::NoHome)?;
        let home = files::real_path(&home);
        let project = files::canonicalize(project).map_err(|error| InstallError::from_io("open", project, &error))?;
        Ok(Self { home, project, root: PathBuf::from(ROOT), variables })
    }

    /// The same for the machine whose file system is in a directory.
    ///
    /// # Errors
    /// When the directory does not exist.
    pub fn with_root(self, root: &Path) -> Result<Self, InstallError> {
        let root = files::canonicalize(root).map_err(|error| InstallError::from_io("open", root, &error))?;
        Ok(Self { root, ..self })
    }

    /// The value of a variable, if it is not empty.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A file or a directory of the machine: the one that a variable names, otherwise this one.
    #[must_use]
    pub fn machine_path(&self, variable: &str, path: &str) -> PathBuf {
        // The variables of this process say nothing about another machine.
        let named = self.variable(variable).filter(|_| self.root == Path::new(ROOT));
        named.map_or_else(|| self.root.join(path.trim_start_matches('/')), PathBuf::from)
    }

    /// The host's directory for a scope.
    #[must_use]
    pub fn host_dir(&self, scope: InstallScope, location: &SettingsLocation) -> PathBuf {
        match (self.variable(location.variable), scope) {
            (_, InstallScope::Managed) => self.machine_path(location.variable, location.folder),
            (Some(dir), _) => PathBuf::from(dir),
            (None, InstallScope::User) => self.home.join(location.folder),
            (None, InstallScope::Project) => self.project.join(location.folder),
        }
    }

    /// The settings file, or the directory of executables, for a scope.
    #[must_use]
    pub fn settings_path(&self, scope: InstallScope, location: &SettingsLocation) -> PathBuf {
        let dir = self.host_dir(scope, location);
        if location.file.is_empty() { dir } else { dir.join(location.file) }
    }

    /// The directory at which removing empty directories stops.
    pub(super) fn removal_limit(&self, scope: InstallScope) -> &Path {
        match scope {
            InstallScope::Managed => &self.root,
            InstallScope::User => &self.home,
            InstallScope::Project => &self.project,
        }
    }

    /// A path for display, with the home directory as `~`.
    #[must_use]
    pub fn display_path(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(below) => Path::new("~").join(below).display().to_string(),
            Err(_) => path.display().to_string(),
        }
    }
}
