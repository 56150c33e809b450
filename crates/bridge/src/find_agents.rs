//! Finds the agents of this machine that Pintle can be installed in.

use std::path::PathBuf;

use crate::doctor::find_on_path;
use crate::install::{InstallEnvironment, InstallError, InstallScope, installed_entries};
use crate::{HOSTS, HostDef};

/// A known agent, and what this machine has of it.
#[derive(Debug)]
pub struct FoundAgent {
    /// The agent.
    pub host: &'static HostDef,
    /// The path of its program, if that is on the PATH.
    pub program: Option<PathBuf>,
    /// The user's directory of it, if that exists.
    pub settings_dir: Option<PathBuf>,
    /// The scopes in which Pintle is installed.
    pub installed: Vec<InstallScope>,
    /// Why it is not known whether Pintle is installed in other scopes.
    pub errors: Vec<InstallError>,
}

impl FoundAgent {
    /// Whether the user has the agent: its program, or a directory that it created.
    #[must_use]
    pub fn is_here(&self) -> bool {
        self.program.is_some() || self.settings_dir.is_some()
    }
}

/// Looks for every agent, in the order of help texts. No program is started.
#[must_use]
pub fn find_agents(environment: &InstallEnvironment) -> Vec<FoundAgent> {
    HOSTS.iter().map(|host| find_agent(host, environment)).collect()
}

fn find_agent(host: &'static HostDef, environment: &InstallEnvironment) -> FoundAgent {
    let settings_dir = environment.host_dir(InstallScope::User, &host.install.user);
    let own_dir = host.install.own_dir;
    let settings_dir = if own_dir.is_empty() { settings_dir } else { settings_dir.join(own_dir) };
    let mut found = FoundAgent {
        host,
        program: find_on_path(host.install.program, environment),
        settings_dir: Some(settings_dir).filter(|dir| dir.is_dir()),
        installed: Vec::new(),
        errors: Vec::new(),
    };
    for (scope, _) in host.install.locations() {
        match installed_entries(host, environment, scope) {
            Ok(entries) if entries.is_empty() => {}
            Ok(_) => found.installed.push(scope),
            Err(error) => found.errors.push(error),
        }
    }
    found
}
