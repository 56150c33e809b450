//! One process at a time.

use std::fs::{self, File, OpenOptions};
use std::path::Path;
use std::time::{Duration, Instant};

use pintle_contract::CancelToken;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::{SnapshotError, shadow_path};

/// Holds the shadow until it is dropped. The operating system lets go of it when the process dies.
#[derive(Debug)]
pub(super) struct ShadowLock {
    _file: File,
}

/// How long to wait before another try.
const PAUSE: Duration = Duration::from_millis(2);

impl ShadowLock {
    pub(super) fn acquire(store: &Path, until: Instant, cancel: &CancelToken) -> Result<Self, SnapshotError> {
        let path = shadow_path(store, "lock");
        let mut options = OpenOptions::new();
        let file =
            options.create(true).truncate(false).write(true).open(&path).map_err(SnapshotError::store_error(&path))?;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => break,
                Err(Errno::WOULDBLOCK | Errno::INTR) => {}
                Err(fault) => return Err(SnapshotError::Store { path, cause: fault.to_string() }),
            }
            if cancel.is_cancelled() || Instant::now() >= until {
                return Err(SnapshotError::Store {
                    path,
                    cause: String::from("another session has kept it locked for too long"),
                });
            }
            std::thread::sleep(PAUSE);
        }
        // Whoever was stopped while git had the index left its lock behind; it is nobody's now.
        let _ = fs::remove_file(shadow_path(store, "index.lock"));
        Ok(Self { _file: file })
    }
}
