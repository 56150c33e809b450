//! Locates the snapshots of a directory.

use std::env;
use std::path::{Path, PathBuf};

use pintle_contract::to_hex;
use sha2::{Digest, Sha256};

use super::SnapshotError;

/// A directory and its shadow.
#[derive(Debug, Clone)]
pub(super) struct ShadowRepository {
    /// The repository's directory, or the named one outside a repository; without symbolic links.
    pub(super) root: PathBuf,
    /// The captured part: empty for all, or a directory below the root.
    pub(super) scope: PathBuf,
    /// The shadow repository.
    pub(super) store: PathBuf,
    /// Whether the root is that of a git repository.
    pub(super) is_repository: bool,
}

/// The directory of Pintle's user data: `$PINTLE_DATA_DIR`, otherwise `pintle` in `$XDG_DATA_HOME`, otherwise
/// `~/.local/share/pintle`.
///
/// # Errors
/// When none of the three is known.
pub fn data_dir() -> Result<PathBuf, SnapshotError> {
    let named = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(own) = named("PINTLE_DATA_DIR") {
        return std::path::absolute(&own).map_err(SnapshotError::store_error(&own));
    }
    // The XDG Base Directory Specification says to ignore relative paths.
    let shared = named("XDG_DATA_HOME").filter(|path| path.is_absolute());
    let shared = shared.or_else(|| pintle_files::home_variable().map(|home| home.join(".local/share")));
    Ok(shared.ok_or(SnapshotError::NoData)?.join("pintle"))
}

impl ShadowRepository {
    /// The shadow of a directory: that of the repository around it, otherwise of the nearest directory that has
    /// snapshots, otherwise its own.
    pub(super) fn for_directory(data: &Path, dir: &Path) -> Result<Self, SnapshotError> {
        let dir = match pintle_files::canonicalize(dir) {
            Ok(found) if found.is_dir() => found,
            _ => return Err(SnapshotError::MissingDirectory { folder: dir.to_owned() }),
        };
        let repository = dir.ancestors().find(|above| above.join(".git").exists());
        let known = || dir.ancestors().find(|above| shadow_store(data, above).join("HEAD").exists());
        let root = repository.or_else(known).unwrap_or(&dir);
        let scope = dir.strip_prefix(root).unwrap_or(Path::new("")).to_owned();
        Ok(Self { root: root.to_owned(), scope, store: shadow_store(data, root), is_repository: repository.is_some() })
    }
}

/// The shadow of a root, named after the first half of the digest of its path.
fn shadow_store(data: &Path, root: &Path) -> PathBuf {
    let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
    data.join("snapshots").join(to_hex(digest.get(..16).unwrap_or(&digest)))
}
