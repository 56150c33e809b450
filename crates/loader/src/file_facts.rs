//! What only the system knows of a file: who may use it, and which file it is.
//!
//! This is the only part of the crate that depends on Unix. Elsewhere files have no mode that says who may write them: one
//! in the user's home directory counts as the user's own, and any other one as a file that anybody may have written.

pub(crate) use system::{file_identity, is_own, mode};

/// The mode bits that let other users write.
pub(crate) const OTHERS_WRITE: u32 = 0o022;

#[cfg(unix)]
mod system {
    use std::fs::Metadata;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    /// Whether a file belongs to the account that this process runs as.
    pub(crate) fn is_own(_path: &Path, metadata: &Metadata) -> bool {
        metadata.uid() == rustix::process::geteuid().as_raw()
    }

    /// The mode bits of a file.
    pub(crate) fn mode(_path: &Path, metadata: &Metadata) -> u32 {
        metadata.mode()
    }

    /// What the names of a file with several names have in common.
    pub(crate) fn file_identity(metadata: &Metadata) -> Option<(u64, u64)> {
        (metadata.is_file() && metadata.nlink() > 1).then(|| (metadata.dev(), metadata.ino()))
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::Metadata;
    use std::path::Path;
    use std::time::UNIX_EPOCH;

    pub(crate) fn is_own(path: &Path, _metadata: &Metadata) -> bool {
        let home = pintle_files::home_dir().and_then(|home| pintle_files::canonicalize(home).ok());
        home.is_some_and(|home| pintle_files::real_path(path).starts_with(home))
    }

    pub(crate) fn mode(path: &Path, metadata: &Metadata) -> u32 {
        if is_own(path, metadata) { 0o700 } else { 0o777 }
    }

    /// The names of one file have its size and its time, which other files may have, too.
    pub(crate) fn file_identity(metadata: &Metadata) -> Option<(u64, u64)> {
        let changed =
            metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
        let nanoseconds = u64::try_from(changed.as_nanos()).unwrap_or(u64::MAX);
        metadata.is_file().then(|| (metadata.len(), nanoseconds))
    }
}
