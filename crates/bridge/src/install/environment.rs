//! Locates the settings of a host.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use pintle_host::files;
use pintle_host::loader::MANAGED_DIR;

use super::{InstallError, InstallScope, SettingsLocation};

/// The root of this machine's file system.
const ROOT: &str = "/";
/// Where programs of a machine are.
const BIN_DIRS: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

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
        let variables: BTreeMap<String, String> = env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let home = files::home_variable().ok_or(InstallError::NoHome)?;
        let home = files::real_path(&home);
        let project = files::canonicalize(project).map_err(|error| InstallError::from_io("open", project, &error))?;
        Ok(Self { home, project, root: PathBuf::from(ROOT), variables })
    }

    /// The environment of root on the machine whose file system is in a directory, an image that is being built. Of this
    /// process's variables, only the `PATH` is left: the others say nothing about another machine. What test calls
    /// store is below `state`, outside the image.
    ///
    /// # Errors
    /// When the directory does not exist.
    pub fn with_root(self, root: &Path, state: &Path) -> Result<Self, InstallError> {
        let root = files::canonicalize(root).map_err(|error| InstallError::from_io("open", root, &error))?;
        let image = Self { home: root.join("root"), project: root.clone(), root, variables: BTreeMap::new() };
        let of_image = BIN_DIRS.iter().map(|dir| image.path_now(Path::new(dir)));
        let path = env::join_paths(of_image.chain(self.variable("PATH").iter().flat_map(env::split_paths)));
        let variables = [
            ("PATH", path.ok()),
            ("PINTLE_SERVE", Some(OsString::from("off"))),
            ("XDG_STATE_HOME", Some(state.as_os_str().to_owned())),
        ];
        let variables =
            variables.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into_string().ok()?)));
        Ok(Self { variables: variables.collect(), ..image })
    }

    /// Refuses a path of an image that links lead out of: what is written there would change this machine.
    ///
    /// # Errors
    /// When they do.
    pub fn require_inside(&self, path: &Path) -> Result<(), InstallError> {
        let real = files::resolve_links(path);
        if !self.is_image() || real.starts_with(&self.root) {
            return Ok(());
        }
        let reason = format!("a link leads out of the image, to `{}`", real.display());
        Err(InstallError::Unreadable { path: path.to_owned(), reason })
    }

    /// The variables with which an installed line is run: in an image, the policy of that machine applies.
    pub(crate) fn variables_of_line(&self) -> BTreeMap<String, String> {
        let mut variables = self.variables.clone();
        let policy = Some(self.path_now(Path::new(MANAGED_DIR))).filter(|dir| self.is_image() && dir.is_dir());
        if let Some(policy) = policy.and_then(|dir| dir.into_os_string().into_string().ok()) {
            variables.insert(String::from("PINTLE_MANAGED_DIR"), policy);
        }
        variables
    }

    /// The path of a program on the machine, in the directories where packages and people put it; `None` if it is in
    /// none of them.
    #[must_use]
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        let paths = BIN_DIRS.iter().map(|dir| Path::new(dir).join(name));
        paths.into_iter().find(|path| is_executable(&self.path_now(path)))
    }

    /// Whether the machine is an image that is being built, rather than this one.
    #[must_use]
    pub fn is_image(&self) -> bool {
        self.root != Path::new(ROOT)
    }

    /// Where a file with an absolute path on the machine is now.
    #[must_use]
    pub fn path_now(&self, path: &Path) -> PathBuf {
        self.root.join(path.strip_prefix(ROOT).unwrap_or(path))
    }

    /// The value of a variable, if it is not empty.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A file or a directory of the machine: the one that a variable names, otherwise this one.
    #[must_use]
    pub fn machine_path(&self, variable: &str, path: &str) -> PathBuf {
        let named = self.variable(variable).filter(|_| !self.is_image());
        named.map_or_else(|| self.path_now(Path::new(path)), PathBuf::from)
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
            Ok(below) if !self.is_image() => Path::new("~").join(below).display().to_string(),
            _ => path.display().to_string(),
        }
    }
}

/// Whether a path is an executable file.
pub(crate) fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| files::is_executable(&metadata))
}
