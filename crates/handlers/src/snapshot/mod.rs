//! Snapshots of a folder's files in a shadow repository, and going back to them (docker-agent behaviour, section 4.11).
//!
//! The shadow is a git repository of its own, outside the user's: it has its own index, objects and refs, and git is told to
//! read nobody's configuration. So nothing of the user's repository is touched, and snapshots work where there is
//! none. A checkpoint is what changed between two captures. Checkpoints are written down in the shadow, with refs on
//! what they need, so that they outlive the process and git's housekeeping.
//!
//! A capture of a folder in which nothing changed is one git process, any other is three; a checkpoint is two more.
//! Files that git ignores there, folders that are repositories of their own, files that cannot be read, and new files above
//! 2 MiB are left out.

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

/// The files of one folder, as they were at different times.
#[derive(Debug, Clone)]
pub struct SnapshotStore {
    repository: ShadowRepository,
    deadline: Instant,
    cancel: CancelToken,
}

impl SnapshotStore {
    /// The snapshots of a folder, which are kept beneath `data` (see [`data_dir`]). In a git repository they are those of
    /// the whole repository, and captures look at the folder alone. All that is done with them ends after `timeout_ms`.
    ///
    /// # Errors
    /// When there is no such folder.
    pub fn open(data: &Path, folder: &Path, timeout_ms: u64, cancel: &CancelToken) -> Result<Self, SnapshotError> {
        let place = ShadowRepository::for_directory(data, folder)?;
        Ok(Self {
            repository: place,
            deadline: Instant::now() + Duration::from_millis(timeout_ms),
            cancel: cancel.clone(),
        })
    }

    /// The same, with an eye on all of the root.
    #[must_use]
    pub fn covering_root(mut self) -> Self {
        self.repository.scope = PathBuf::new();
        self
    }

    /// The folder whose snapshots these are: the repository's, or the one that was named.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.repository.root
    }

    /// The shadow repository.
    #[must_use]
    pub fn store(&self) -> &Path {
        &self.repository.store
    }

    /// The part of the root that captures look at; empty is all of it.
    #[must_use]
    pub fn scope(&self) -> &Path {
        &self.repository.scope
    }

    /// Remembers all files as they are; gives the name of what is remembered.
    ///
    /// # Errors
    /// When git fails, or the folder is none to take snapshots of, such as a home without a repository.
    pub fn capture(&self) -> Result<String, SnapshotError> {
        // First, so that such a folder gets no shadow.
        capture::check_size(&self.repository)?;
        let _lock = self.lock_shadow()?;
        capture::capture_tree(&self.shadow_git(), &self.repository)
    }

    /// Writes down what changed between two captures; nothing when nothing did.
    ///
    /// # Errors
    /// When git fails or the shadow cannot be written to.
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

    /// The checkpoints there are, oldest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn checkpoints(&self) -> Result<Vec<Checkpoint>, SnapshotError> {
        journal::read_checkpoints(&self.repository.store)
    }

    /// What changed between two captures, as a patch.
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

    /// Takes back all checkpoints but the first `keep`: their files become what they were before, and then the
    /// checkpoints are forgotten. `None` when there are no others.
    ///
    /// # Errors
    /// When a file was edited since and `force` is not given; then nothing was touched. When git fails; then the
    /// checkpoints are still there.
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

    /// Keeps the shadow small: forgets the oldest checkpoints above 500, and lets git pack what has become many files.
    /// Nothing is done most of the time.
    ///
    /// # Errors
    /// When git fails or the shadow cannot be written to.
    pub fn prune(&self) -> Result<(), SnapshotError> {
        let _lock = self.lock_shadow()?;
        journal::forget_oldest_checkpoints(&self.repository.store)?;
        self.shadow_git().pack_when_large()
    }

    fn shadow_git(&self) -> ShadowGit<'_> {
        ShadowGit::new(&self.repository, self.deadline, &self.cancel)
    }

    /// Keeps everybody else from the shadow, which is made when it is not there yet.
    fn lock_shadow(&self) -> Result<ShadowLock, SnapshotError> {
        let store = &self.repository.store;
        std::fs::create_dir_all(store).map_err(SnapshotError::store_error(store))?;
        let lock = ShadowLock::acquire(store, self.deadline, &self.cancel)?;
        shadow_git::prepare_shadow(&self.repository)?;
        Ok(lock)
    }
}

/// A path of the shadow's own.
fn shadow_path(store: &Path, name: &str) -> PathBuf {
    store.join(name)
}

#[cfg(test)]
mod tests;
