//! A directory that is there for a while.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use pintle_host::files::private_dir_builder;

/// A directory that only the user can use. It is removed with the value.
#[derive(Debug)]
pub(crate) struct TemporaryDir(PathBuf);

impl TemporaryDir {
    /// Creates one; `purpose` is a part of its name. The error says which directory cannot be created.
    pub(crate) fn create(purpose: &str) -> Result<Self, (PathBuf, io::Error)> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("pintle-{purpose}-{}-{number}", std::process::id()));
        match private_dir_builder().create(&path) {
            Ok(()) => Ok(Self(path)),
            Err(error) => Err((path, error)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryDir {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = fs::remove_dir_all(&self.0);
    }
}
