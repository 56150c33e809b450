//! Limits access to one process at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

use pintle_contract::CancelToken;

use super::{SnapshotError, shadow_path};

/// Holds the lock of the shadow until it is dropped. The operating system releases it if the process dies.
#[derive(Debug)]
pub(super) struct ShadowLock {
    _file: File,
}

/// The pause before another attempt.
const PAUSE: Duration = Duration::from_millis(2);

impl ShadowLock {
    pub(super) fn acquire(store: &Path, deadline: Instant, cancel: &CancelToken) -> Result<Self, SnapshotError> {
        let path = shadow_path(store, "lock");
        let mut options = OpenOptions::new();
        let file =
            options.create(true).truncate(false).write(true).open(&path).map_err(SnapshotError::store_error(&path))?;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Interrupted => {}
                Err(TryLockError::Error(error)) => return Err(SnapshotError::Store { path, cause: error.to_string() }),
            }
            if cancel.is_cancelled() || Instant::now() >= deadline {
                return Err(SnapshotError::Store {
                    path,
                    cause: String::from("another session has kept it locked for too long"),
                });
            }
            std::thread::sleep(PAUSE);
        }
        // A process that was stopped while git used the index left its lock file behind.
        let _ = fs::remove_file(shadow_path(store, "index.lock"));
        Ok(Self { _file: file })
    }
}
