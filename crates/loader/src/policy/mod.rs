//! Knows the policy files: hooks, the files that hooks run, and settings that enable or disable hooks.
//!
//! An agent must not edit its own guards. Code that gives an agent tools to change files checks
//! [`PolicyFiles::is_policy`] first, and code that gives it a shell checks what a command changes ([`judge_command`]).

mod commands;
mod listed_paths;
mod machine;
mod paths;

use std::collections::{BTreeSet, HashSet};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use pintle_clients::relative_settings;
use pintle_contract::{AgentSpec, HandlerSpec, HookDeclaration};
use pintle_files::{MACHINE_KEY_FILE, normalize_path, resolve_links};

use crate::discover::folder_role;
use crate::trust::files_of_hook;

pub use commands::{CommandJudgement, judge_command};
use listed_paths::{ListedPaths, has_any_below, has_same_file};
pub use paths::PolicyPaths;

/// File and directory names that contain policy or records wherever they are.
const ANYWHERE: [&str; 5] = [".harness", ".pintle", "harness.md", "harness.yaml", "harn.toml"];

/// The files and directories that contain policy, as found when the hooks were loaded.
///
/// In addition to these paths, every path with the name of a policy file counts as policy, such as `.harness/` or
/// `.claude/settings.json`, so that none can be created either.
#[derive(Debug, Clone, Default)]
pub struct PolicyFiles {
    /// The paths as found. Every call of an agent copies the list, which may have thousands.
    found: Vec<Arc<Path>>,
    /// Hooks that run commands, with the directory to which their paths are relative.
    hooks: Vec<(HookDeclaration, PathBuf)>,
    /// Directories of hooks, in which every new file is a hook. One that contains the working directory is ignored.
    hook_dirs: Vec<PathBuf>,
    /// Directories in which agents look for their settings: the home directory and the project.
    settings_dirs: Vec<PathBuf>,
    /// All of them. Resolved on first use, since most processes never ask.
    listed_paths: OnceLock<ListedPaths>,
}

impl PolicyFiles {
    /// Adds files and directories.
    #[must_use]
    pub fn with_paths(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.listed_paths = OnceLock::new();
        self.found.extend(paths.into_iter().filter_map(|path| std::path::absolute(path).ok().map(Arc::from)));
        self
    }

    /// Adds the files of another list.
    #[must_use]
    pub fn merged_with(mut self, other: Self) -> Self {
        self.hooks.extend(other.hooks);
        self.hook_dirs.extend(other.hook_dirs);
        self.settings_dirs.extend(other.settings_dirs);
        // They are absolute.
        self.found.extend(other.found);
        self.listed_paths = OnceLock::new();
        self
    }

    /// The policy for an agent in a working directory: commands run there, so they name the files that exist there. A
    /// listed directory that contains the working directory is ignored.
    #[must_use]
    pub fn with_working_dir(mut self, dir: &Path) -> Self {
        let dir = resolve_links(&std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned()));
        let here: Vec<(HookDeclaration, PathBuf)> =
            self.hooks.iter().map(|(hook, _)| (hook.clone(), dir.clone())).collect();
        self.hooks.extend(here);
        self.found.retain(|path| !dir.starts_with(resolve_links(path)));
        self.hook_dirs.retain(|path| !dir.starts_with(resolve_links(path)));
        self.with_paths([])
    }

    /// The files that hooks without a source file name, relative to the current directory.
    #[must_use]
    pub fn from_hooks(hooks: &[HookDeclaration]) -> Self {
        collect_policy_files(Path::new("."), std::iter::empty(), hooks.iter())
    }

    /// The files and directories that were found, without links in their paths.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.listed_paths().paths()
    }

    fn listed_paths(&self) -> &ListedPaths {
        self.listed_paths.get_or_init(|| {
            let of_hooks = self.hooks.iter().flat_map(|(hook, dir)| files_of_hook(hook, dir));
            let settings = self.settings_dirs.iter().flat_map(|dir| machine::settings_below(dir));
            let found = self.found.iter().map(|path| path.to_path_buf()).chain(self.hook_dirs.iter().cloned());
            ListedPaths::from_paths(found.chain(of_hooks).chain(settings))
        })
    }

    /// Whether creating or changing the file at a path changes policy: because it is policy, is inside a policy
    /// directory, or is another name of such a file. The path is absolute; links are followed, and a missing file
    /// counts too.
    #[must_use]
    pub fn is_policy(&self, path: &Path) -> bool {
        let listed = self.listed_paths();
        find_readings(path)
            .iter()
            .any(|path| has_policy_name(path) || listed.covers(path) || listed.has_hard_link(path))
    }

    /// Whether moving or removing a path changes policy: as [`Self::is_policy`], or because it contains policy.
    #[must_use]
    pub fn contains_policy(&self, path: &Path) -> bool {
        let has_listed_below = |path: &Path| self.listed_paths().find_below(path).next().is_some();
        self.is_policy(path) || find_readings(path).iter().any(|path| has_listed_below(path) || has_policy_below(path))
    }

    /// Whether reading a path with its contents shows the private key of this machine, which signs tapes: it is the key, a
    /// hard link to it, or a directory with it that holds policy.
    #[must_use]
    pub fn contains_key(&self, path: &Path) -> bool {
        let listed = self.listed_paths();
        // The key is in the state directory, which is listed.
        let keys: Vec<PathBuf> = listed.paths().map(|dir| dir.join(MACHINE_KEY_FILE)).collect();
        let shows = |path: &Path, key: &Path| {
            let lower = |path: &Path| path.to_string_lossy().to_lowercase();
            lower(path) == lower(key)
                || (key.starts_with(path) && listed.covers(path) && pintle_files::exists(key))
                || has_same_file(path, key)
        };
        find_readings(path).iter().any(|path| keys.iter().any(|key| shows(path, key)))
    }

    /// The names of which the paths of policy consist, in lower case.
    pub(crate) fn part_names(&self) -> HashSet<String> {
        let places = relative_settings().chain(ANYWHERE).flat_map(|place| Path::new(place).components());
        let parts = places.chain(self.paths().flat_map(Path::components));
        parts.map(|part| part.as_os_str().to_string_lossy().to_lowercase()).collect()
    }

    /// The existing policy below a directory: listed files, files with a policy name, everything in policy directories,
    /// and the directories in between.
    pub(crate) fn policy_below(&self, dir: &Path) -> BTreeSet<PathBuf> {
        let dir = resolve_links(dir);
        let listed = self.listed_paths().find_below(&dir).map(Path::to_owned);
        let places = relative_settings().chain(ANYWHERE).map(Path::new);
        let named = places.flat_map(|place| {
            // `.claude/settings.json` is below `.claude` as well.
            let rests = place.ancestors().filter(|first| ends_with_path(&dir, first));
            rests.filter_map(|first| Some(dir.join(place.strip_prefix(first).ok()?))).collect::<Vec<_>>()
        });
        let mut found = BTreeSet::new();
        let mut add = |path: &Path| {
            let on_the_way = path.ancestors().take_while(|path| path.starts_with(&dir));
            found.extend(on_the_way.map(Path::to_owned));
        };
        let own = self.is_policy(&dir).then(|| dir.clone());
        for path in listed.chain(named).chain(own).filter(|path| pintle_files::symlink_metadata(path).is_ok()) {
            add(&path);
            has_any_below(&path, &mut |path| {
                add(path);
                false
            });
        }
        found
    }
}

/// The files of a loaded path, and those that its hooks name.
pub(crate) fn collect_policy_files<'a>(
    path: &Path,
    paths: impl Iterator<Item = &'a Path> + Clone,
    hooks: impl Iterator<Item = &'a HookDeclaration>,
) -> PolicyFiles {
    let dir = if pintle_files::is_dir(path) { path } else { path.parent().unwrap_or(path) };
    let dir = resolve_links(&std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned()));
    let hooks = hooks.filter(|hook| matches!(hook.handler, HandlerSpec::Command(_)) || !hook.files.is_empty());
    let hooks = hooks.map(|hook| (hook.clone(), dir.clone())).collect();
    let mut hook_dirs: Vec<PathBuf> = paths.clone().filter_map(|file| find_hook_dir(path, file)).collect();
    // The files of a directory follow each other.
    hook_dirs.dedup();
    PolicyFiles { hooks, hook_dirs, ..PolicyFiles::default() }.with_paths(paths.map(Path::to_owned))
}

/// The directory of a file of a loaded path, if every file that is added to it is a hook as well.
fn find_hook_dir(path: &Path, file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    let is_hook = (name.ends_with(".md") || name.ends_with(".star")) && !has_policy_name(file);
    let dir = file.parent().filter(|_| is_hook)?;
    let is_known = dir == path || (dir.parent() == Some(path) && folder_role(dir.file_name()?.to_str()?).is_some());
    is_known.then(|| std::path::absolute(dir).ok())?
}

/// The hooks of an agent and of its child agents.
pub(crate) fn hooks_of(agent: &AgentSpec) -> Vec<&HookDeclaration> {
    agent.hooks.iter().chain(agent.agents.iter().flat_map(|agent| hooks_of(agent))).collect()
}

/// Whether a path has the name of a policy file or directory, or is inside such a directory.
#[must_use]
pub fn has_policy_name(path: &Path) -> bool {
    let named = |part: Component<'_>| ANYWHERE.iter().any(|name| part.as_os_str().eq_ignore_ascii_case(name));
    path.components().any(named) || path.ancestors().any(is_settings_path)
}

/// Whether a path ends in the path of a coding agent's settings for hooks.
fn is_settings_path(path: &Path) -> bool {
    // Most names are in none of the paths, which costs less to see.
    let Some(name) = path.file_name() else { return false };
    let has_name = |place: &&str| place.rsplit('/').next().is_some_and(|last| name.eq_ignore_ascii_case(last));
    relative_settings().filter(has_name).any(|place| ends_with_path(path, Path::new(place)))
}

fn ends_with_path(path: &Path, place: &Path) -> bool {
    let mut parts = path.components().rev();
    let same = |wanted: Component<'_>, part: Component<'_>| part.as_os_str().eq_ignore_ascii_case(wanted.as_os_str());
    place.components().rev().all(|wanted| parts.next().is_some_and(|part| same(wanted, part)))
}

/// Whether a directory contains something with a policy name, or is the first part of such a path that exists, such as
/// `.claude` or `.github`.
fn has_policy_below(dir: &Path) -> bool {
    let is_first_part = |place: &str| {
        let place = Path::new(place);
        place.ancestors().skip(1).filter(|first| !first.as_os_str().is_empty()).any(|first| {
            let rest = place.strip_prefix(first).unwrap_or(place);
            ends_with_path(dir, first) && pintle_files::exists(dir.join(rest))
        })
    };
    ANYWHERE.iter().any(|name| pintle_files::exists(dir.join(name)))
        || relative_settings().any(|place| pintle_files::exists(dir.join(place)) || is_first_part(place))
}

/// What a path may mean, without links: for the system, and for a program that removes `..` before it follows links. Both
/// with and without following its last part.
fn find_readings(path: &Path) -> Vec<PathBuf> {
    let plain = normalize_path(path);
    let mut readings = vec![resolve_parent(path), resolve_links(path)];
    if plain != path {
        readings.extend([resolve_parent(&plain), resolve_links(&plain)]);
    }
    readings
}

/// A path without links in its parent directory; the last component stays, whether it is a link or not.
fn resolve_parent(path: &Path) -> PathBuf {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => resolve_links(parent).join(name),
        _ => resolve_links(path),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use pintle_clients::absolute_settings;
    use pintle_shell::{CallSite, Operation, OperationTag, ShellLanguage, operations_of_command};

    use super::*;

    #[test]
    fn policy_is_known_by_list_by_name_and_through_links() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for file in ["hooks/guard.sh", "agent.yaml", "src/a.rs", ".claude/settings.json", "own/hooks.d/1.yaml", "d/x"] {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), file).unwrap();
        }
        symlink("hooks", root.join("way")).unwrap();
        symlink(root.join("hooks/guard.sh"), root.join("d/link")).unwrap();
        symlink("agent.yaml", root.join("linked.yaml")).unwrap();
        symlink("../.harness/hooks/new.md", root.join("d/nothing")).unwrap();
        fs::hard_link(root.join("hooks/guard.sh"), root.join("d/hard")).unwrap();
        fs::hard_link(root.join("own/hooks.d/1.yaml"), root.join("d/drop-in")).unwrap();
        fs::hard_link(root.join("src/a.rs"), root.join("d/harmless")).unwrap();
        let listed = ["hooks/guard.sh", "linked.yaml", "own", "not/yet.sh"].map(|file| root.join(file));
        let policy = PolicyFiles::default().with_paths(listed);
        let is = |file: &str| (policy.is_policy(&root.join(file)), policy.contains_policy(&root.join(file)));
        for file in [
            "hooks/guard.sh",
            "hooks/../hooks/./guard.sh",
            "gone/../hooks/guard.sh",
            "way/guard.sh",
            "d/link",
            "d/hard",
            "d/drop-in",
            "d/nothing",
            "agent.yaml",
            "linked.yaml",
            "own/hooks.d/2.yaml",
            "own",
            "not/yet.sh",
            ".claude/settings.json",
            ".claude/settings.local.json",
            "sub/.CODEX/hooks.json",
            ".github/hooks/new.json",
            ".harness/hooks/new.md",
            "sub/harn.toml",
            ".pintle/tapes/t.jsonl",
        ] {
            assert_eq!(is(file), (true, true), "{file}");
        }
        for file in ["hooks", "way", ".", ".claude", "not"] {
            assert_eq!(is(file), (false, true), "{file}");
        }
        for file in ["src/a.rs", "d/harmless", "d/x", "hooks/other.sh", "src", ".github", "hooks.json", "new/deep/file"]
        {
            assert_eq!(is(file), (false, false), "{file}");
        }
        // The cheap look passes over no name of policy, wherever the call works.
        for dir in [".", "hooks", "way", "own", "not", ".claude", "d", ".github", "sub"] {
            let paths = PolicyPaths::new(&policy, &root, &root.join(dir));
            let may_be_policy = paths.name_filter();
            for word in [
                "guard.sh",
                "Guard.sh",
                "yet.sh",
                "settings.json",
                "SETTINGS.json",
                "2.yaml",
                "hard",
                "drop-in",
                "link",
                "linked.yaml",
                "hooks",
                "not",
                "harn.toml",
                ".harness",
                "new.json",
                "nothing",
                "other.sh",
                "x1",
            ] {
                let is_policy = paths.policy_changed_at(word).is_some();
                assert!(!is_policy || may_be_policy(word), "{word} in {dir}");
            }
            assert_eq!(may_be_policy("x1"), paths.policy_changed_at("x1").is_some(), "{dir}");
        }
    }

    #[test]
    fn a_text_that_is_too_long_to_be_read_is_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let policy = PolicyFiles::default();
        let paths = PolicyPaths::new(&policy, dir.path(), dir.path());
        let long: String = (0..200_000).map(|number| format!("w{number} ")).collect();
        let judged = judge_command(&paths, "Bash", &serde_json::json!({"command": format!("echo {long}")}));
        assert!(judged.changed_policy.unwrap().contains("too long to be read"));
    }

    #[test]
    fn files_that_a_command_runs_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let files = [
            ("off.sh", "echo hi\npintle uninstall claude --yes\n"),
            ("write.py", "open('.harness/hooks/guard.md', 'w').write('x')\n"),
            ("agent.py", "with open('agent.yaml', 'w') as file:\n    file.write('x')\n"),
            ("Makefile", "all:\n\trm -rf .harness\nshow:\n\tcat .harness/hooks/guard.md\n"),
            ("read.py", "print(open('.harness/hooks/guard.md').read(), '.claude/settings.json')\n"),
            ("package.json", r#"{"scripts": {"test": "sh off.sh", "lint": "prettier --check .claude/settings.json"}}"#),
        ];
        for (file, text) in files {
            fs::write(root.join(file), text).unwrap();
        }
        let policy = PolicyFiles::default().with_paths([root.join("agent.yaml")]);
        let paths = PolicyPaths::new(&policy, &root, &root);
        let changes = |command: &str| {
            judge_command(&paths, "Bash", &serde_json::json!({"command": command})).changed_policy.is_some()
        };
        for command in ["sh off.sh", "cat off.sh | bash", "npm test", "make", "python write.py", "python3 agent.py"] {
            assert!(changes(command), "{command}");
        }
        for command in ["cat off.sh", "make show", "python read.py", "npm run lint", "sh missing.sh"] {
            assert!(!changes(command), "{command}");
        }
    }

    #[test]
    fn the_settings_of_every_agent_need_care_in_command_lines_too() {
        let (project, home) = (Path::new("/p"), Path::new("/home/u"));
        let site = CallSite::new(project, project).with_home(Some(home));
        let below_home = relative_settings().map(|path| home.join(path));
        let below_project = relative_settings().map(|path| project.join(path));
        let of_pintle = ANYWHERE.iter().map(|name| project.join(name));
        let all = absolute_settings(|_| None).into_iter().chain(below_home).chain(below_project).chain(of_pintle);
        let is_known = |path: &PathBuf| {
            let line = format!("echo x > '{0}'; rm -r '{0}/x'", path.display());
            let operations = operations_of_command(&line, ShellLanguage::BashOrZsh, &site);
            let has_tag = |operation: &Operation| {
                operation.has(OperationTag::AgentSettings) || operation.has(OperationTag::Pintle)
            };
            operations.iter().any(has_tag)
        };
        let unknown: Vec<PathBuf> = all.filter(|path| !is_known(path)).collect();
        assert!(unknown.is_empty(), "{unknown:#?}");
    }
}
