//! Reads files, directories and metadata.

use std::io::{self, Read};
use std::path::Path;
use std::time::UNIX_EPOCH;

use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use serde_json::{Value, json};

use super::error::EntryError;
use super::{JailError, JailedDir};

/// The most bytes that a tool reads from one file. Larger files are an error and are not truncated.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// The most bytes that a hook reads from one file: as large as a policy file may be. Everything it reads is recorded on
/// the tape.
pub const MAX_HOOK_FILE_BYTES: u64 = 1 << 20;

/// The most entries of one directory. A larger directory is an error and is not truncated: a decision must not miss
/// entries.
pub(super) const MAX_ENTRIES: usize = 200_000;

/// The directory of tapes, which is not part of the work and is not listed.
const RECORDS: &str = ".pintle";

/// The metadata of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryStat {
    /// The last component of its path.
    pub name: String,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// Whether it is a directory.
    pub is_dir: bool,
    /// The modification time, in microseconds since the Unix epoch; 0 if unknown.
    pub modified_us: u64,
}

impl EntryStat {
    /// The form for scripts.
    #[must_use]
    pub fn to_value(&self) -> Value {
        json!({
            "name": self.name,
            "size": self.size_bytes,
            "is_dir": self.is_dir,
            "mod_time_ms": self.modified_us / 1_000,
        })
    }
}

impl JailedDir {
    /// A file's text.
    ///
    /// # Errors
    /// When it is not a regular file in the directory, is larger than [`MAX_FILE_BYTES`], or is not text.
    pub fn read(&self, path: &str) -> Result<String, JailError> {
        self.read_up_to(path, MAX_FILE_BYTES)
    }

    /// A file's text, up to a size.
    ///
    /// # Errors
    /// When it is not a regular file in the directory, is larger, or is not text.
    pub fn read_up_to(&self, path: &str, most_bytes: u64) -> Result<String, JailError> {
        let bytes = self.run_at(path, |dir, path| {
            let file = open_regular_file(dir, path, OpenOptions::new().read(true))?;
            let mut bytes = Vec::new();
            // A file may grow while it is read.
            file.take(most_bytes + 1).read_to_end(&mut bytes)?;
            Ok(bytes)
        })?;
        if bytes.len() as u64 > most_bytes {
            return Err(JailError::TooLarge { path: path.to_owned(), most_bytes });
        }
        String::from_utf8(bytes).map_err(|_| JailError::NotText { path: path.to_owned() })
    }

    /// Whether a path exists.
    ///
    /// # Errors
    /// When that is unknown, or the path leads out of the directory.
    pub fn exists(&self, path: &str) -> Result<bool, JailError> {
        self.run_at(path, |dir, path| dir.try_exists(path))
    }

    /// The metadata of a path.
    ///
    /// # Errors
    /// When it does not exist, or leads out of the directory.
    pub fn stat(&self, path: &str) -> Result<EntryStat, JailError> {
        self.run_at(path, |dir, inside| {
            let found = dir.metadata(inside)?;
            let name = inside.file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned());
            Ok(stat_from_metadata(name, &found))
        })
    }

    /// The entries of a directory, ordered by name.
    ///
    /// # Errors
    /// When it is not a directory, cannot be read, or has too many entries.
    pub fn list(&self, path: &str) -> Result<Vec<EntryStat>, JailError> {
        self.run_at(path, read_entries)
    }
}

/// The entries of a directory, ordered by name.
pub(super) fn read_entries(dir: &Dir, path: &Path) -> io::Result<Vec<EntryStat>> {
    let mut found = Vec::new();
    for entry in dir.read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == RECORDS {
            continue;
        }
        if found.len() == MAX_ENTRIES {
            return Err(io::Error::other(EntryError::TooMany));
        }
        match entry.metadata() {
            Ok(known) => found.push(stat_from_metadata(name, &known)),
            // It was removed in the meantime.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// Opens a regular file only: opening a pipe or a device could block forever, whatever the time limit.
///
/// # Errors
/// When it cannot be opened, or is not a regular file.
pub fn open_regular_file(dir: &Dir, path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = open_at_once(dir, path, options)?;
    let found = file.metadata()?;
    if found.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if found.is_file() { Ok(file) } else { Err(io::Error::other(EntryError::NotRegular)) }
}

/// Opens a file without waiting for the other end of a pipe.
#[cfg(unix)]
fn open_at_once(dir: &Dir, path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    use cap_std::fs::OpenOptionsExt;
    options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    dir.open_with(path, options).map_err(|error| match error.raw_os_error() {
        Some(code) if code == rustix::io::Errno::NXIO.raw_os_error() => io::Error::other(EntryError::NotRegular),
        _ => error,
    })
}

/// Opens a file. A path of the file system leads to no pipe here.
#[cfg(not(unix))]
fn open_at_once(dir: &Dir, path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    dir.open_with(path, options)
}

fn stat_from_metadata(name: String, metadata: &Metadata) -> EntryStat {
    let modified = metadata.modified().ok().and_then(|time| time.into_std().duration_since(UNIX_EPOCH).ok());
    EntryStat {
        name,
        size_bytes: metadata.len(),
        is_dir: metadata.is_dir(),
        modified_us: modified.and_then(|since| u64::try_from(since.as_micros()).ok()).unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::tests::jailed_dir;
    use super::*;

    #[test]
    fn a_file_that_is_too_large_or_no_text_is_refused_and_not_cut() {
        let (place, jailed) = jailed_dir(&["full"]);
        fs::write(place.path().join("bytes"), [0xff, 0xfe]).unwrap();
        let large = fs::File::create(place.path().join("large")).unwrap();
        large.set_len(MAX_FILE_BYTES + 1).unwrap();
        fs::File::create(place.path().join("full")).unwrap().set_len(MAX_FILE_BYTES).unwrap();
        assert!(jailed.read("large").unwrap_err().to_string().contains("larger than 16 MiB"));
        assert!(jailed.read("bytes").unwrap_err().to_string().contains("not UTF-8"));
        assert_eq!(jailed.read("full").unwrap().len() as u64, MAX_FILE_BYTES);
        assert_eq!(jailed.read(".").unwrap_err().to_string(), "`.` is a directory, not a file");
        assert_eq!(jailed.list("bytes").unwrap_err().to_string(), "`bytes` is not a directory");
        assert!(!jailed.exists("no").unwrap());
    }
}
