//! Where a host keeps its settings.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::InstallError;

/// Whose settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallScope {
    /// The person's: all their projects.
    User,
    /// One project's.
    Project,
}

impl InstallScope {
    /// Both, in the order of reports.
    pub const ALL: [Self; 2] = [Self::User, Self::Project];

    /// The word on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// Where the files of a scope are.
#[derive(Debug, Clone, Copy)]
pub struct SettingsLocation {
    /// The environment variable that names the host's folder, and replaces `folder`; empty when there is none.
    pub variable: &'static str,
    /// The host's folder, below the home or the project.
    pub folder: &'static str,
    /// The settings file, or the folder of executables, below the host's folder.
    pub file: &'static str,
}

/// A machine as an installation sees it.
#[derive(Debug, Clone)]
pub struct InstallEnvironment {
    /// The person's home.
    pub home: PathBuf,
    /// The project's folder.
    pub project: PathBuf,
    /// The environment.
    pub variables: BTreeMap<String, String>,
}

impl InstallEnvironment {
    /// This machine, with a project.
    ///
    /// # Errors
    /// When nothing says where the home is, or the project is not there.
    pub fn from_env(project: &Path) -> Result<Self, InstallError> {
        let variables: BTreeMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let home = variables.get("HOME").filter(|home| !home.is_empty()).ok_or(InstallError::NoHome)?;
        let home = Path::new(home).canonicalize().unwrap_or_else(|_| PathBuf::from(home));
        let project = project.canonicalize().map_err(|fault| InstallError::from_io("open", project, &fault))?;
        Ok(Self { home, project, variables })
    }

    /// The value of a variable that is set to something.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The host's folder of a place.
    #[must_use]
    pub fn host_dir(&self, scope: InstallScope, place: &SettingsLocation) -> PathBuf {
        match (self.variable(place.variable), scope) {
            (Some(folder), _) => PathBuf::from(folder),
            (None, InstallScope::User) => self.home.join(place.folder),
            (None, InstallScope::Project) => self.project.join(place.folder),
        }
    }

    /// The file or the folder of executables of a place.
    #[must_use]
    pub fn settings_path(&self, scope: InstallScope, place: &SettingsLocation) -> PathBuf {
        self.host_dir(scope, place).join(place.file)
    }

    /// The folder that nothing above is ever removed of.
    pub(super) fn removal_limit(&self, scope: InstallScope) -> &Path {
        match scope {
            InstallScope::User => &self.home,
            InstallScope::Project => &self.project,
        }
    }

    /// A path with the home written `~`, for people.
    #[must_use]
    pub fn display_path(&self, path: &Path) -> String {
        match path.strip_prefix(&self.home) {
            Ok(below) => Path::new("~").join(below).display().to_string(),
            Err(_) => path.display().to_string(),
        }
    }
}
