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
mod git;
mod journal;
mod lock;
mod place;
mod restore;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pintle_contract::CancelToken;

pub use capture::leave_out;
pub use change::{Change, Entry, Kind};
pub use error::SnapshotError;
pub use journal::{Checkpoint, Label};
pub use place::data_folder;
pub use restore::Restored;

use git::Git;
use lock::Lock;
use place::Place;

/// The files of one folder, as they were at different times.
#[derive(Debug, Clone)]
pub struct Snapshots {
    place: Place,
    until: Instant,
    cancel: CancelToken,
}

impl Snapshots {
    /// The snapshots of a folder, which are kept beneath `data` (see [`data_folder`]). In a git repository they are those of
    /// the whole repository, and captures look at the folder alone. All that is done with them ends after `timeout_ms`.
    ///
    /// # Errors
    /// When there is no such folder.
    pub fn of(data: &Path, folder: &Path, timeout_ms: u64, cancel: &CancelToken) -> Result<Self, SnapshotError> {
        let place = Place::find(data, folder)?;
        Ok(Self { place, until: Instant::now() + Duration::from_millis(timeout_ms), cancel: cancel.clone() })
    }

    /// The same, with an eye on all of the root.
    #[must_use]
    pub fn whole(mut self) -> Self {
        self.place.scope = PathBuf::new();
        self
    }

    /// The folder whose snapshots these are: the repository's, or the one that was named.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.place.root
    }

    /// The shadow repository.
    #[must_use]
    pub fn store(&self) -> &Path {
        &self.place.store
    }

    /// The part of the root that captures look at; empty is all of it.
    #[must_use]
    pub fn scope(&self) -> &Path {
        &self.place.scope
    }

    /// Remembers all files as they are; gives the name of what is remembered.
    ///
    /// # Errors
    /// When git fails, or the folder is none to take snapshots of, such as a home without a repository.
    pub fn capture(&self) -> Result<String, SnapshotError> {
        // First, so that such a folder gets no shadow.
        capture::suitable(&self.place)?;
        let _lock = self.lock()?;
        capture::capture(&self.git(), &self.place)
    }

    /// Writes down what changed between two captures; nothing when nothing did.
    ///
    /// # Errors
    /// When git fails or the shadow cannot be written to.
    pub fn checkpoint(&self, before: &str, after: &str, label: &Label) -> Result<Option<Checkpoint>, SnapshotError> {
        if before == after {
            return Ok(None);
        }
        let _lock = self.lock()?;
        let files = self.git().changes(before, after)?;
        if files.is_empty() {
            return Ok(None);
        }
        journal::add(&self.git(), &self.place.store, before, after, label, files).map(Some)
    }

    /// The checkpoints there are, oldest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn checkpoints(&self) -> Result<Vec<Checkpoint>, SnapshotError> {
        journal::read(&self.place.store)
    }

    /// What changed between two captures, as a patch.
    ///
    /// # Errors
    /// When git fails.
    pub fn patch(&self, before: &str, after: &str) -> Result<Vec<u8>, SnapshotError> {
        self.git().patch(before, after)
    }

    /// The files that changed between two captures.
    ///
    /// # Errors
    /// When git fails.
    pub fn changes(&self, before: &str, after: &str) -> Result<Vec<Change>, SnapshotError> {
        self.git().changes(before, after)
    }

    /// Takes back all checkpoints but the first `keep`: their files become what they were before, and then the
    /// checkpoints are forgotten. `None` when there are no others.
    ///
    /// # Errors
    /// When a file was edited since and `force` is not given; then nothing was touched. When git fails; then the
    /// checkpoints are still there.
    pub fn revert(&self, keep: usize, force: bool) -> Result<Option<Restored>, SnapshotError> {
        if self.checkpoints()?.len() <= keep {
            return Ok(None);
        }
        let _lock = self.lock()?;
        let checkpoints = self.checkpoints()?;
        let Some(later) = checkpoints.get(keep..).filter(|later| !later.is_empty()) else { return Ok(None) };
        let restored = restore::restore(&self.git(), &self.place, later, force)?;
        journal::keep(&self.place.store, &checkpoints, keep)?;
        Ok(Some(restored))
    }

    /// Keeps the shadow small: forgets the oldest checkpoints above 500, and lets git pack what has become many files.
    /// Nothing is done most of the time.
    ///
    /// # Errors
    /// When git fails or the shadow cannot be written to.
    pub fn tidy(&self) -> Result<(), SnapshotError> {
        let _lock = self.lock()?;
        journal::forget_oldest(&self.place.store)?;
        self.git().pack_when_large()
    }

    fn git(&self) -> Git<'_> {
        Git::new(&self.place, self.until, &self.cancel)
    }

    /// Keeps everybody else from the shadow, which is made when it is not there yet.
    fn lock(&self) -> Result<Lock, SnapshotError> {
        let store = &self.place.store;
        std::fs::create_dir_all(store).map_err(SnapshotError::store(store))?;
        let lock = Lock::take(store, self.until, &self.cancel)?;
        git::prepare(&self.place)?;
        Ok(lock)
    }
}

/// A path of the shadow's own.
fn own(store: &Path, name: &str) -> PathBuf {
    store.join(name)
}

#[cfg(test)]
mod tests;
