//! `--worktree`: a git worktree of the agent's own.

use std::path::{Path, PathBuf};

use pintle_host::CancelToken;
use pintle_host::event::WorktreeCreate;
use pintle_host::process::{self, ProcessSpec};
use pintle_host::snapshot;

use crate::error::CliError;

/// Time limit of one git command, in milliseconds. Checking out a large repository takes long.
const GIT_MS: u64 = 120_000;

/// A worktree that was created for one run.
#[derive(Debug)]
pub(super) struct Worktree {
    path: PathBuf,
    branch: String,
    /// The repository that it belongs to.
    source: PathBuf,
}

impl Worktree {
    /// Creates a worktree of the repository that contains `home`, on a new branch. An empty branch is named after the
    /// session.
    pub(super) fn create(home: &Path, branch: &str, session: &str) -> Result<Self, CliError> {
        let home = std::path::absolute(home).map_err(CliError::failure)?;
        let top = run_git(&home, &["rev-parse", "--show-toplevel"])
            .map_err(|error| error.help("`--worktree` requires that the agent works in a git repository"))?;
        let source = PathBuf::from(top.trim_end_matches('\n'));
        let branch = if branch.is_empty() { format!("pintle/{session}") } else { branch.to_owned() };
        let name = source.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let dir = format!("{name}-{}", branch.replace('/', "-"));
        let path = snapshot::data_dir().map_err(CliError::failure)?.join("worktrees").join(dir);
        run_git(&source, &["worktree", "add", "--quiet", "-b", &branch, "--", &path.to_string_lossy()]).map_err(
            |error| {
                error.help(
                    "name another branch with `--worktree=BRANCH`; `git worktree list` shows the existing worktrees",
                )
            },
        )?;
        Ok(Self { path, branch, source })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the payload of the event that hooks receive.
    pub(super) fn to_event_payload(&self) -> WorktreeCreate {
        WorktreeCreate {
            path: self.path.display().to_string(),
            branch: self.branch.clone(),
            source_dir: self.source.display().to_string(),
        }
    }

    /// Removes the worktree and its branch, if the agent may not start in it.
    pub(super) fn remove(&self) -> Result<(), CliError> {
        run_git(&self.source, &["worktree", "remove", "--force", "--", &self.path.to_string_lossy()])?;
        run_git(&self.source, &["branch", "--quiet", "-D", "--", &self.branch]).map(drop)
    }
}

/// Runs git and returns its standard output.
fn run_git(dir: &Path, arguments: &[&str]) -> Result<String, CliError> {
    let mut spec = ProcessSpec::new("git", arguments.iter().map(|&argument| argument.to_owned()).collect());
    spec.directory = Some(dir.to_owned());
    spec.timeout_ms = GIT_MS;
    let output = process::run(&spec, &CancelToken::default()).map_err(CliError::failure)?;
    if output.is_success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let reason = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it gave no reason");
    let step = arguments.first().copied().unwrap_or_default();
    Err(CliError::failure(format!("git {step} failed: {}", reason.trim_start_matches("fatal: "))))
}
