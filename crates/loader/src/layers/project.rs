//! Which folders are the project around a folder.

use std::path::{Path, PathBuf};

use super::LayerDirs;
use crate::discover::is_project;
use crate::trust::TrustGrants;

/// Finds the folders whose hooks are the project's for somebody who works in [`LayerDirs::cwd`], the outermost first.
///
/// That is the nearest folder from there upwards that holds hooks of any dialect, not above the root of the repository
/// and below the home folder. Besides it every folder further up that somebody agreed to: a folder with hooks that is
/// made below it cannot put its guards out of force, nor can taking its hooks away.
#[must_use]
pub fn find_projects(layers: &LayerDirs, agreements: &TrustGrants) -> Vec<PathBuf> {
    let cwd = layers.cwd.canonicalize().unwrap_or_else(|_| layers.cwd.clone());
    let home = layers.home.as_deref().map(|home| home.canonicalize().unwrap_or_else(|_| home.to_owned()));
    let knows = |folder: &&Path| agreements.contains(folder);
    let mut found: Vec<PathBuf> = cwd.ancestors().filter(knows).map(Path::to_owned).collect();
    if let Some(nearest) = nearest_project(&cwd, home.as_deref())
        && !found.contains(&nearest)
    {
        found.push(nearest);
    }
    found.sort_by_key(|folder| folder.components().count());
    found
}

fn nearest_project(cwd: &Path, home: Option<&Path>) -> Option<PathBuf> {
    for folder in cwd.ancestors() {
        // What lies at home is the person's and no project, unless that is where the work is done.
        if home == Some(folder) && folder != cwd {
            return None;
        }
        if is_project(folder) {
            return Some(folder.to_owned());
        }
        // A working tree has a file of that name in the place of the folder.
        if folder.join(".git").exists() || home == Some(folder) {
            return None;
        }
    }
    None
}
