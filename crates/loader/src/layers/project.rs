//! Finds the directories of the project around a working directory.

use std::path::{Path, PathBuf};

use super::LayerDirs;
use crate::discover::is_project;
use crate::trust::TrustGrants;

/// Finds the project directories for the working directory [`LayerDirs::cwd`], the outermost first.
///
/// The first is the nearest directory from there upwards that contains hooks of any dialect, not above the root of the
/// repository and below the home directory. In addition, every trusted directory further up is included: neither
/// creating a directory with hooks below it nor removing its hooks can disable its guards. The home directory is included
/// wherever the working directory is, if the user trusts it.
#[must_use]
pub fn find_projects(layers: &LayerDirs, grants: &TrustGrants) -> Vec<PathBuf> {
    let cwd = pintle_files::real_path(&layers.cwd);
    let home = layers.home.as_deref().map(pintle_files::real_path);
    let knows = |dir: &&Path| grants.contains(dir);
    let mut found: Vec<PathBuf> = cwd.ancestors().filter(knows).map(Path::to_owned).collect();
    if let Some(nearest) = nearest_project(&cwd, home.as_deref())
        && !found.contains(&nearest)
    {
        found.push(nearest);
    }
    // The user's own hooks of other agents apply wherever these work, if the user trusts them.
    if let Some(home) = home.filter(|home| knows(&home.as_path()) && !found.contains(home)) {
        found.push(home);
    }
    found.sort_by_key(|dir| dir.components().count());
    found
}

fn nearest_project(cwd: &Path, home: Option<&Path>) -> Option<PathBuf> {
    for dir in cwd.ancestors() {
        // Hooks in the home directory are the user's, not a project's, unless it is the working directory.
        if home == Some(dir) && dir != cwd {
            return None;
        }
        if is_project(dir) {
            return Some(dir.to_owned());
        }
        // A git worktree has a file of that name instead of the directory.
        if pintle_files::exists(dir.join(".git")) || home == Some(dir) {
            return None;
        }
    }
    None
}
