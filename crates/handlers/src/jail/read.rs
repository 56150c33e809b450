//! Files, folders and what is known of them.

use std::io::{self, Read};
use std::path::Path;
use std::time::UNIX_EPOCH;

use cap_std::fs::{Dir, File, Metadata, OpenOptions, OpenOptionsExt};
use rustix::fs::OFlags;
use rustix::io::Errno;
use serde_json::{Value, json};

use super::JailedDir;

/// The most bytes that a tool reads from one file. Larger files are refused, not cut.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// The most that a hook reads from one: as much as a file of policy may hold. Whatever it reads is on the tape.
pub const MAX_HOOK_FILE_BYTES: u64 = 1 << 20;

/// The most entries of one folder. A larger one is refused, not cut: whoever decides by what is in a folder must not miss
/// a part of it.
const MAX_ENTRIES: usize = 200_000;

/// The folder of tapes, which is no part of the work and is not listed.
const RECORDS: &str = ".pintle";

/// What is known of a file without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryStat {
    /// The last part of its path.
    pub name: String,
    /// Its size.
    pub size_bytes: u64,
    /// Whether it is a folder.
    pub is_dir: bool,
    /// When it was written, in microseconds since the Unix epoch; 0 where nobody knows.
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
    /// When it is no plain file of the folder, larger than [`MAX_FILE_BYTES`], or no text.
    pub fn read(&self, path: &str) -> Result<String, String> {
        self.read_up_to(path, MAX_FILE_BYTES)
    }

    /// A file's text, of a file that is not larger than this.
    ///
    /// # Errors
    /// When it is no plain file of the folder, larger, or no text.
    pub fn read_up_to(&self, path: &str, most_bytes: u64) -> Result<String, String> {
        let bytes = self.run_at(path, |dir, path| {
            let file = open_regular_file(dir, path, OpenOptions::new().read(true))?;
            let mut bytes = Vec::new();
            // A file may grow while it is read.
            file.take(most_bytes + 1).read_to_end(&mut bytes)?;
            Ok(bytes)
        })?;
        if bytes.len() as u64 > most_bytes {
            return Err(format!("`{path}` is larger than {} MiB; use a tool such as grep", most_bytes >> 20));
        }
        String::from_utf8(bytes).map_err(|_| format!("`{path}` is not UTF-8 text"))
    }

    /// Whether there is something at a path.
    ///
    /// # Errors
    /// When that cannot be told, or the path leads out of the folder.
    pub fn exists(&self, path: &str) -> Result<bool, String> {
        self.run_at(path, |dir, path| dir.try_exists(path))
    }

    /// What is known of what is at a path.
    ///
    /// # Errors
    /// When nothing is there, or the path leads out of the folder.
    pub fn stat(&self, path: &str) -> Result<EntryStat, String> {
        self.run_at(path, |dir, inside| {
            let found = dir.metadata(inside)?;
            let name = inside.file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned());
            Ok(stat_from_metadata(name, &found))
        })
    }

    /// What is in a folder, by name.
    ///
    /// # Errors
    /// When it is no folder, cannot be read, or holds too much.
    pub fn list(&self, path: &str) -> Result<Vec<EntryStat>, String> {
        self.run_at(path, read_entries)
    }
}

/// What is in a folder, by name.
pub(super) fn read_entries(dir: &Dir, path: &Path) -> io::Result<Vec<EntryStat>> {
    let mut found = Vec::new();
    for entry in dir.read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == RECORDS {
            continue;
        }
        if found.len() == MAX_ENTRIES {
            return Err(io::Error::other(format!("it contains more than {MAX_ENTRIES} entries")));
        }
        match entry.metadata() {
            Ok(known) => found.push(stat_from_metadata(name, &known)),
            // It went away meanwhile.
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => {}
            Err(fault) => return Err(fault),
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// Opens a file and nothing else: a pipe or a device would keep whoever opens it waiting for ever, whatever their time limit.
///
/// # Errors
/// When it cannot be opened, or is no plain file.
pub fn open_regular_file(dir: &Dir, path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // Opening a pipe waits for its other end, unless this is said.
    options.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    let not_plain = || io::Error::other("it is a pipe, a socket or a device, and only regular files can be used");
    let file = match dir.open_with(path, options) {
        Err(fault) if fault.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => return Err(not_plain()),
        opened => opened?,
    };
    let found = file.metadata()?;
    if found.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if found.is_file() { Ok(file) } else { Err(not_plain()) }
}

fn stat_from_metadata(name: String, found: &Metadata) -> EntryStat {
    let modified = found.modified().ok().and_then(|time| time.into_std().duration_since(UNIX_EPOCH).ok());
    EntryStat {
        name,
        size_bytes: found.len(),
        is_dir: found.is_dir(),
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
        assert!(jailed.read("large").unwrap_err().contains("larger than 16 MiB"));
        assert!(jailed.read("bytes").unwrap_err().contains("not UTF-8"));
        assert_eq!(jailed.read("full").unwrap().len() as u64, MAX_FILE_BYTES);
        assert_eq!(jailed.read(".").unwrap_err(), "`.` is a directory, not a file");
        assert_eq!(jailed.list("bytes").unwrap_err(), "`bytes` is not a directory");
        assert!(!jailed.exists("no").unwrap());
    }
}
