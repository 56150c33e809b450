//! The file of a tape.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::TapeError;

/// Who asks whether a tape is in use has it for a moment, so a writer looks again before it gives up.
const LOOKS: u32 = 10;
/// How long a writer waits between two looks.
const LOOK: Duration = Duration::from_millis(10);

/// Makes the file of a new tape and claims it.
pub(super) fn create(path: &Path) -> Result<File, TapeError> {
    let open = |source| TapeError::Open { path: path.to_owned(), source };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        create_folder(folder).map_err(open)?;
    }
    let mut options = OpenOptions::new();
    // Whatever else is done to the file, no record is written but behind its end.
    options.append(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => TapeError::Exists { path: path.to_owned() },
        _ => open(source),
    })?;
    lock(&file, path)?;
    Ok(file)
}

/// Makes the folder of a tape and those that lead to it. Others may not look into it: names of sessions tell who worked when.
fn create_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(above) = folder.parent().filter(|above| !above.as_os_str().is_empty()) {
        fs::create_dir_all(above)?;
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Opens the file of a tape that goes on, and claims it.
pub(super) fn reopen(path: &Path) -> Result<File, TapeError> {
    let file = OpenOptions::new().read(true).append(true).open(path);
    let file = file.map_err(|source| TapeError::Open { path: path.to_owned(), source })?;
    lock(&file, path)?;
    Ok(file)
}

/// Keeps other writers away for as long as the file is open. Readers are not kept away.
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
        // Where there are no locks there is no second writer to be found either.
        Err(TryLockError::Error(fault)) if fault.kind() == io::ErrorKind::Unsupported => Ok(()),
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
        Err(fault) => Err(fault),
    }
}

/// Syncs the folder of a file, so that the file's name outlives the machine too. Where folders cannot be synced, as on
/// systems that do it themselves, nothing is lost that could be kept.
pub(super) fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}
