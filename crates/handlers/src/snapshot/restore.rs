//! Restores files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::SnapshotError;
use super::change::{TreeEntry, decode_path, encode_path, path_bytes};
use super::journal::Checkpoint;
use super::shadow_git::ShadowGit;
use super::shadow_repository::ShadowRepository;

/// The result of a restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreReport {
    /// The restored files, below the root.
    pub files: Vec<String>,
    /// The number of reverted checkpoints.
    pub reverted_count: usize,
}

/// The state that a file must get, and its current state according to the checkpoints.
struct FileRestore<'a> {
    target: Option<&'a TreeEntry>,
    expected: Option<&'a TreeEntry>,
}

/// The mode of a nested repository, whose files are not captured.
const REPOSITORY: &str = "160000";

/// Restores the files of these checkpoints, oldest first, to their state before the first of them.
pub(super) fn restore_files(
    git: &ShadowGit<'_>,
    repository: &ShadowRepository,
    checkpoints: &[Checkpoint],
    force: bool,
) -> Result<RestoreReport, SnapshotError> {
    let mut steps: BTreeMap<PathBuf, FileRestore<'_>> = BTreeMap::new();
    for change in checkpoints.iter().flat_map(|checkpoint| &checkpoint.files) {
        let (target, expected) = (change.before.as_ref(), change.after.as_ref());
        if [target, expected].into_iter().flatten().any(|entry| entry.mode == REPOSITORY) {
            continue;
        }
        steps
            .entry(decode_path(&change.path))
            .and_modify(|step| step.expected = expected)
            .or_insert(FileRestore { target, expected });
    }
    if !force {
        let edited = find_edited_files(git, repository, &steps)?;
        if !edited.is_empty() {
            return Err(SnapshotError::EditedFiles { paths: edited });
        }
    }
    let blocked = find_blocked_paths(repository, &steps);
    if !blocked.is_empty() {
        return Err(SnapshotError::BlockedPaths { paths: blocked });
    }
    for (path, step) in &steps {
        if step.target.is_none() {
            remove_file_and_empty_dirs(&repository.root, path)?;
        }
    }
    let targets = steps.iter().filter_map(|(path, step)| Some((path.as_path(), step.target?)));
    let (aside, _index) = git.with_temp_index("restore-index");
    if fill_index(&aside, targets)? {
        aside.run_git(&["checkout-index", "--all", "--force", "--quiet"], b"")?;
    }
    let files = steps.keys().map(|path| encode_path(path_bytes(path))).collect();
    Ok(RestoreReport { files, reverted_count: checkpoints.len() })
}

/// Adds entries to an empty index; returns whether there were any.
fn fill_index<'a>(
    git: &ShadowGit<'_>,
    entries: impl Iterator<Item = (&'a Path, &'a TreeEntry)>,
) -> Result<bool, SnapshotError> {
    let mut lines = Vec::new();
    for (path, entry) in entries {
        lines.extend(format!("{} {} 0\t", entry.mode, entry.id).into_bytes());
        lines.extend(path_bytes(path));
        lines.push(0);
    }
    if lines.is_empty() {
        return Ok(false);
    }
    git.run_git(&["update-index", "-z", "--index-info"], &lines)?;
    Ok(true)
}

/// The files that differ from the last checkpoint.
fn find_edited_files(
    git: &ShadowGit<'_>,
    repository: &ShadowRepository,
    steps: &BTreeMap<PathBuf, FileRestore<'_>>,
) -> Result<Vec<String>, SnapshotError> {
    let mut edited = BTreeSet::new();
    for (path, step) in steps {
        // A directory is not a file; whether it blocks a path is checked later.
        let is_file = fs::symlink_metadata(repository.root.join(path)).is_ok_and(|found| !found.is_dir());
        let is_there = is_file && !is_behind_a_link(&repository.root, path);
        if is_there != step.expected.is_some() {
            edited.insert(encode_path(path_bytes(path)));
        }
    }
    let expected = steps.iter().filter_map(|(path, step)| Some((path.as_path(), step.expected?)));
    let (aside, _index) = git.with_temp_index("expected-index");
    if fill_index(&aside, expected)? {
        let listing = aside.run_git(&["ls-files", "-z", "-m", "-d"], b"")?;
        edited.extend(listing.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(encode_path));
    }
    Ok(edited.into_iter().collect())
}

/// Whether a directory on the path is a symbolic link, so that the file is elsewhere.
fn is_behind_a_link(root: &Path, path: &Path) -> bool {
    let folders = path.ancestors().skip(1).filter(|dir| !dir.as_os_str().is_empty());
    folders.into_iter().any(|dir| fs::symlink_metadata(root.join(dir)).is_ok_and(|found| found.is_symlink()))
}

/// The directories at the path of a file that would not be empty. Git would remove them with all their files.
fn find_blocked_paths(repository: &ShadowRepository, steps: &BTreeMap<PathBuf, FileRestore<'_>>) -> Vec<String> {
    let mut blocked = Vec::new();
    for (path, step) in steps {
        if step.target.is_some() && holds_other_files(&repository.root, path, steps) {
            blocked.push(encode_path(path_bytes(path)));
        }
    }
    blocked
}

/// Whether a path is a directory with a file that is not about to be removed.
fn holds_other_files(root: &Path, path: &Path, steps: &BTreeMap<PathBuf, FileRestore<'_>>) -> bool {
    let whole = root.join(path);
    if !fs::symlink_metadata(&whole).is_ok_and(|found| found.is_dir()) {
        return false;
    }
    let Ok(entries) = fs::read_dir(&whole) else { return true };
    entries.flatten().any(|entry| {
        let inner = path.join(entry.file_name());
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let goes = steps.get(&inner).is_some_and(|step| step.target.is_none());
        if is_folder { holds_other_files(root, &inner, steps) } else { !goes }
    })
}

/// Removes a file, and directories that become empty.
fn remove_file_and_empty_dirs(root: &Path, path: &Path) -> Result<(), SnapshotError> {
    if is_behind_a_link(root, path) {
        return Ok(());
    }
    let whole = root.join(path);
    match fs::symlink_metadata(&whole) {
        // A directory with that name was created later; it is not the file of the checkpoint.
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => fs::remove_file(&whole).map_err(SnapshotError::store_error(&whole))?,
        Err(_) => return Ok(()),
    }
    for dir in path.ancestors().skip(1).filter(|dir| !dir.as_os_str().is_empty()) {
        if fs::remove_dir(root.join(dir)).is_err() {
            break;
        }
    }
    Ok(())
}
