//! Creates, opens and locks the file of a tape.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use pintle_files::{private_dir_builder, private_options};

use crate::TapeError;

/// A check for a writer locks the file briefly, so a writer tries several times before it gives up.
const LOOKS: u32 = 10;
/// How long a writer waits between two attempts.
const LOOK: Duration = Duration::from_millis(10);

/// Creates the file of a new tape and locks it.
pub(super) fn create(path: &Path) -> Result<File, TapeError> {
    let open = |source| TapeError::Open { path: path.to_owned(), source };
    if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        create_folder(dir).map_err(open)?;
    }
    // Whatever else happens to the file, records are only written at its end.
    let file = private_options().append(true).create_new(true).open(path).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => TapeError::Exists { path: path.to_owned() },
        _ => open(source),
    })?;
    lock(&file, path)?;
    Ok(file)
}

/// Opens the empty file of a branch, or creates it, and locks it.
pub(super) fn create_or_reuse(path: &Path) -> Result<File, TapeError> {
    let open = |source| TapeError::Open { path: path.to_owned(), source };
    let file = private_options().read(true).append(true).create(true).open(path).map_err(open)?;
    lock(&file, path)?;
    match file.metadata().map_err(open)?.len() {
        0 => Ok(file),
        _ => Err(TapeError::Exists { path: path.to_owned() }),
    }
}

/// Creates the directory of a tape with its parents. Only the user may read it: session ids reveal who worked when.
fn create_folder(dir: &Path) -> io::Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    if let Some(above) = dir.parent().filter(|above| !above.as_os_str().is_empty()) {
        fs::create_dir_all(above)?;
    }
    private_dir_builder().recursive(true).create(dir)
}

/// Opens and locks the file of an existing tape.
pub(super) fn reopen(path: &Path) -> Result<File, TapeError> {
    let file = OpenOptions::new().read(true).append(true).open(path);
    let file = file.map_err(|source| TapeError::Open { path: path.to_owned(), source })?;
    lock(&file, path)?;
    Ok(file)
}

/// Locks out other writers while the file is open. Readers are not affected.
fn lock(file: &File, path: &Path) -> Result<(), TapeError> {
    for _ in 0..LOOKS {
        match try_lock(file, path) {
            Err(TapeError::Busy { .. }) => thread::sleep(LOOK),
            claimed => return claimed,
        }
    }
    try_lock(file, path)
}

fn try_lock(file: &File, path: &Path) -> Result<(), TapeError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(TapeError::Busy { path: path.to_owned() }),
        // Without support for locks, another writer cannot be detected.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(source)) => Err(TapeError::Open { path: path.to_owned(), source }),
        Ok(()) => Ok(()),
    }
}

/// Whether a tape is being written, by this program or another one.
///
/// # Errors
/// When the file cannot be opened.
pub fn is_being_written(path: impl AsRef<Path>) -> Result<bool, TapeError> {
    let path = path.as_ref();
    let file = pintle_files::open(path).map_err(|source| TapeError::Open { path: path.to_owned(), source })?;
    match try_lock(&file, path) {
        Ok(()) => Ok(false),
        Err(TapeError::Busy { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}
