//! Files and directories that only the user may use. Where files have no mode, they are as the user's own directories are.

use std::fs::{DirBuilder, OpenOptions};

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

/// The number of the account that this process was started by, where accounts have one.
#[must_use]
pub fn account_number() -> Option<u32> {
    #[cfg(unix)]
    return Some(rustix::process::getuid().as_raw());
    #[cfg(not(unix))]
    None
}
