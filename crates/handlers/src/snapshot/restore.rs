//! Going back.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::SnapshotError;
use super::change::{TreeEntry, decode_path, encode_path, path_bytes};
use super::journal::Checkpoint;
use super::shadow_git::ShadowGit;
use super::shadow_repository::ShadowRepository;

/// What was restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreReport {
    /// The files that are again what they were, below the root.
    pub files: Vec<String>,
    /// How many checkpoints were taken back.
    pub reverted_count: usize,
}

/// What a file has to become, and what it is as far as the checkpoints know.
struct FileRestore<'a> {
    target: Option<&'a TreeEntry>,
    expected: Option<&'a TreeEntry>,
}

/// A repository within the folder: its files are not ours.
const REPOSITORY: &str = "160000";

/// Makes the files of these checkpoints, oldest first, what they were before the first of them.
pub(super) fn restore_files(
    git: &ShadowGit<'_>,
    place: &ShadowRepository,
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
        let edited = find_edited_files(git, place, &steps)?;
        if !edited.is_empty() {
            return Err(SnapshotError::EditedFiles { paths: edited });
        }
    }
    let blocked = find_blocked_paths(place, &steps);
    if !blocked.is_empty() {
        return Err(SnapshotError::BlockedPaths { paths: blocked });
    }
    for (path, step) in &steps {
        if step.target.is_none() {
            remove_file_and_empty_dirs(&place.root, path)?;
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

/// Puts entries into an empty index; tells whether there were any.
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

/// The files that are no longer what the last checkpoint left.
fn find_edited_files(
    git: &ShadowGit<'_>,
    place: &ShadowRepository,
    steps: &BTreeMap<PathBuf, FileRestore<'_>>,
) -> Result<Vec<String>, SnapshotError> {
    let mut edited = BTreeSet::new();
    for (path, step) in steps {
        // A folder is no file; whether it is in the way is asked later.
        let is_file = fs::symlink_metadata(place.root.join(path)).is_ok_and(|found| !found.is_dir());
        let is_there = is_file && !is_behind_a_link(&place.root, path);
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

/// Whether a folder that leads to the path is a symbolic link, so that the file is somewhere else.
fn is_behind_a_link(root: &Path, path: &Path) -> bool {
    let folders = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    folders.into_iter().any(|folder| fs::symlink_metadata(root.join(folder)).is_ok_and(|found| found.is_symlink()))
}

/// The folders that stand where a file has to be and would not be empty. Git would take them away with all they hold.
fn find_blocked_paths(place: &ShadowRepository, steps: &BTreeMap<PathBuf, FileRestore<'_>>) -> Vec<String> {
    let mut blocked = Vec::new();
    for (path, step) in steps {
        if step.target.is_some() && holds_other_files(&place.root, path, steps) {
            blocked.push(encode_path(path_bytes(path)));
        }
    }
    blocked
}

/// Whether a path is a folder with a file in it that is not about to be removed.
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

/// Removes a file, and the folders that are empty then.
fn remove_file_and_empty_dirs(root: &Path, path: &Path) -> Result<(), SnapshotError> {
    if is_behind_a_link(root, path) {
        return Ok(());
    }
    let whole = root.join(path);
    match fs::symlink_metadata(&whole) {
        // Somebody made a folder of that name since; it is not what the checkpoint knows.
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => fs::remove_file(&whole).map_err(SnapshotError::store_error(&whole))?,
        Err(_) => return Ok(()),
    }
    for folder in path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
        if fs::remove_dir(root.join(folder)).is_err() {
            break;
        }
    }
    Ok(())
}
