//! Finds the team files of a directory: docker-agent's YAML of agents.

use std::path::{Path, PathBuf};

use pintle_dialects::ArtifactKind;
use pintle_dialects::command_hooks::recognise;

use crate::discover::{discover, is_own_agent_file, is_yaml_path, sorted_entries};

/// The usual names of a team file, in order of precedence.
const TEAM_FILES: [&str; 8] = [
    "agent.yaml",
    "agent.yml",
    "agents.yaml",
    "agents.yml",
    "docker-agent.yaml",
    "docker-agent.yml",
    "cagent.yaml",
    "cagent.yml",
];

/// The docker-agent YAML of a path: the file itself, or that of a directory without an agent's own file.
#[must_use]
pub fn find_team_file(path: &Path) -> Option<PathBuf> {
    if !pintle_files::is_dir(path) {
        return (is_yaml_path(path) && recognise_role(path) == Some(ArtifactKind::Team)).then(|| path.to_owned());
    }
    let found = discover(path, &mut Vec::new());
    let has_own = found.iter().any(|file| is_own_agent_file(file.role));
    found.into_iter().find(|file| file.role == ArtifactKind::Team && !has_own).map(|file| file.path)
}

/// Whether a path consists of more than one file, so that using the docker-agent YAML alone would leave out guards.
#[must_use]
pub fn has_more_than(path: &Path, file: &Path) -> bool {
    pintle_files::is_dir(path) && discover(path, &mut Vec::new()).iter().any(|found| found.path != file)
}

/// Whether a team file has one of the usual names, so that it is found without being named.
#[must_use]
pub fn has_usual_name(file: &Path) -> bool {
    file.file_name().is_some_and(|name| TEAM_FILES.iter().any(|usual| name == *usual))
}

/// The team files of a directory that have one of the usual names. Other YAML files, of which there may be many, are
/// not read.
pub(crate) fn find_usual_teams(dir: &Path) -> Vec<PathBuf> {
    let usual = TEAM_FILES.into_iter().map(|name| dir.join(name));
    usual.filter(|path| pintle_files::is_file(path) && recognise_role(path) == Some(ArtifactKind::Team)).collect()
}

/// The team files of a directory.
pub(crate) fn find_teams(dir: &Path) -> Vec<PathBuf> {
    let yaml = sorted_entries(dir, &mut Vec::new()).into_iter().filter(|path| is_yaml_path(path));
    yaml.filter(|path| recognise_role(path) == Some(ArtifactKind::Team)).collect()
}

/// The kind of a YAML file by its text; `None` if the text does not say.
pub(crate) fn recognise_role(path: &Path) -> Option<ArtifactKind> {
    // A file that cannot be read is reported when it is loaded.
    let bytes = crate::read::read_limited(path).ok()?;
    recognise(&String::from_utf8_lossy(&bytes))
}
