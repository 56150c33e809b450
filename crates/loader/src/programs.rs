//! Looks up programs of this machine, for dialects whose hooks are scripts.

use std::path::Path;

use pintle_dialects::{PathStatus, ProgramLookup};
use pintle_files::is_executable;

/// The number of bytes of a script that are read.
const HEAD_BYTES: u64 = 16 << 10;

/// The programs installed on this machine.
#[derive(Debug)]
pub(crate) struct InstalledPrograms;

impl ProgramLookup for InstalledPrograms {
    fn inspect(&self, path: &Path) -> PathStatus {
        let Ok(metadata) = pintle_files::metadata(path) else { return PathStatus::Missing };
        if !metadata.is_file() {
            return PathStatus::NotAFile;
        }
        // An unreadable file has an empty head, and may still be a program.
        let head = pintle_files::read_head(path, HEAD_BYTES).unwrap_or_default();
        PathStatus::File { head: String::from_utf8_lossy(&head).into_owned(), is_executable: is_executable(&metadata) }
    }

    fn can_find(&self, name: &str) -> bool {
        let path = std::env::var_os("PATH").unwrap_or_default();
        pintle_files::find_in_path(&path, name).next().is_some()
    }
}
