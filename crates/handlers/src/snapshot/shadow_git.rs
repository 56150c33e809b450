//! Git, on the shadow alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pintle_contract::CancelToken;

use super::change::{self, FileChange};
use super::shadow_repository::ShadowRepository;
use super::{SnapshotError, shadow_path};
use crate::process::{ProcessEnvironment, ProcessSpec, run};

/// The shadow's configuration. Contents are kept byte for byte: no line ends are converted and no filter runs.
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

/// What the user's `.gitattributes` may not do to a content.
const ATTRIBUTES: &str = "* -text -eol -ident -filter -working-tree-encoding\n";

/// What git may print. A list of paths that is longer is no list of an agent's changes.
const OUTPUT_BYTES: usize = 64 << 20;

/// How many loose objects are packed, as counted by one folder of the 256.
const LOOSE_IN_ONE_FOLDER: usize = 20;

/// Runs git on one shadow until a deadline.
#[derive(Debug)]
pub(super) struct ShadowGit<'a> {
    pub(super) repository: &'a ShadowRepository,
    deadline: Instant,
    cancel: &'a CancelToken,
    index: PathBuf,
}

/// Makes the shadow when it is not there yet. That takes no git.
pub(super) fn prepare_shadow(place: &ShadowRepository) -> Result<(), SnapshotError> {
    let store = &place.store;
    if shadow_path(store, "HEAD").exists() {
        return Ok(());
    }
    for folder in ["info", "objects/info", "objects/pack", "refs/heads", "refs/checkpoints"] {
        let folder = shadow_path(store, folder);
        fs::create_dir_all(&folder).map_err(SnapshotError::store_error(&folder))?;
    }
    restrict_access(store)?;
    write_atomically(&shadow_path(store, "config"), CONFIGURATION.as_bytes())?;
    write_atomically(&shadow_path(store, "info/attributes"), ATTRIBUTES.as_bytes())?;
    // For people who find the folder.
    write_atomically(&shadow_path(store, "root"), format!("{}\n", place.root.display()).as_bytes())?;
    // The last one: a shadow with a head is whole.
    write_atomically(&shadow_path(store, "HEAD"), b"ref: refs/heads/none\n")
}

/// Writes a file whole or not at all.
pub(super) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), SnapshotError> {
    let aside = path.with_extension("new");
    fs::write(&aside, bytes).and_then(|()| fs::rename(&aside, path)).map_err(SnapshotError::store_error(path))
}

/// Keeps others from reading the contents of files that they may not read where they stand.
fn restrict_access(store: &Path) -> Result<(), SnapshotError> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(store, fs::Permissions::from_mode(0o700)).map_err(SnapshotError::store_error(store))
}

impl<'a> ShadowGit<'a> {
    pub(super) fn new(place: &'a ShadowRepository, until: Instant, cancel: &'a CancelToken) -> Self {
        Self { repository: place, deadline: until, cancel, index: shadow_path(&place.store, "index") }
    }

    /// The same with another index, which is empty at first and gone with what is returned beside it.
    pub(super) fn with_temp_index(&self, name: &str) -> (Self, TempIndex) {
        let index = shadow_path(&self.repository.store, name);
        let aside = TempIndex(index.clone());
        aside.remove_index();
        (Self { repository: self.repository, deadline: self.deadline, cancel: self.cancel, index }, aside)
    }

    /// Runs a command; gives what it prints.
    pub(super) fn run_git(&self, arguments: &[&str], stdin: &[u8]) -> Result<Vec<u8>, SnapshotError> {
        let name = arguments.first().copied().unwrap_or_default();
        let failed = |why: String| SnapshotError::Git { cause: format!("`git {name}` failed: {why}") };
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
        let output = run(&spec, self.cancel).map_err(|fault| SnapshotError::Git { cause: fault.to_string() })?;
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

    /// Nothing of the user's configuration, and nothing of a repository that Pintle may run in.
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

    /// The name of a tree or object that a command prints.
    pub(super) fn object_name(&self, arguments: &[&str], stdin: &[u8]) -> Result<String, SnapshotError> {
        Ok(String::from_utf8_lossy(&self.run_git(arguments, stdin)?).trim().to_owned())
    }

    /// The part of the root that is looked at, as git is told.
    pub(super) fn scope_argument(&self) -> Result<&'a str, SnapshotError> {
        Ok(match path_text(&self.repository.scope)? {
            "" => ".",
            scope => scope,
        })
    }

    /// What changed between two trees, within the scope.
    pub(super) fn diff_trees(&self, before: &str, after: &str) -> Result<Vec<FileChange>, SnapshotError> {
        let scope = self.scope_argument()?;
        let raw = self.run_git(&["diff-tree", "-r", "-z", "--raw", "--no-renames", before, after, "--", scope], b"")?;
        Ok(change::parse_raw_diff(&raw))
    }

    /// The same as a patch for people.
    pub(super) fn diff_patch(&self, before: &str, after: &str) -> Result<Vec<u8>, SnapshotError> {
        let scope = self.scope_argument()?;
        let options = ["diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv", "--find-renames", "--no-color"];
        self.run_git(&[&options[..], &[before, after, "--", scope]].concat(), b"")
    }

    /// Packs the objects when they have become many. Objects that no checkpoint needs go after seven days.
    pub(super) fn pack_when_large(&self) -> Result<(), SnapshotError> {
        let sample = shadow_path(&self.repository.store, "objects/17");
        let loose = fs::read_dir(sample).map_or(0, Iterator::count);
        if loose > LOOSE_IN_ONE_FOLDER {
            self.run_git(&["gc", "--quiet", "--prune=7.days.ago"], b"")?;
        }
        Ok(())
    }
}

/// An index for one piece of work.
#[derive(Debug)]
pub(super) struct TempIndex(PathBuf);

impl TempIndex {
    fn remove_index(&self) {
        for path in [self.0.clone(), self.0.with_extension("lock")] {
            // What is not there need not go.
            let _ = fs::remove_file(path);
        }
    }
}

impl Drop for TempIndex {
    fn drop(&mut self) {
        self.remove_index();
    }
}

/// A path as an argument. Arguments are text here; a root that is none is refused.
fn path_text(path: &Path) -> Result<&str, SnapshotError> {
    path.to_str().ok_or_else(|| SnapshotError::Unsuitable {
        folder: path.to_owned(),
        reason: String::from("its path is not UTF-8"),
    })
}
