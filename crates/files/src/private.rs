//! The modes of files and directories. Where files have no mode, they are as the user's own directories are.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The name of the file with the private key of a machine, in the state directory.
pub const MACHINE_KEY_FILE: &str = "machine.key";

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

/// Whether a file may be run as a program; where files have no mode, whether it is a file.
#[must_use]
pub fn is_executable(metadata: &Metadata) -> bool {
    metadata.is_file() && file_mode(metadata).is_none_or(|mode| mode & 0o111 != 0)
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

/// Sets the mode of an open file, whatever the process's umask is. Does nothing where files have none.
///
/// # Errors
/// When it cannot be set.
#[cfg_attr(not(unix), expect(unused_variables, reason = "files have a mode only on Unix"))]
pub fn set_file_mode(file: &File, mode: u32) -> io::Result<()> {
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))?;
    Ok(())
}

/// A path beside a file, for a new form of it that is to take its place. No other thread or process writes there.
#[must_use]
pub fn path_beside(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    path.with_extension(format!("{}-{}.new", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)))
}

/// Writes a file as a whole: a reader sees the old content or the new one. It keeps its mode, a link stays a link, and
/// the directories of a new file are made.
///
/// # Errors
/// If it cannot be written. The old content is untouched then.
pub fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir)?;
    }
    let mode = fs::metadata(&path).ok().and_then(|metadata| file_mode(&metadata));
    replace_private_file(&path, |file| {
        file.write_all(bytes)?;
        set_file_mode(file, mode.unwrap_or(0o644))?;
        file.sync_all()
    })
}

/// Replaces a file in one step. Only the user may read and write it.
///
/// # Errors
/// If it cannot be written. The old content is untouched then.
pub fn replace_private_file(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let beside = path_beside(path);
    let opened = private_options().create_new(true).write(true).open(&beside);
    let written = opened.and_then(|mut file| write(&mut file)).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // It may not have been created.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Syncs the directory of a file, so that the file's name survives a power failure too. Does nothing where directories
/// cannot be synced.
///
/// # Errors
/// When the directory cannot be opened or synced.
#[cfg_attr(not(unix), expect(unused_variables, reason = "only Unix syncs directories"))]
pub fn sync_dir_of(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new(".")))?.sync_all()?;
    Ok(())
}

/// Creates a directory, and those above it that do not exist, so that every account may read them, whatever the process's
/// umask is.
///
/// # Errors
/// When one cannot be created, or its mode cannot be set.
pub fn create_shared_dirs(dir: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = dir.ancestors().take_while(|dir| !dir.exists()).collect();
    for dir in missing.into_iter().rev() {
        fs::create_dir(dir)?;
        #[cfg(unix)]
        fs::set_permissions(dir, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    }
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
