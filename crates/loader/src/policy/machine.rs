//! The policy of this machine: what guards an agent wherever it works.

use std::env;
use std::path::{Path, PathBuf};

use pintle_clients::{absolute_settings, relative_settings};

use super::{ANYWHERE, PolicyFiles};
use pintle_files::home_dir;

use crate::layers::default_dirs;

/// The program that asks a resident, or becomes this one.
const CLIENT_PROGRAM: &str = if cfg!(windows) { "pintle-hook.exe" } else { "pintle-hook" };

impl PolicyFiles {
    /// Adds the policy of this machine for a project: the directories of the organisation, of the user's settings and of
    /// the state, the settings of every agent, and this program. Most of them need not exist.
    #[must_use]
    pub fn with_machine_policy(mut self, state: Option<&Path>, project: &Path) -> Self {
        let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let project = std::path::absolute(project).unwrap_or_else(|_| project.to_owned());
        self.hook_dirs.retain(|dir| !project.starts_with(dir));
        self.settings_dirs.extend(home_dir());
        self.settings_dirs.push(project);
        self.with_paths(state.map(Path::to_owned))
            .with_paths(default_dirs())
            .with_paths(absolute_settings(variable))
            .with_paths(program_paths())
    }
}

/// The settings of agents and the policy of projects below a directory, as far as they exist or are behind a link.
pub(super) fn settings_below(dir: &Path) -> impl Iterator<Item = PathBuf> {
    relative_settings().chain(ANYWHERE).map(|name| dir.join(name)).filter({
        let base = dir.to_owned();
        move |path| is_there(&base, path)
    })
}

/// Whether a path exists below a directory, or goes through a link below it. By its name alone, everything else is
/// policy already.
fn is_there(dir: &Path, path: &Path) -> bool {
    let below = path.strip_prefix(dir).unwrap_or(path);
    let mut known = dir.to_owned();
    for part in below.components() {
        known.push(part);
        match pintle_files::symlink_metadata(&known) {
            Err(_) => return false,
            Ok(found) if found.is_symlink() => return true,
            Ok(_) => {}
        }
    }
    true
}

/// This program: the file that runs, and the path by which it was started. Beside each may be the one that agents start.
fn program_paths() -> Vec<PathBuf> {
    let started = pintle_files::started_paths().into_iter().next();
    let own = env::current_exe().ok().into_iter().chain(started);
    own.flat_map(|program| [program.with_file_name(CLIENT_PROGRAM), program]).collect()
}
