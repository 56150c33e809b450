//! Captures the current files.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::change::{decode_path, encode_path, path_bytes, path_from_bytes};
use super::shadow_git::{ShadowGit, write_atomically};
use super::shadow_repository::ShadowRepository;
use super::{SnapshotError, shadow_path};

/// New files above this size are left out. Files that are already in a snapshot are not.
const MOST_BYTES: u64 = 2 << 20;

/// A directory without a repository and with more new files than this is not a working directory of an agent.
const MOST_FILES: usize = 20_000;

/// This file contains the tree of the index, as long as the index does not change.
const TREE: &str = "tree";

/// The files that were left out last time, one path per line.
const LEFT_OUT: &str = "left-out";

/// Files of this process that are excluded from snapshots.
static OWN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The file in the shadow with the names of such files, for other and later processes.
const OWN_FILES: &str = "own-files";

/// Excludes a file from all snapshots, such as the tape of a session, which is not the agent's work.
pub fn exclude_file(file: &Path) {
    let dir = file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let (Ok(dir), Some(name)) = (pintle_files::canonicalize(dir), file.file_name()) {
        OWN.lock().unwrap_or_else(PoisonError::into_inner).insert(dir.join(name));
    }
}

/// The excluded files below the root, including those of other processes.
fn excluded_files(repository: &ShadowRepository) -> Result<BTreeSet<String>, SnapshotError> {
    let list = shadow_path(&repository.store, OWN_FILES);
    let text = fs::read_to_string(&list).unwrap_or_default();
    let mut files: BTreeSet<String> = text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    let known = files.len();
    let ours = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    files.extend(
        ours.iter().filter_map(|file| Some(encode_path(path_bytes(file.strip_prefix(&repository.root).ok()?)))),
    );
    if files.len() > known {
        let text: String = files.iter().map(|file| format!("{file}\0")).collect();
        write_atomically(&list, text.as_bytes())?;
    }
    Ok(files)
}

/// Updates the index and returns its tree. One git process if nothing changed, three otherwise.
pub(super) fn capture_tree(git: &ShadowGit<'_>, repository: &ShadowRepository) -> Result<String, SnapshotError> {
    let mut left_out = still_excluded(repository);
    write_exclude_file(repository, &left_out)?;
    let scope = git.scope_argument()?;
    let listing = git.run_git(&["ls-files", "-t", "-z", "-o", "-m", "-d", "--exclude-standard", "--", scope], b"")?;
    let (mut changed, mut new) = (false, 0);
    let before = left_out.len();
    for item in listing.split(|byte| *byte == 0).filter(|item| item.len() > 2) {
        let (is_new, path) = (item.starts_with(b"? "), item.get(2..).unwrap_or_default());
        if is_new && should_exclude(&repository.root, path) {
            left_out.insert(path.to_vec());
        } else {
            changed = true;
            new += usize::from(is_new);
        }
    }
    if new > MOST_FILES && !repository.is_repository {
        return Err(unsuitable_error(repository, "it has more than 20,000 files and no git repository"));
    }
    let known = shadow_path(&repository.store, TREE);
    if !changed && let Ok(tree) = fs::read_to_string(&known) {
        return Ok(tree.trim().to_owned());
    }
    if left_out.len() > before {
        write_exclude_file(repository, &left_out)?;
    }
    // From here on the file would be outdated.
    let _ = fs::remove_file(&known);
    if changed {
        git.run_git(&["add", "--all", "--", scope], b"")?;
    }
    let tree = git.object_name(&["write-tree"], b"")?;
    write_atomically(&known, tree.as_bytes())?;
    Ok(tree)
}

/// What is not in the snapshots, as of the last capture: files that git ignores and those that were left out. Directories
/// end with a slash. Pintle's own files are not named.
pub(super) fn left_out_paths(git: &ShadowGit<'_>, repository: &ShadowRepository) -> Result<Vec<String>, SnapshotError> {
    let scope = git.scope_argument()?;
    let options = ["ls-files", "-z", "-o", "-i", "--directory", "--exclude-standard", "--", scope];
    let listing = git.run_git(&options, b"")?;
    let mut own: Vec<String> = excluded_files(repository)?.into_iter().collect();
    let data = repository.store.parent().and_then(|snapshots| pintle_files::canonicalize(snapshots).ok());
    own.extend(data.and_then(|data| Some(encode_path(path_bytes(data.strip_prefix(&repository.root).ok()?)))));
    let paths = listing.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(encode_path);
    let is_below = |path: &str, dir: &str| {
        path.strip_prefix(dir.trim_end_matches('/')).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    Ok(paths.filter(|path| !own.iter().any(|own| is_below(own, path) || is_below(path, own))).collect())
}

/// Rejects directories that contain much more than an agent's work.
pub(super) fn check_size(repository: &ShadowRepository) -> Result<(), SnapshotError> {
    let home = pintle_files::home_dir().and_then(|home| pintle_files::canonicalize(home).ok());
    if !repository.is_repository && (repository.root.parent().is_none() || home.as_ref() == Some(&repository.root)) {
        return Err(unsuitable_error(
            repository,
            "it is a home directory or the file-system root and has no git repository",
        ));
    }
    Ok(())
}

fn unsuitable_error(repository: &ShadowRepository, reason: &str) -> SnapshotError {
    SnapshotError::Unsuitable { folder: repository.root.clone(), reason: reason.to_owned() }
}

/// Whether a new file is left out: too large, not readable, or a repository of its own.
fn should_exclude(root: &Path, path: &[u8]) -> bool {
    if path.ends_with(b"/") {
        return true;
    }
    let path = root.join(path_from_bytes(path.to_vec()));
    match fs::symlink_metadata(&path) {
        Ok(found) if found.is_file() => found.len() > MOST_BYTES || File::open(&path).is_err(),
        // A link is captured as a link, whatever its target; git detects files that were removed.
        _ => false,
    }
}

/// The files that were left out last time and would be left out again.
fn still_excluded(repository: &ShadowRepository) -> BTreeSet<Vec<u8>> {
    let text = fs::read_to_string(shadow_path(&repository.store, LEFT_OUT)).unwrap_or_default();
    let paths = text.split('\0').filter(|path| !path.is_empty()).map(|path| path_bytes(&decode_path(path)).to_vec());
    paths
        .filter(|path| {
            should_exclude(&repository.root, path) && repository.root.join(path_from_bytes(path.to_vec())).exists()
        })
        .collect()
}

/// Writes git's exclude file: the user's for this clone, the shadow itself, and the files that are left out.
fn write_exclude_file(repository: &ShadowRepository, left_out: &BTreeSet<Vec<u8>>) -> Result<(), SnapshotError> {
    let mut patterns = user_exclude_file(&repository.root);
    patterns.push(b'\n');
    let data = repository.store.parent().and_then(|snapshots| pintle_files::canonicalize(snapshots).ok());
    if let Some(inside) = data.as_ref().and_then(|data| data.strip_prefix(&repository.root).ok()) {
        patterns.extend(exclude_pattern(path_bytes(inside)));
    }
    for file in excluded_files(repository)? {
        patterns.extend(exclude_pattern(path_bytes(&decode_path(&file))));
    }
    let mut list = String::new();
    for path in left_out {
        patterns.extend(exclude_pattern(path));
        list.push_str(&encode_path(path));
        list.push('\0');
    }
    let file = shadow_path(&repository.store, "info/exclude");
    if fs::read(&file).ok().as_deref() != Some(&patterns) {
        write_atomically(&file, &patterns)?;
        write_atomically(&shadow_path(&repository.store, LEFT_OUT), list.as_bytes())?;
    }
    Ok(())
}

/// The pattern that matches exactly one path below the root.
fn exclude_pattern(path: &[u8]) -> Vec<u8> {
    let mut pattern = vec![b'/'];
    for byte in path {
        match byte {
            // A pattern ends at a newline; any single character is close enough.
            b'\n' | b'\r' => pattern.push(b'?'),
            b'\\' | b'*' | b'?' | b'[' | b' ' => pattern.extend([b'\\', *byte]),
            _ => pattern.push(*byte),
        }
    }
    pattern.push(b'\n');
    pattern
}

/// The user's `info/exclude`, including that of a linked worktree, whose `.git` is a file.
fn user_exclude_file(root: &Path) -> Vec<u8> {
    let mut dir = root.join(".git");
    if let Ok(text) = pintle_files::read_text(&dir) {
        let Some(named) = text.strip_prefix("gitdir: ") else { return Vec::new() };
        dir = root.join(named.trim_end());
    }
    if let Ok(common) = pintle_files::read_text(dir.join("commondir")) {
        dir = dir.join(PathBuf::from(common.trim_end()));
    }
    pintle_files::read_text(dir.join("info/exclude")).unwrap_or_default().into_bytes()
}
