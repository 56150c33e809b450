//! Stores the checkpoints.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::change::{FileChange, FileChangeKind};
use super::shadow_git::{ShadowGit, write_atomically};
use super::{SnapshotError, shadow_path};

/// The changes between two captures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The number in the shadow, which grows and is not reused as long as a later checkpoint exists.
    pub id: u64,
    /// The time of the checkpoint, in milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// The session.
    pub session: String,
    /// The agent.
    pub agent: String,
    /// The agent's action: `iteration 2`, or a tool and the ID of its call.
    pub action: String,
    /// The tree of all files before.
    pub before: String,
    /// The tree of all files after.
    pub after: String,
    /// The changed files, ordered by path.
    pub files: Vec<FileChange>,
}

/// The origin of a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckpointLabel {
    /// The session.
    pub session: String,
    /// The agent.
    pub agent: String,
    /// The action, as in [`Checkpoint::action`].
    pub action: String,
    /// The time, in milliseconds since the Unix epoch.
    pub at_ms: u64,
}

impl Checkpoint {
    /// The number of changed files of a kind.
    #[must_use]
    pub fn count_changes(&self, kind: FileChangeKind) -> usize {
        self.files.iter().filter(|change| change.kind() == kind).count()
    }
}

const FILE: &str = "checkpoints.jsonl";

/// The most checkpoints that are kept.
const MOST: usize = 500;

/// Reads the checkpoints. A torn last line is ignored.
pub(super) fn read_checkpoints(store: &Path) -> Result<Vec<Checkpoint>, SnapshotError> {
    let path = shadow_path(store, FILE);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(SnapshotError::store_error(&path)(error)),
    };
    let whole = text.rfind('\n').and_then(|end| text.get(..end)).unwrap_or_default();
    let read = |(index, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|error| SnapshotError::Store { path: path.clone(), cause: format!("line {}: {error}", index + 1) })
    };
    whole.lines().enumerate().map(read).collect()
}

/// Stores a checkpoint. Its trees get a ref first, so that git's housekeeping keeps them.
pub(super) fn add_checkpoint(
    git: &ShadowGit<'_>,
    store: &Path,
    before: &str,
    after: &str,
    label: &CheckpointLabel,
    files: Vec<FileChange>,
) -> Result<Checkpoint, SnapshotError> {
    let known = read_checkpoints(store)?;
    let id = known.last().map_or(1, |last| last.id + 1);
    let both = format!("040000 tree {before}\tbefore\n040000 tree {after}\tafter\n");
    let tree = git.object_name(&["mktree", "--missing"], both.as_bytes())?;
    write_atomically(&reference_path(store, id), format!("{tree}\n").as_bytes())?;
    let (before, after) = (before.to_owned(), after.to_owned());
    let CheckpointLabel { session, agent, action: what, at_ms } = label.clone();
    let checkpoint = Checkpoint { id, at_ms, session, agent, action: what, before, after, files };
    let path = shadow_path(store, FILE);
    // The rest of a torn line would corrupt the next one.
    let torn = fs::read(&path).is_ok_and(|bytes| bytes.last().is_some_and(|last| *last != b'\n'));
    if torn {
        rewrite_journal(store, &known)?;
    }
    let mut file =
        OpenOptions::new().create(true).append(true).open(&path).map_err(SnapshotError::store_error(&path))?;
    file.write_all(checkpoint_line(&checkpoint).as_bytes()).map_err(SnapshotError::store_error(&path))?;
    Ok(checkpoint)
}

/// Removes all checkpoints except the first `keep`.
pub(super) fn keep_first(store: &Path, checkpoints: &[Checkpoint], keep: usize) -> Result<(), SnapshotError> {
    let (kept, forgotten) = checkpoints.split_at(keep.min(checkpoints.len()));
    rewrite_journal(store, kept)?;
    forgotten.iter().for_each(|checkpoint| release_objects(store, checkpoint));
    Ok(())
}

/// Removes the oldest checkpoints above the limit.
pub(super) fn forget_oldest_checkpoints(store: &Path) -> Result<(), SnapshotError> {
    let checkpoints = read_checkpoints(store)?;
    let (forgotten, kept) = checkpoints.split_at(checkpoints.len().saturating_sub(MOST));
    if !forgotten.is_empty() {
        rewrite_journal(store, kept)?;
        forgotten.iter().for_each(|checkpoint| release_objects(store, checkpoint));
    }
    Ok(())
}

fn rewrite_journal(store: &Path, checkpoints: &[Checkpoint]) -> Result<(), SnapshotError> {
    let text: String = checkpoints.iter().map(checkpoint_line).collect();
    write_atomically(&shadow_path(store, FILE), text.as_bytes())
}

fn checkpoint_line(checkpoint: &Checkpoint) -> String {
    // Strings and numbers can always be encoded as JSON.
    serde_json::to_string(checkpoint).unwrap_or_default() + "\n"
}

fn reference_path(store: &Path, id: u64) -> std::path::PathBuf {
    shadow_path(store, &format!("refs/checkpoints/{id}"))
}

/// Removes the refs of a checkpoint. A leftover ref keeps unused objects, and is otherwise harmless.
fn release_objects(store: &Path, checkpoint: &Checkpoint) {
    let _ = fs::remove_file(reference_path(store, checkpoint.id));
}
