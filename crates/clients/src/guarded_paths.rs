//! Where an agent's settings for hooks are, in every scope and whether they exist or not.

use std::path::PathBuf;

use crate::CLIENTS;

/// The paths that decide which hooks an agent runs, in addition to the files that hold its hooks.
#[derive(Debug, Clone, Copy)]
pub struct GuardedPaths {
    /// Files and directories of a project or of the home directory.
    pub relative: &'static [&'static str],
    /// Files and directories of the organisation, for everyone on the machine.
    pub managed: &'static [&'static str],
    /// Variables that each name one such file or directory.
    pub variables: &'static [&'static str],
}

impl GuardedPaths {
    /// No such paths.
    pub const NONE: Self = Self { relative: &[], managed: &[], variables: &[] };
}

/// The paths of all agents' settings for hooks, relative to a project or to the home directory. A directory stands for
/// everything in it.
pub fn relative_settings() -> impl Iterator<Item = &'static str> {
    CLIENTS
        .iter()
        .flat_map(|client| client.files.iter().map(|file| file.path).chain(client.guarded.relative.iter().copied()))
}

/// The absolute paths of all agents' settings for hooks: the organisation's, and those that variables name. `variable` is
/// the value of a variable.
pub fn absolute_settings(variable: impl Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for client in CLIENTS {
        found.extend(client.guarded.managed.iter().map(PathBuf::from));
        found.extend(client.guarded.variables.iter().filter_map(|name| variable(name)));
        // The variable stands for a directory below the home directory, such as `.claude`.
        let place = &client.install.user;
        if let Some(dir) = Some(place.variable).filter(|name| !name.is_empty()).and_then(&variable) {
            let own = client.files.iter().map(|file| file.path).chain(client.guarded.relative.iter().copied());
            let below = own.filter_map(|path| path.strip_prefix(place.folder)?.strip_prefix('/'));
            found.extend(below.map(|path| dir.join(path)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::install::InstallScope;

    #[test]
    fn installed_settings_of_every_scope_are_guarded() {
        for client in CLIENTS {
            for (scope, place) in client.install.locations() {
                let path = Path::new(place.folder).join(place.file);
                let is_guarded = match scope {
                    InstallScope::Managed => absolute_settings(|_| None)
                        .iter()
                        .any(|guarded| Path::new("/").join(&path).starts_with(guarded)),
                    InstallScope::User | InstallScope::Project => {
                        relative_settings().any(|guarded| path.starts_with(guarded))
                    }
                };
                assert!(is_guarded, "{}: {}", client.name, path.display());
            }
        }
    }

    #[test]
    fn directory_that_a_variable_names_has_the_same_files() {
        let found = absolute_settings(|name| (name == "CODEX_HOME").then(|| PathBuf::from("/x")));
        let below: Vec<_> = found.iter().filter_map(|path| path.strip_prefix("/x").ok()?.to_str()).collect();
        assert_eq!(below, ["hooks.json", "config.toml", "requirements.toml"]);
        let found = absolute_settings(|name| (name == "XDG_CONFIG_HOME").then(|| PathBuf::from("/x")));
        assert!(found.contains(&PathBuf::from("/x/opencode/plugins")), "{found:?}");
    }
}
