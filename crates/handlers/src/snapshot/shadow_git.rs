//! Runs git on the shadow repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pintle_contract::CancelToken;

use super::change::{self, FileChange};
use super::shadow_repository::ShadowRepository;
use super::{SnapshotError, shadow_path};
use crate::process::{ProcessEnvironment, ProcessSpec, run};

/// The shadow's configuration. Contents are stored byte for byte: no line ends are converted and no filter runs.
const CONFIGURATION: &str = "[core]
\trepositoryformatversion = 0
\tbare = false
\tfilemode = true
\tsymlinks = true
\tlongpaths = true
\tautocrlf = false
\tsafecrlf = false
\tfsmonitor = false
\tquotePath = false
\tlogAllRefUpdates = false
\tlooseCompression = 1
\thooksPath = /dev/null
\texcludesFile = /dev/null
\tattributesFile = /dev/null
[gc]
\tauto = 0
\tpackRefs = false
[advice]
\taddEmbeddedRepo = false
";

/// Disables the conversions of the user's `.gitattributes`.
const ATTRIBUTES: &str = "* -text -eol -ident -filter -working-tree-encoding\n";

/// The most output of git. A longer list of paths cannot be an agent's changes.
const OUTPUT_BYTES: usize = 64 << 20;

/// The number of loose objects in one of the 256 directories above which objects are packed.
const LOOSE_IN_ONE_FOLDER: usize = 20;

/// Runs git on one shadow until a deadline.
#[derive(Debug)]
pub(super) struct ShadowGit<'a> {
    pub(super) repository: &'a ShadowRepository,
    deadline: Instant,
    cancel: &'a CancelToken,
    index: PathBuf,
}

/// Creates the shadow if it does not exist, without running git.
pub(super) fn prepare_shadow(repository: &ShadowRepository) -> Result<(), SnapshotError> {
    let store = &repository.store;
    if shadow_path(store, "HEAD").exists() {
        return Ok(());
    }
    for dir in ["info", "objects/info", "objects/pack", "refs/heads", "refs/checkpoints"] {
        let dir = shadow_path(store, dir);
        fs::create_dir_all(&dir).map_err(SnapshotError::store_error(&dir))?;
    }
    restrict_access(store)?;
    write_atomically(&shadow_path(store, "config"), CONFIGURATION.as_bytes())?;
    write_atomically(&shadow_path(store, "info/attributes"), ATTRIBUTES.as_bytes())?;
    // For users who find the directory.
    write_atomically(&shadow_path(store, "root"), format!("{}\n", repository.root.display()).as_bytes())?;
    // Written last: a shadow with a `HEAD` is complete.
    write_atomically(&shadow_path(store, "HEAD"), b"ref: refs/heads/none\n")
}

/// Writes a file completely or not at all.
pub(super) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), SnapshotError> {
    let aside = path.with_extension("new");
    fs::write(&aside, bytes).and_then(|()| fs::rename(&aside, path)).map_err(SnapshotError::store_error(path))
}

/// Prevents other users from reading contents of files that they cannot read in place.
#[cfg(unix)]
fn restrict_access(store: &Path) -> Result<(), SnapshotError> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(store, fs::Permissions::from_mode(0o700)).map_err(SnapshotError::store_error(store))
}

/// A new directory has the rights of the user's own one.
#[cfg(not(unix))]
fn restrict_access(_store: &Path) -> Result<(), SnapshotError> {
    Ok(())
}

impl<'a> ShadowGit<'a> {
    pub(super) fn new(repository: &'a ShadowRepository, deadline: Instant, cancel: &'a CancelToken) -> Self {
        Self { repository, deadline, cancel, index: shadow_path(&repository.store, "index") }
    }

    /// The same with another index, which is empty at first and removed when the returned guard is dropped.
    pub(super) fn with_temp_index(&self, name: &str) -> (Self, TempIndex) {
        let index = shadow_path(&self.repository.store, name);
        let aside = TempIndex(index.clone());
        aside.remove_index();
        (Self { repository: self.repository, deadline: self.deadline, cancel: self.cancel, index }, aside)
    }

    /// Runs a command; returns its output.
    pub(super) fn run_git(&self, arguments: &[&str], stdin: &[u8]) -> Result<Vec<u8>, SnapshotError> {
        let name = arguments.first().copied().unwrap_or_default();
        let failed = |reason: String| SnapshotError::Git { cause: format!("`git {name}` failed: {reason}") };
        let mut spec = ProcessSpec::new("git", Vec::new());
        spec.arguments.push(format!("--git-dir={}", path_text(&self.repository.store)?));
        spec.arguments.push(format!("--work-tree={}", path_text(&self.repository.root)?));
        spec.arguments.push(String::from("--literal-pathspecs"));
        spec.arguments.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        spec.directory = Some(self.repository.root.clone());
        spec.environment = ProcessEnvironment::Exactly(self.git_environment()?);
        spec.stdin = stdin.into();
        spec.output_bytes = OUTPUT_BYTES;
        let left = self.deadline.saturating_duration_since(Instant::now());
        spec.timeout_ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
        let output = run(&spec, self.cancel).map_err(|error| SnapshotError::Git { cause: error.to_string() })?;
        if output.timed_out {
            return Err(failed(String::from("it took too long")));
        }
        if output.truncated {
            return Err(failed(String::from("it prints more than 64 MiB")));
        }
        if !output.is_success() {
            let complaint = String::from_utf8_lossy(&output.stderr);
            let line = complaint.lines().find(|line| !line.trim().is_empty()).unwrap_or("no error message");
            return Err(failed(line.trim().to_owned()));
        }
        Ok(output.stdout)
    }

    /// Variables that disable the user's configuration, and that of a repository in which Pintle may run.
    fn git_environment(&self) -> Result<Vec<(String, String)>, SnapshotError> {
        let mut variables: Vec<(String, String)> = [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_SYSTEM", "/dev/null"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("LC_ALL", "C"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        variables.push((String::from("GIT_INDEX_FILE"), path_text(&self.index)?.to_owned()));
        for name in ["PATH", "HOME", "TMPDIR"] {
            if let Ok(value) = std::env::var(name) {
                variables.push((name.to_owned(), value));
            }
        }
        Ok(variables)
    }

    /// The ID of a tree or object that a command prints.
    pub(super) fn object_name(&self, arguments: &[&str], stdin: &[u8]) -> Result<String, SnapshotError> {
        Ok(String::from_utf8_lossy(&self.run_git(arguments, stdin)?).trim().to_owned())
    }

    /// The captured part of the root, as a git argument.
    pub(super) fn scope_argument(&self) -> Result<&'a str, SnapshotError> {
        Ok(match path_text(&self.repository.scope)? {
            "" => ".",
            scope => scope,
        })
    }

    /// The changes between two trees, within the scope.
    pub(super) fn diff_trees(&self, before: &str, after: &str) -> Result<Vec<FileChange>, SnapshotError> {
        let scope = self.scope_argument()?;
        let raw = self.run_git(&["diff-tree", "-r", "-z", "--raw", "--no-renames", before, after, "--", scope], b"")?;
        Ok(change::parse_raw_diff(&raw))
    }

    /// The changes as a readable patch.
    pub(super) fn diff_patch(&self, before: &str, after: &str) -> Result<Vec<u8>, SnapshotError> {
        let scope = self.scope_argument()?;
        let options = ["diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv", "--find-renames", "--no-color"];
        self.run_git(&[&options[..], &[before, after, "--", scope]].concat(), b"")
    }

    /// Packs the objects if there are many. Objects that no checkpoint needs are removed after seven days.
    pub(super) fn pack_when_large(&self) -> Result<(), SnapshotError> {
        let sample = shadow_path(&self.repository.store, "objects/17");
        let loose = fs::read_dir(sample).map_or(0, Iterator::count);
        if loose > LOOSE_IN_ONE_FOLDER {
            self.run_git(&["gc", "--quiet", "--prune=7.days.ago"], b"")?;
        }
        Ok(())
    }
}

/// A temporary index.
#[derive(Debug)]
pub(super) struct TempIndex(PathBuf);

impl TempIndex {
    fn remove_index(&self) {
        for path in [self.0.clone(), self.0.with_extension("lock")] {
            // A missing file need not be removed.
            let _ = fs::remove_file(path);
        }
    }
}

impl Drop for TempIndex {
    fn drop(&mut self) {
        self.remove_index();
    }
}

/// A path as an argument. Arguments are UTF-8; any other path is an error.
fn path_text(path: &Path) -> Result<&str, SnapshotError> {
    path.to_str().ok_or_else(|| SnapshotError::Unsuitable {
        folder: path.to_owned(),
        reason: String::from("its path is not UTF-8"),
    })
}
