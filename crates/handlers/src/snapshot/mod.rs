//! Takes snapshots of a directory's files in a shadow repository, and restores them.
//!
//! The shadow is a separate git repository outside the user's: it has its own index, objects and refs, and git ignores
//! all user configuration. So the user's repository is never touched, and snapshots work without one. A checkpoint
//! contains the changes between two captures. Checkpoints are stored in the shadow, with refs to their objects, so that
//! they outlive the process and git's housekeeping.
//!
//! A capture of an unchanged directory takes one git process, any other takes three; a checkpoint takes two more. Files
//! that git ignores, directories that are repositories of their own, unreadable files, and new files above 2 MiB are
//! left out.

mod capture;
mod change;
mod error;
mod journal;
mod lock;
mod restore;
mod shadow_git;
mod shadow_repository;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pintle_contract::CancelToken;

pub use capture::exclude_file;
pub use change::{FileChange, FileChangeKind, TreeEntry};
pub use error::SnapshotError;
pub use journal::{Checkpoint, CheckpointLabel};
pub use restore::RestoreReport;
pub use shadow_repository::data_dir;

use lock::ShadowLock;
use shadow_git::ShadowGit;
use shadow_repository::ShadowRepository;

/// The files of one directory at different times.
#[derive(Debug, Clone)]
pub struct SnapshotStore {
    repository: ShadowRepository,
    deadline: Instant,
    cancel: CancelToken,
}

impl SnapshotStore {
    /// Opens the snapshots of a directory, which are stored below `data` (see [`data_dir`]). In a git repository they
    /// belong to the whole repository, and captures are limited to the directory. All operations end after
    /// `timeout_ms`.
    ///
    /// # Errors
    /// When the directory does not exist.
    pub fn open(data: &Path, dir: &Path, timeout_ms: u64, cancel: &CancelToken) -> Result<Self, SnapshotError> {
        let place = ShadowRepository::for_directory(data, dir)?;
        Ok(Self {
            repository: place,
            deadline: Instant::now() + Duration::from_millis(timeout_ms),
            cancel: cancel.clone(),
        })
    }

    /// Extends captures to the whole root.
    #[must_use]
    pub fn covering_root(mut self) -> Self {
        self.repository.scope = PathBuf::new();
        self
    }

    /// The directory of these snapshots: the repository's, or the one that was named.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.repository.root
    }

    /// The shadow repository.
    #[must_use]
    pub fn store(&self) -> &Path {
        &self.repository.store
    }

    /// The part of the root that is captured; empty for all of it.
    #[must_use]
    pub fn scope(&self) -> &Path {
        &self.repository.scope
    }

    /// Captures all files; returns the ID of the tree.
    ///
    /// # Errors
    /// When git fails, or snapshots of the directory are not supported, such as a home directory without a repository.
    pub fn capture(&self) -> Result<String, SnapshotError> {
        // Checked first, so that such a directory gets no shadow.
        capture::check_size(&self.repository)?;
        let _lock = self.lock_shadow()?;
        capture::capture_tree(&self.shadow_git(), &self.repository)
    }

    /// Stores the changes between two captures, if there are any.
    ///
    /// # Errors
    /// When git fails or the shadow cannot be written.
    pub fn write_checkpoint(
        &self,
        before: &str,
        after: &str,
        label: &CheckpointLabel,
    ) -> Result<Option<Checkpoint>, SnapshotError> {
        if before == after {
            return Ok(None);
        }
        let _lock = self.lock_shadow()?;
        let files = self.shadow_git().diff_trees(before, after)?;
        if files.is_empty() {
            return Ok(None);
        }
        journal::add_checkpoint(&self.shadow_git(), &self.repository.store, before, after, label, files).map(Some)
    }

    /// The checkpoints, oldest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn checkpoints(&self) -> Result<Vec<Checkpoint>, SnapshotError> {
        journal::read_checkpoints(&self.repository.store)
    }

    /// What is not in the snapshots, as of the last capture: files that git ignores, and those that are too large, not
    /// readable or in a repository of their own. Directories end with a slash.
    ///
    /// # Errors
    /// When git fails.
    pub fn left_out_paths(&self) -> Result<Vec<String>, SnapshotError> {
        capture::left_out_paths(&self.shadow_git(), &self.repository)
    }

    /// The changes between two captures, as a patch.
    ///
    /// # Errors
    /// When git fails.
    pub fn patch(&self, before: &str, after: &str) -> Result<Vec<u8>, SnapshotError> {
        self.shadow_git().diff_patch(before, after)
    }

    /// The files that changed between two captures.
    ///
    /// # Errors
    /// When git fails.
    pub fn changed_files(&self, before: &str, after: &str) -> Result<Vec<FileChange>, SnapshotError> {
        self.shadow_git().diff_trees(before, after)
    }

    /// Reverts all checkpoints except the first `keep`: their files are restored, and then the checkpoints are removed.
    /// `None` without others.
    ///
    /// # Errors
    /// When a file was edited since and `force` is not set; then nothing was changed. When git fails; then the
    /// checkpoints still exist.
    pub fn revert_after(&self, keep: usize, force: bool) -> Result<Option<RestoreReport>, SnapshotError> {
        if self.checkpoints()?.len() <= keep {
            return Ok(None);
        }
        let _lock = self.lock_shadow()?;
        let checkpoints = self.checkpoints()?;
        let Some(later) = checkpoints.get(keep..).filter(|later| !later.is_empty()) else { return Ok(None) };
        let restored = restore::restore_files(&self.shadow_git(), &self.repository, later, force)?;
        journal::keep_first(&self.repository.store, &checkpoints, keep)?;
        Ok(Some(restored))
    }

    /// Limits the size of the shadow: removes the oldest checkpoints above 500, and lets git pack objects. Most calls
    /// do nothing.
    ///
    /// # Errors
    /// When git fails or the shadow cannot be written.
    pub fn prune(&self) -> Result<(), SnapshotError> {
        let _lock = self.lock_shadow()?;
        journal::forget_oldest_checkpoints(&self.repository.store)?;
        self.shadow_git().pack_when_large()
    }

    fn shadow_git(&self) -> ShadowGit<'_> {
        ShadowGit::new(&self.repository, self.deadline, &self.cancel)
    }

    /// Locks the shadow, which is created if it does not exist.
    fn lock_shadow(&self) -> Result<ShadowLock, SnapshotError> {
        let store = &self.repository.store;
        std::fs::create_dir_all(store).map_err(SnapshotError::store_error(store))?;
        let lock = ShadowLock::acquire(store, self.deadline, &self.cancel)?;
        shadow_git::prepare_shadow(&self.repository)?;
        Ok(lock)
    }
}

/// The path of a file in the shadow.
fn shadow_path(store: &Path, name: &str) -> PathBuf {
    store.join(name)
}

#[cfg(test)]
mod tests;
