//! Finds the files of a path and tells what each of them is.
//!
//! The rules:
//!
//! 1. The directory of a file decides what it is: `tools/`, `agents/`, `plugins/`, `builtins/`, `overrides/`.
//!    `harness.md` and any YAML file is an agent's own file; any other `.md` file is a hook.
//! 2. A directory with `harness.md`, `harness.yaml` or `.harness/` is a project: the agent's own file (the first of the
//!    two) and everything below `.harness/`. Naming the agent's own file names its project.
//! 3. A directory called `.harness`, or one with any of the known subdirectories, is such a root without an agent's own
//!    file.
//! 4. A YAML file with `agents:` is docker-agent's team file, one with `settings:` is its user settings, and one with
//!    events is a block of hooks, in any YAML notation. A directory with exactly one team file means that file; next to
//!    the files of rule 2 a team file is read if it has one of the usual names.
//! 5. `harn.toml` is the manifest of a package; naming it, or its directory, includes the package, whatever else the
//!    directory contains. A file that ends in `.star` is a plugin: alone, in a directory of hooks or in `plugins/`.
//! 6. The text of a `settings.json` decides what it is. The hook files of coding agents are found by their paths below
//!    a directory, whatever else the directory contains; one of them, or its directory, can also be named itself.
//! 7. Any other directory contains hooks. Blocks of hooks in YAML are read in a directory of hooks.
//! 8. Subdirectories are not read. A file is read if its name ends in `.md` or `.star`, in lower case; the order is
//!    that of the names' bytes. A missing directory is fine, a missing path is not.
//! 9. `policy.yaml` in such a root, or in the directory of a user or an organisation, and the `.yaml` files of `rules/`
//!    beside it, say which packs are on, and have rules.
//! 10. A document among the hooks, such as a README, is not read, unless the user named it ([`crate::documents`]).

use std::fs;
use std::path::{Path, PathBuf};

use pintle_contract::{Diagnostic, Location, suggest_nearest};
use pintle_dialects::document::source_file;
use pintle_dialects::{ArtifactKind, BundleFolder, FETCHED_DIR, PolicyBase, policy_bases};

use crate::case_files::{is_case_file, is_scenario_file};
use crate::client_files;
use crate::package::{self, MANIFEST, is_plugin_file};
use crate::read::read_limited;
use crate::team::{find_teams, find_usual_teams, recognise_role};
use crate::unread;

/// The subdirectories of a root, with the kind of their files.
const FOLDERS: [(&str, ArtifactKind); 7] = [
    ("tools", ArtifactKind::Tool),
    ("hooks", ArtifactKind::Hook),
    (RULES, ArtifactKind::Policy),
    ("plugins", ArtifactKind::Bundle(BundleFolder::Plugins)),
    ("builtins", ArtifactKind::Bundle(BundleFolder::Builtins)),
    ("overrides", ArtifactKind::Bundle(BundleFolder::Overrides)),
    ("agents", ArtifactKind::Agent),
];

/// The names of an agent's own file, in order of precedence.
const OWN_FILES: [&str; 2] = ["harness.md", "harness.yaml"];

/// Settings that register hooks, directly in a directory.
const SETTINGS: &str = "settings.json";

/// The packs that are on, in a root and in the directory of a user or an organisation.
pub(crate) const POLICY: &str = "policy.yaml";

/// The directory of further policy files.
pub(crate) const RULES: &str = "rules";

/// The directory of a project's hooks, tools and agents.
pub(crate) const ROOT: &str = ".harness";

/// A file to read, with its kind.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DiscoveredFile {
    pub(crate) path: PathBuf,
    pub(crate) role: ArtifactKind,
}

/// Finds the files of a path, in registration order.
pub(crate) fn discover(path: &Path, findings: &mut Vec<Diagnostic>) -> Vec<DiscoveredFile> {
    let is_dir = match pintle_files::metadata(path) {
        Ok(metadata) => metadata.is_dir(),
        Err(_) if pintle_files::is_unsaved(path) => false,
        Err(error) => {
            let message = format!("cannot read `{}`: {}", path.display(), io_error_text(&error));
            findings.push(error_without_file(
                "unreadable",
                message,
                "give the path of a project, a directory of hooks or one hook file",
            ));
            return Vec::new();
        }
    };
    let mut search = FileDiscovery { is_discovered: false, found: Vec::new(), findings };
    if is_dir {
        search.add_folder(path);
    } else {
        search.add_file(path);
    }
    with_policy_bases(search.found)
}

/// Finds the files of a project that the user did not name: only those in the known places.
pub(crate) fn discover_project(dir: &Path, findings: &mut Vec<Diagnostic>) -> Vec<DiscoveredFile> {
    let mut search = FileDiscovery { is_discovered: true, found: Vec::new(), findings };
    search.add_folder(dir);
    with_policy_bases(search.found)
}

/// Whether a directory contains hooks where [`discover_project`] looks for them.
pub(crate) fn is_project(dir: &Path) -> bool {
    let mut own = OWN_FILES.into_iter().chain([ROOT, MANIFEST]);
    let mut search = FileDiscovery { is_discovered: true, found: Vec::new(), findings: &mut Vec::new() };
    own.any(|name| pintle_files::exists(dir.join(name)))
        || search.add_settings(dir)
        || !find_usual_teams(dir).is_empty()
}

/// Finds the hooks in the configuration directory of a user or an organisation: it has the subdirectories of a root,
/// and may contain settings that register hooks and a package.
pub(crate) fn discover_user_dir(dir: &Path, findings: &mut Vec<Diagnostic>) -> Vec<DiscoveredFile> {
    let mut search = FileDiscovery { is_discovered: true, found: Vec::new(), findings };
    for (name, role) in FOLDERS.iter().filter(|(_, role)| !matches!(role, ArtifactKind::Tool | ArtifactKind::Agent)) {
        search.add_flat_if_present(&dir.join(name), *role);
    }
    search.add_policy(dir);
    search.add_settings(dir);
    search.add_package(dir);
    with_policy_bases(search.found)
}

struct FileDiscovery<'a> {
    /// Whether the user did not name the directory, so that only files with known names are read.
    is_discovered: bool,
    found: Vec<DiscoveredFile>,
    findings: &'a mut Vec<Diagnostic>,
}

impl FileDiscovery<'_> {
    fn add_file(&mut self, path: &Path) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if OWN_FILES.contains(&name) {
            let role = role_of_own_file(name);
            self.found.push(DiscoveredFile { path: path.to_owned(), role });
            self.add_root(&parent.join(ROOT));
            return;
        }
        if name == MANIFEST {
            return package::discover_package(path, &mut self.found, self.findings);
        }
        if name == POLICY && recognise_role(path).is_none() {
            return self.found.push(DiscoveredFile { path: path.to_owned(), role: ArtifactKind::Policy });
        }
        let dir = parent.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let roles = client_files::artifact_kinds(path);
        if !roles.is_empty() {
            self.found.extend(roles.into_iter().map(|role| DiscoveredFile { path: path.to_owned(), role }));
            return;
        }
        let role = if is_plugin_file(path) {
            ArtifactKind::Plugin
        } else if dir == RULES && name.ends_with(".yaml") {
            ArtifactKind::Policy
        } else if is_yaml_path(path) {
            recognise_role(path).unwrap_or_else(|| named_yaml_role(path))
        } else if pintle_clients::is_json(path) {
            ArtifactKind::Client(pintle_clients::unmarked_json())
        } else {
            folder_role(dir).unwrap_or(ArtifactKind::Hook)
        };
        self.found.push(DiscoveredFile { path: path.to_owned(), role });
    }

    fn add_folder(&mut self, path: &Path) {
        let has_settings = self.add_settings(path);
        if path.file_name().is_some_and(|name| name == ROOT) {
            return self.add_root(path);
        }
        let own = OWN_FILES.into_iter().find(|name| pintle_files::exists(path.join(name)));
        if let Some(name) = own {
            self.found.push(DiscoveredFile { path: path.join(name), role: role_of_own_file(name) });
            for other in OWN_FILES.iter().filter(|other| **other != name && pintle_files::exists(path.join(other))) {
                let message = format!("the file `{}` is not read", path.join(other).display());
                self.warn(
                    "unread_file",
                    message,
                    &format!("`{name}` takes precedence; keep only one of the two files"),
                );
            }
        }
        let root = path.join(ROOT);
        if own.is_some() || pintle_files::exists(&root) {
            // Guards in team files apply whatever else the project contains.
            self.found.extend(
                find_usual_teams(path).into_iter().map(|path| DiscoveredFile { path, role: ArtifactKind::Team }),
            );
            self.add_root(&root);
            self.add_package(path);
            return;
        }
        if self.add_team(path) | self.add_package(path) | has_settings || self.is_discovered {
            return;
        }
        let has_folder = FOLDERS.iter().any(|(name, _)| pintle_files::is_dir(path.join(name)));
        if has_folder || pintle_files::is_file(path.join(POLICY)) && recognise_role(&path.join(POLICY)).is_none() {
            return self.add_root(path);
        }
        let role = path.file_name().and_then(|name| name.to_str()).and_then(folder_role);
        // A directory of hooks may have any name.
        let role = role.filter(|role| *role != ArtifactKind::Policy || !has_markdown(path));
        self.add_flat(path, role.unwrap_or(ArtifactKind::Hook));
    }

    /// Adds the settings files of a directory that register hooks; returns whether there is one.
    fn add_settings(&mut self, dir: &Path) -> bool {
        let before = self.found.len();
        let own = dir.join(SETTINGS);
        let roles = if pintle_files::is_file(&own) { client_files::artifact_kinds(&own) } else { Vec::new() };
        self.found.extend(roles.into_iter().map(|role| DiscoveredFile { path: own.clone(), role }));
        self.found.extend(client_files::find_in_project(dir, self.findings));
        for file in client_files::find_in_folder(dir, self.findings) {
            if !self.found.contains(&file) {
                self.found.push(file);
            }
        }
        self.found.len() > before
    }

    /// Adds the team files of a directory; returns whether there is one.
    fn add_team(&mut self, dir: &Path) -> bool {
        let teams = if self.is_discovered { find_usual_teams(dir) } else { find_teams(dir) };
        if teams.len() > 1 && !self.is_discovered {
            let names: Vec<String> = teams.iter().map(|path| format!("`{}`", path.display())).collect();
            let message = format!("`{}` contains several agent files: {}", dir.display(), names.join(", "));
            self.findings.push(error_without_file("ambiguous", message, "give the path of the one to use"));
            return true;
        }
        let is_there = !teams.is_empty();
        self.found.extend(teams.into_iter().map(|path| DiscoveredFile { path, role: ArtifactKind::Team }));
        is_there
    }

    /// Adds the package of a directory; returns whether there is one.
    fn add_package(&mut self, dir: &Path) -> bool {
        let manifest = dir.join(MANIFEST);
        let is_there = pintle_files::is_file(&manifest);
        if is_there {
            package::discover_package(&manifest, &mut self.found, self.findings);
        }
        is_there
    }

    /// Adds everything of one root. A missing root is fine.
    fn add_root(&mut self, root: &Path) {
        if !pintle_files::exists(root) {
            return;
        }
        if !pintle_files::is_dir(root) {
            let message = format!("cannot read `{}`: it is not a directory", root.display());
            self.findings.push(error_without_file("unreadable", message, "make it a directory that contains `hooks/`"));
            return;
        }
        self.add_policy(root);
        self.add_flat_if_present(&root.join("tools"), ArtifactKind::Tool);
        self.add_flat_if_present(&root.join("hooks"), ArtifactKind::Hook);
        self.add_root_bundles(root);
        for (name, role) in FOLDERS.iter().filter(|(name, _)| !matches!(*name, "tools" | "hooks")) {
            self.add_flat_if_present(&root.join(name), *role);
        }
    }

    /// Adds the policy file of a directory. One of a similar name is an error, because it may be meant to guard something.
    fn add_policy(&mut self, dir: &Path) {
        let path = dir.join(POLICY);
        if pintle_files::exists(&path) && recognise_role(&path).is_none() {
            self.found.push(DiscoveredFile { path, role: ArtifactKind::Policy });
        }
        for near in
            ["policy.yml", "policy.json"].map(|name| dir.join(name)).iter().filter(|path| pintle_files::is_file(path))
        {
            let message = format!("the file `{}` is not read, so the packs in it are not on", near.display());
            self.findings.push(error_without_file("unread_file", message, &format!("rename it to `{POLICY}`")));
        }
    }

    fn add_root_bundles(&mut self, root: &Path) {
        for path in sorted_entries(root, self.findings) {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if pintle_files::is_dir(&path) {
                self.warn_unread_folder(&path, &name);
            } else if name.ends_with(".md") && !OWN_FILES.contains(&name.as_str()) {
                self.found.push(DiscoveredFile { path, role: ArtifactKind::Bundle(BundleFolder::Root) });
            }
        }
    }

    /// Warns about an unread directory: otherwise its policy would silently not load.
    fn warn_unread_folder(&mut self, path: &Path, name: &str) {
        let known = FOLDERS.iter().map(|(name, _)| *name);
        if name != FETCHED_DIR && !known.clone().any(|known| known == name) {
            self.findings.extend(unread::lint_folder(path, suggest_nearest(name, known)));
        }
    }

    fn warn(&mut self, code: &'static str, message: String, help: &str) {
        self.findings.push(Diagnostic::warning(code, message, Location::default()).help(help));
    }

    /// Adds a YAML file in a directory of hooks.
    fn add_hooks_yaml(&mut self, path: PathBuf) {
        match recognise_role(&path) {
            Some(role @ (ArtifactKind::HooksBlock | ArtifactKind::UserSettings)) => {
                self.found.push(DiscoveredFile { path, role })
            }
            // Any other directory may contain unrelated YAML.
            _ if path.parent().and_then(Path::file_name).is_none_or(|dir| dir != "hooks") => {}
            _ => {
                let message = format!("the file `{}` is not read", path.display());
                let help =
                    "a YAML file in a directory of hooks has events as its top-level keys, such as `pre_tool_use:`";
                self.warn("unread_file", message, help);
            }
        }
    }

    fn add_flat_if_present(&mut self, dir: &Path, artifact_kind: ArtifactKind) {
        if pintle_files::exists(dir) {
            self.add_flat(dir, artifact_kind);
        }
    }

    /// Adds the policy files of a directory of rules. Any other file may be meant to guard something.
    fn add_rules(&mut self, dir: &Path) {
        for path in sorted_entries(dir, self.findings) {
            let is_policy = path.extension().is_some_and(|extension| extension == "yaml");
            if is_policy && pintle_files::is_file(&path) {
                self.found.push(DiscoveredFile { path, role: ArtifactKind::Policy });
            } else if !unread::is_hidden_path(&path) {
                let message = format!("`{}` is not read, so the rules in it are not on", path.display());
                let help = "a directory of rules has files that end in `.yaml`; rename it, or move it away";
                self.findings.push(error_without_file("unread_file", message, help));
            }
        }
    }

    /// Adds the `.md` files and plugins of one directory.
    fn add_flat(&mut self, dir: &Path, artifact_kind: ArtifactKind) {
        if artifact_kind == ArtifactKind::Policy {
            return self.add_rules(dir);
        }
        for path in sorted_entries(dir, self.findings) {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if name.ends_with(".md") {
                self.found.push(DiscoveredFile { path, role: artifact_kind });
            } else if is_plugin_file(&path)
                && matches!(artifact_kind, ArtifactKind::Hook | ArtifactKind::Bundle(BundleFolder::Plugins))
            {
                self.found.push(DiscoveredFile { path, role: ArtifactKind::Plugin });
            } else if is_case_file(&path) || is_scenario_file(&path) {
                // `pintle test` reads it.
            } else if artifact_kind == ArtifactKind::Hook && is_yaml_path(&path) && pintle_files::is_file(&path) {
                self.add_hooks_yaml(path);
            } else if name.to_lowercase().ends_with(".md") || name.to_lowercase().ends_with(".markdown") {
                let message = format!("the file `{}` is not read", path.display());
                let help = "rename it so that it ends in `.md`";
                self.warn("unread_file", message, help);
            } else if pintle_files::is_dir(&path) && has_markdown(&path) {
                let message = format!("the directory `{}` is not read", path.display());
                let help = format!("subdirectories are not read; move its files up into `{}`", dir.display());
                self.warn("unread_folder", message, &help);
            }
        }
    }
}

/// Whether a file name ends in `.yaml` or `.yml`, in any case.
pub(crate) fn is_yaml_path(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("yaml") || ending.eq_ignore_ascii_case("yml"))
}

/// The entries of a directory, ordered by the bytes of their names.
pub(crate) fn sorted_entries(dir: &Path, findings: &mut Vec<Diagnostic>) -> Vec<PathBuf> {
    let listed =
        pintle_files::read_dir(dir).and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect());
    let mut paths: Vec<PathBuf> = match listed {
        Ok(paths) => paths,
        Err(error) => {
            let message = format!("cannot read `{}`: {}", dir.display(), io_error_text(&error));
            findings.push(error_without_file(
                "unreadable",
                message,
                "check that it is a directory and that you may read it",
            ));
            Vec::new()
        }
    };
    // They have the same directory, so only their names differ.
    paths.sort_unstable_by(|one, other| one.as_os_str().as_encoded_bytes().cmp(other.as_os_str().as_encoded_bytes()));
    paths
}

pub(crate) fn is_own_agent_file(artifact_kind: ArtifactKind) -> bool {
    matches!(artifact_kind, ArtifactKind::Harness | ArtifactKind::HarnessYaml)
}

/// The most files that a policy file extends, directly and through others.
const MOST_BASES: usize = 64;

/// Adds the files that policy files extend, and those that these extend.
fn with_policy_bases(mut files: Vec<DiscoveredFile>) -> Vec<DiscoveredFile> {
    let mut unread: Vec<PathBuf> =
        files.iter().filter(|file| file.role == ArtifactKind::Policy).map(|file| file.path.clone()).collect();
    let mut bases: Vec<DiscoveredFile> = Vec::new();
    while let Some(path) = unread.pop() {
        for base in read_policy_bases(&path).iter().map(|base| base.file(&path)) {
            let is_known = bases.iter().any(|known| known.path == base);
            if !is_known && bases.len() < MOST_BASES && pintle_files::is_file(&base) {
                unread.push(base.clone());
                bases.push(DiscoveredFile { path: base, role: ArtifactKind::PolicyBase });
            }
        }
    }
    files.append(&mut bases);
    files
}

/// What a policy file extends; nothing if it cannot be read, which is reported when it is loaded.
fn read_policy_bases(path: &Path) -> Vec<PolicyBase> {
    let file = read_limited(path).map(|bytes| source_file(path, bytes).0);
    file.map(|file| policy_bases(&file)).unwrap_or_default()
}

fn has_markdown(dir: &Path) -> bool {
    let is_markdown = |entry: fs::DirEntry| entry.file_name().to_string_lossy().ends_with(".md");
    pintle_files::read_dir(dir).is_ok_and(|entries| entries.flatten().any(is_markdown))
}

pub(crate) fn role_of_own_file(name: &str) -> ArtifactKind {
    if name == "harness.md" { ArtifactKind::Harness } else { ArtifactKind::HarnessYaml }
}

pub(crate) fn folder_role(name: &str) -> Option<ArtifactKind> {
    FOLDERS.iter().find(|(known, _)| *known == name).map(|(_, role)| *role)
}

/// What a YAML file is that the user named, and whose text is not that of a team: a policy, or the agent's own file. No
/// key of a policy is one of an agent.
fn named_yaml_role(path: &Path) -> ArtifactKind {
    let bytes = read_limited(path).unwrap_or_default();
    match has_policy_keys(&String::from_utf8_lossy(&bytes)) {
        true => ArtifactKind::Policy,
        false => ArtifactKind::HarnessYaml,
    }
}

/// Whether a text has a key of a policy file.
pub(crate) fn has_policy_keys(text: &str) -> bool {
    let is_key =
        |line: &str| ["use:", "deny:", "ask:", "warn:", "allow:", "extends:"].iter().any(|key| line.starts_with(key));
    text.lines().any(is_key)
}

/// An error that has no location in a file.
pub(crate) fn error_without_file(code: &'static str, message: String, help: &str) -> Diagnostic {
    Diagnostic::error(code, message, Location::default()).help(help)
}

/// The text of an I/O error in lower case, without its number.
pub(crate) fn io_error_text(error: &std::io::Error) -> String {
    let words = error.to_string().to_lowercase();
    words.split(" (os error").next().unwrap_or_default().to_owned()
}
