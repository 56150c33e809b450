//! Remembering the files as they are.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::change::{decode_path, encode_path, path_bytes};
use super::shadow_git::{ShadowGit, write_atomically};
use super::shadow_repository::ShadowRepository;
use super::{SnapshotError, shadow_path};

/// New files above this are left out (docker-agent behaviour, section 4.11). Those that a snapshot holds already are not.
const MOST_BYTES: u64 = 2 << 20;

/// A folder without a repository and with more new files than this is none that an agent works in.
const MOST_FILES: usize = 20_000;

/// The tree of the index is known by this file, as long as the index does not change.
const TREE: &str = "tree";

/// What was left out last time, a path a line.
const LEFT_OUT: &str = "left-out";

/// Files of this process that no snapshot holds.
static OWN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Where the shadow keeps the names of such files, for other processes and later ones.
const OWN_FILES: &str = "own-files";

/// Keeps a file out of all snapshots, such as the tape of a session: it is no work of the agent.
pub fn exclude_file(file: &Path) {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let (Ok(folder), Some(name)) = (fs::canonicalize(folder), file.file_name()) {
        OWN.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.join(name));
    }
}

/// The files below the root that are kept out, those of other processes among them.
fn excluded_files(place: &ShadowRepository) -> Result<BTreeSet<String>, SnapshotError> {
    let list = shadow_path(&place.store, OWN_FILES);
    let text = fs::read_to_string(&list).unwrap_or_default();
    let mut files: BTreeSet<String> = text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    let known = files.len();
    let ours = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    files.extend(ours.iter().filter_map(|file| Some(encode_path(path_bytes(file.strip_prefix(&place.root).ok()?)))));
    if files.len() > known {
        let text: String = files.iter().map(|file| format!("{file}\0")).collect();
        write_atomically(&list, text.as_bytes())?;
    }
    Ok(files)
}

/// Brings the index up to date and gives its tree. One git process when nothing changed, three otherwise.
pub(super) fn capture_tree(git: &ShadowGit<'_>, place: &ShadowRepository) -> Result<String, SnapshotError> {
    let mut left_out = still_excluded(place);
    write_exclude_file(place, &left_out)?;
    let scope = git.scope_argument()?;
    let listing = git.run_git(&["ls-files", "-t", "-z", "-o", "-m", "-d", "--exclude-standard", "--", scope], b"")?;
    let (mut changed, mut new) = (false, 0);
    let before = left_out.len();
    for item in listing.split(|byte| *byte == 0).filter(|item| item.len() > 2) {
        let (is_new, path) = (item.starts_with(b"? "), item.get(2..).unwrap_or_default());
        if is_new && should_exclude(&place.root, path) {
            left_out.insert(path.to_vec());
        } else {
            changed = true;
            new += usize::from(is_new);
        }
    }
    if new > MOST_FILES && !place.is_repository {
        return Err(unsuitable_error(place, "it has more than 20,000 files and no git repository"));
    }
    let known = shadow_path(&place.store, TREE);
    if !changed && let Ok(tree) = fs::read_to_string(&known) {
        return Ok(tree.trim().to_owned());
    }
    if left_out.len() > before {
        write_exclude_file(place, &left_out)?;
    }
    // From here on the file would be wrong.
    let _ = fs::remove_file(&known);
    if changed {
        git.run_git(&["add", "--all", "--", scope], b"")?;
    }
    let tree = git.object_name(&["write-tree"], b"")?;
    write_atomically(&known, tree.as_bytes())?;
    Ok(tree)
}

/// Refuses folders that hold much more than an agent's work.
pub(super) fn check_size(place: &ShadowRepository) -> Result<(), SnapshotError> {
    let home = std::env::var_os("HOME").and_then(|home| fs::canonicalize(home).ok());
    if !place.is_repository && (place.root.parent().is_none() || home.as_ref() == Some(&place.root)) {
        return Err(unsuitable_error(
            place,
            "it is a home directory or the file-system root and has no git repository",
        ));
    }
    Ok(())
}

fn unsuitable_error(place: &ShadowRepository, why: &str) -> SnapshotError {
    SnapshotError::Unsuitable { folder: place.root.clone(), reason: why.to_owned() }
}

/// Whether a new file is left out: too large, not readable, or a repository of its own.
fn should_exclude(root: &Path, path: &[u8]) -> bool {
    if path.ends_with(b"/") {
        return true;
    }
    let path = root.join(OsStr::from_bytes(path));
    match fs::symlink_metadata(&path) {
        Ok(found) if found.is_file() => found.len() > MOST_BYTES || File::open(&path).is_err(),
        // A link is kept as such, whatever it leads to; what is gone by now is git's to see.
        _ => false,
    }
}

/// What was left out last time and would be again.
fn still_excluded(place: &ShadowRepository) -> BTreeSet<Vec<u8>> {
    let text = fs::read_to_string(shadow_path(&place.store, LEFT_OUT)).unwrap_or_default();
    let paths = text.split('\0').filter(|path| !path.is_empty()).map(|path| path_bytes(&decode_path(path)).to_vec());
    paths
        .filter(|path| should_exclude(&place.root, path) && place.root.join(OsStr::from_bytes(path)).exists())
        .collect()
}

/// Tells git what to leave out: what the user told it for this clone alone, the shadow itself, and what is too much.
fn write_exclude_file(place: &ShadowRepository, left_out: &BTreeSet<Vec<u8>>) -> Result<(), SnapshotError> {
    let mut patterns = user_exclude_file(&place.root);
    patterns.push(b'\n');
    let data = place.store.parent().and_then(|snapshots| fs::canonicalize(snapshots).ok());
    if let Some(inside) = data.as_ref().and_then(|data| data.strip_prefix(&place.root).ok()) {
        patterns.extend(exclude_pattern(path_bytes(inside)));
    }
    for file in excluded_files(place)? {
        patterns.extend(exclude_pattern(path_bytes(&decode_path(&file))));
    }
    let mut list = String::new();
    for path in left_out {
        patterns.extend(exclude_pattern(path));
        list.push_str(&encode_path(path));
        list.push('\0');
    }
    let file = shadow_path(&place.store, "info/exclude");
    if fs::read(&file).ok().as_deref() != Some(&patterns) {
        write_atomically(&file, &patterns)?;
        write_atomically(&shadow_path(&place.store, LEFT_OUT), list.as_bytes())?;
    }
    Ok(())
}

/// The pattern that matches one path below the root and nothing else.
fn exclude_pattern(path: &[u8]) -> Vec<u8> {
    let mut pattern = vec![b'/'];
    for byte in path {
        match byte {
            // A line ends there; any one character comes near enough.
            b'\n' | b'\r' => pattern.push(b'?'),
            b'\\' | b'*' | b'?' | b'[' | b' ' => pattern.extend([b'\\', *byte]),
            _ => pattern.push(*byte),
        }
    }
    pattern.push(b'\n');
    pattern
}

/// The user's `info/exclude`, also that of a linked worktree, whose `.git` is a file.
fn user_exclude_file(root: &Path) -> Vec<u8> {
    let mut folder = root.join(".git");
    if let Ok(text) = pintle_files::read_text(&folder) {
        let Some(named) = text.strip_prefix("gitdir: ") else { return Vec::new() };
        folder = root.join(named.trim_end());
    }
    if let Ok(common) = pintle_files::read_text(folder.join("commondir")) {
        folder = folder.join(PathBuf::from(common.trim_end()));
    }
    pintle_files::read_text(folder.join("info/exclude")).unwrap_or_default().into_bytes()
}
