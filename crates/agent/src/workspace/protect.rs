//! Files that tools can read but not change: the policy an agent runs under, and its records.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use cap_std::fs::Dir;
use pintle_host::CancelToken;
use pintle_host::loader::{PolicyFiles, PolicyPaths, has_policy_name, judge_command};
use serde_json::{Value, json};

use super::Workspace;

impl Workspace {
    /// Makes these paths read-only as well, wherever they are.
    #[must_use]
    pub fn with_read_only(self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let policy = self.policy().clone().with_paths(paths);
        self.with_policy(Arc::new(policy), [])
    }

    /// Makes these files and paths read-only, and the policy of this machine. If the workspace is a project, only its policy
    /// files are protected; the agent works on the rest.
    #[must_use]
    pub fn with_policy(mut self, policy: Arc<PolicyFiles>, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let paths = paths.into_iter().filter_map(|path| std::path::absolute(path).ok()).collect();
        (self.shared_policy, self.policy) = (Some((policy, paths)), OnceLock::new());
        self
    }

    fn policy(&self) -> &PolicyFiles {
        self.policy.get_or_init(|| match &self.shared_policy {
            Some((shared, paths)) => {
                let policy = PolicyFiles::clone(shared).with_paths(paths.iter().cloned());
                policy.with_machine_policy(None, self.root()).with_working_dir(self.root())
            }
            None => PolicyFiles::default(),
        })
    }

    /// Checks that a tool may create, change or remove what is at a path: it must not be or be inside something
    /// protected, by any links.
    pub(super) fn check_change(&self, path: &str) -> Result<(), String> {
        let real = self.run_at(path, resolve_links).map_err(|error| error.to_string())?;
        if self.policy().is_policy(&self.root().join(&real)) { Err(protected_message(path)) } else { Ok(()) }
    }

    /// Checks that a tool may move what is at a path: it must not contain anything protected either.
    pub(super) fn check_move(&self, path: &str) -> Result<(), String> {
        self.check_change(path)?;
        let base = self.run_at(path, resolve_links).map_err(|error| error.to_string())?;
        let is_folder = self.run_at(path, |dir, path| dir.symlink_metadata(path)).is_ok_and(|found| found.is_dir());
        let goes_along = |within: &Path| has_policy_name(&base.join(within));
        let mut is_protected = self.policy().contains_policy(&self.root().join(&base));
        if !is_protected && is_folder {
            let walk = self.walk(path, goes_along, &CancelToken::default()).map_err(|error| error.to_string())?;
            // Files that a walk skips may be protected as well.
            is_protected = !walk.all_paths().is_ok_and(|paths| paths.is_empty());
        }
        if is_protected { Err(protected_message(path)) } else { Ok(()) }
    }

    /// Checks that a shell may run a command in a directory: it must not plainly change something protected.
    pub(crate) fn check_run(&self, command: &str, dir: &str) -> Result<(), String> {
        self.check_command(json!(command), dir)
    }

    /// Checks that a program may be started with these arguments in a directory, by the same rule.
    pub(crate) fn check_start(&self, program: &str, arguments: &[String], dir: &str) -> Result<(), String> {
        let words = std::iter::once(program).chain(arguments.iter().map(String::as_str));
        self.check_command(words.collect(), dir)
    }

    /// Checks a command line, or the words of one.
    fn check_command(&self, command: Value, dir: &str) -> Result<(), String> {
        let paths = PolicyPaths::new(self.policy(), self.root(), self.root()).with_working_dir(Some(dir));
        let judged = judge_command(&paths, "shell", &json!({"command": command}));
        if let Some(key) = judged.read_key {
            return Err(format!(
                "the command was not run: it would read `{}`, the key with which this machine signs tapes, which is only \
                 for Pintle; leave it alone",
                key.display()
            ));
        }
        let Some(changed) = judged.changed_policy else { return Ok(()) };
        Err(format!(
            "the command was not run: it would change {changed}, and an agent cannot change its own policy or records; \
             leave it unchanged, or ask the user to change it"
        ))
    }
}

fn protected_message(path: &str) -> String {
    format!(
        "`{path}` is read-only for tools because it contains the agent's policy or records; write to another \
         directory, such as `memory/`, or ask the user to change it"
    )
}

/// The path without links. The part of it that does not exist yet stays unchanged.
fn resolve_links(dir: &Dir, path: &Path) -> io::Result<PathBuf> {
    let mut missing = Vec::new();
    let mut known = path;
    loop {
        match dir.canonicalize(if known.as_os_str().is_empty() { Path::new(".") } else { known }) {
            Ok(real) => return Ok(missing.iter().rev().fold(real, |real, name| real.join(name))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        // A link to a path that does not exist yet would be followed when that path is created.
        if dir.symlink_metadata(known).is_ok_and(|found| found.is_symlink()) {
            return Err(io::Error::other("it is a link to something that does not exist"));
        }
        let (Some(parent), Some(name)) = (known.parent(), known.file_name()) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        missing.push(name);
        known = parent;
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use pintle_host::CancelToken;

    use crate::workspace::tests::open_workspace;

    #[test]
    fn policy_and_records_can_be_read_and_not_changed() {
        let (dir, workspace) = open_workspace();
        let at = |path: &str| dir.path().join(path);
        for path in [".harness/hooks", ".pintle/tapes", "deep/team/.harness/hooks", "area"] {
            fs::create_dir_all(at(path)).unwrap();
        }
        for path in [".harness/hooks/guard.md", "harness.md", ".pintle/tapes/t.jsonl", "deep/team/harness.md", "area/a"]
        {
            fs::write(at(path), "kept").unwrap();
        }
        symlink(".harness", at("way")).unwrap();
        symlink("../harness.md", at("area/file")).unwrap();
        symlink(".harness/hooks/new.md", at("nothing")).unwrap();
        let protected = [
            ".harness/hooks/guard.md",
            ".harness/hooks/new.md",
            ".harness/new/deep.md",
            ".harness",
            "harness.md",
            ".HARNESS/x.md",
            "./area/../harness.md",
            ".pintle/tapes/t.jsonl",
            ".pintle",
            "deep/team/harness.md",
            "deep/team/.harness/hooks/x.md",
            "way/hooks/guard.md",
            "way/hooks/new.md",
            "way",
            "area/file",
        ];
        for path in protected {
            for error in [
                workspace.write(path, "x"),
                workspace.append(path, "x"),
                workspace.remove(path),
                workspace.make_dir(path),
                workspace.copy("area/a", path),
                workspace.rename("area/a", path),
                workspace.rename(path, "area/b"),
            ] {
                let error = error.unwrap_err();
                assert!(error.starts_with(&format!("`{path}` is read-only for tools")), "{path}: {error}");
            }
        }
        assert!(workspace.rename("deep", "area/b").unwrap_err().starts_with("`deep` is read-only for tools"));
        assert!(workspace.write("nothing", "x").unwrap_err().contains("a link to something that does not exist"));
        assert_eq!(workspace.read(".harness/hooks/guard.md").unwrap(), "kept");
        assert_eq!(workspace.read("deep/team/harness.md").unwrap(), "kept");
        workspace.copy("harness.md", "area/copy.md").unwrap();
        workspace.write("area/harness.txt", "x").unwrap();
    }

    #[test]
    fn what_a_person_names_is_read_only_too() {
        let (dir, workspace) = open_workspace();
        workspace.write("rules/a.md", "kept").unwrap();
        workspace.write("rules.md", "x").unwrap();
        workspace.write("area/t.jsonl", "kept").unwrap();
        let named = ["rules", "area/t.jsonl", "gone", "/", "."].map(|path| dir.path().join(path));
        let workspace = workspace.with_read_only(named);
        for path in ["rules/a.md", "rules/b.md", "rules", "area/t.jsonl"] {
            assert!(workspace.write(path, "x").unwrap_err().contains("read-only for tools"), "{path}");
        }
        assert!(workspace.rename("area", "b").unwrap_err().contains("read-only for tools"));
        workspace.write("rules.md", "y").unwrap();
        workspace.write("area/u.jsonl", "y").unwrap();
    }

    #[test]
    fn another_name_of_a_policy_file_is_that_file() {
        let (dir, workspace) = open_workspace();
        let at = |path: &str| dir.path().join(path);
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("own.yaml"), "kept").unwrap();
        for path in ["guard.sh", ".harness/hooks/g.md", "notes.md"] {
            workspace.make_dir("other").unwrap();
            fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            fs::write(at(path), "kept").unwrap();
        }
        fs::hard_link(at("guard.sh"), at("other/a.txt")).unwrap();
        fs::hard_link(at(".harness/hooks/g.md"), at("other/b.txt")).unwrap();
        fs::hard_link(outside.path().join("own.yaml"), at("other/c.txt")).unwrap();
        fs::hard_link(at("notes.md"), at("other/d.txt")).unwrap();
        let policy = [at("guard.sh"), at(".harness/hooks/g.md"), outside.path().to_owned()];
        let workspace = workspace.with_read_only(policy);
        for path in ["other/a.txt", "other/b.txt", "other/c.txt"] {
            for error in [workspace.write(path, "x"), workspace.append(path, "x"), workspace.copy("notes.md", path)] {
                assert!(error.unwrap_err().contains("read-only for tools"), "{path}");
            }
            assert_eq!(fs::read_to_string(at(path)).unwrap(), "kept");
        }
        workspace.write("other/d.txt", "x").unwrap();
    }

    #[test]
    fn records_are_not_listed() {
        let (_folder, workspace) = open_workspace();
        fs::create_dir_all(workspace.root().join(".pintle/tapes")).unwrap();
        fs::write(workspace.root().join(".pintle/tapes/t.jsonl"), "x").unwrap();
        workspace.write("a.jsonl", "x").unwrap();
        assert_eq!(workspace.list(".").unwrap().into_iter().map(|stat| stat.name).collect::<Vec<_>>(), ["a.jsonl"]);
        assert_eq!(workspace.glob("**/*.jsonl", ".", &CancelToken::default()).unwrap().paths, ["a.jsonl"]);
    }
}
