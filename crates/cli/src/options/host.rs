//! Host, scope and project arguments.

use std::env;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use pintle_bridge::install::{InstallEnvironment, InstallScope};
use pintle_bridge::{HOSTS, HostDef};
use pintle_host::loader::state_dir;

use crate::error::CliError;

/// A host named on the command line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HostArgument(pub(crate) &'static HostDef);

impl FromStr for HostArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        HostDef::by_name(text).map(Self).map_err(|unknown| unknown.to_string())
    }
}

/// Hosts named on the command line: one, or `all`.
#[derive(Debug, Clone)]
pub(crate) struct HostsArgument(pub(crate) Vec<&'static HostDef>);

impl FromStr for HostsArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self(HOSTS.to_vec()));
        }
        HostDef::by_name(text)
            .map(|host| Self(vec![host]))
            .map_err(|unknown| format!("{unknown}; `all` selects every host"))
    }
}

/// Whose settings of a host are edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeArgument {
    /// The machine's settings, for all users, which no project can override.
    Managed,
    /// Your settings, for all projects.
    User,
    /// The project's settings.
    Project,
}

impl From<ScopeArgument> for InstallScope {
    fn from(scope: ScopeArgument) -> Self {
        match scope {
            ScopeArgument::Managed => Self::Managed,
            ScopeArgument::User => Self::User,
            ScopeArgument::Project => Self::Project,
        }
    }
}

/// The project that a host works in.
#[derive(Debug, Args)]
pub(crate) struct ProjectOption {
    /// Project directory [default: the current directory].
    #[arg(long, value_name = "DIR", default_value = ".", hide_default_value = true)]
    directory: PathBuf,
    /// Directory of an image that is being built: the settings of that machine are meant.
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

/// Whose settings are edited.
#[derive(Debug, Args)]
pub(crate) struct ScopeOption {
    /// Whose settings to edit [default: `user`, with `--root` `managed`].
    #[arg(long, value_enum)]
    scope: Option<ScopeArgument>,
}

impl ScopeOption {
    /// The scope on a machine. An image has no users yet.
    pub(crate) fn scope_on(&self, environment: &InstallEnvironment) -> Result<InstallScope, CliError> {
        match self.scope.map(InstallScope::from) {
            Some(scope) if environment.is_image() && scope != InstallScope::Managed => {
                let message = format!("`--scope {}` does not go with `--root`", scope.as_str());
                Err(CliError::invalid_input(message).help("in an image, the settings of the machine are edited"))
            }
            Some(scope) => Ok(scope),
            None if environment.is_image() => Ok(InstallScope::Managed),
            None => Ok(InstallScope::User),
        }
    }
}

impl ProjectOption {
    /// Returns the install environment of the project.
    pub(crate) fn install_environment(&self) -> Result<InstallEnvironment, CliError> {
        let site = InstallEnvironment::from_env(&self.directory);
        let Some(root) = &self.root else { return site.map_err(CliError::invalid_input) };
        // What the test calls of an image store is not what this machine's user stores.
        let state = state_dir().unwrap_or_else(env::temp_dir).join("image");
        site.and_then(|site| site.with_root(root, &state)).map_err(CliError::invalid_input)
    }
}
