//! The modes of files and directories. Where files have no mode, they are as the user's own directories are.

use std::fs::{DirBuilder, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Creates directories that only the user may use. Default: not recursive, so that an existing one is an error.
#[must_use]
pub fn private_dir_builder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "directories have a mode only on Unix"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Opens files, and lets only the user use those that it creates.
#[must_use]
pub fn private_options() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "files have a mode only on Unix"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// The mode of a file: its permission bits. `None` where files have none.
#[must_use]
#[cfg_attr(not(unix), expect(unused_variables, reason = "files have a mode only on Unix"))]
pub fn file_mode(metadata: &Metadata) -> Option<u32> {
    #[cfg(unix)]
    return Some(std::os::unix::fs::MetadataExt::mode(metadata) & 0o7777);
    #[cfg(not(unix))]
    None
}

/// The number of the account that a file belongs to, where accounts have one.
#[must_use]
#[cfg_attr(not(unix), expect(unused_variables, reason = "accounts have a number only on Unix"))]
pub fn file_owner(metadata: &Metadata) -> Option<u32> {
    #[cfg(unix)]
    return Some(std::os::unix::fs::MetadataExt::uid(metadata));
    #[cfg(not(unix))]
    None
}

/// Sets the mode of a file or directory, whatever the process's umask is. Does nothing where files have none.
///
/// # Errors
/// When it cannot be set.
#[cfg_attr(not(unix), expect(unused_variables, reason = "files have a mode only on Unix"))]
pub fn set_file_mode(path: &Path, mode: u32) -> io::Result<()> {
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode))?;
    Ok(())
}

/// The number of the account that this process was started by, where accounts have one.
#[must_use]
pub fn account_number() -> Option<u32> {
    #[cfg(unix)]
    return Some(rustix::process::getuid().as_raw());
    #[cfg(not(unix))]
    None
}
