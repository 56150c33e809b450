//! Makes backups of a settings file next to it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const MARK: &str = ".pintle-backup-";

/// The backups of a settings file that installing made, oldest first.
#[must_use]
pub fn list_copies(path: &Path) -> Vec<PathBuf> {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else { return Vec::new() };
    let begin = format!("{}{MARK}", name.to_string_lossy());
    let mut found: Vec<(u32, PathBuf)> = fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let number = entry.file_name().to_str()?.strip_prefix(&begin)?.parse().ok()?;
            Some((number, entry.path()))
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

/// The path of the next backup; `None` if a backup with the same content exists.
pub(super) fn next_copy_path(path: &Path, text: &str) -> Option<PathBuf> {
    let present = list_copies(path);
    if present.iter().any(|copy| pintle_host::files::read(copy).is_ok_and(|bytes| bytes == text.as_bytes())) {
        return None;
    }
    let free = |number: &u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!("{MARK}{number}"));
        Some(PathBuf::from(name)).filter(|path| !present.contains(path))
    };
    (1..).find_map(|number| free(&number))
}

/// Makes a backup.
pub(super) fn copy_file(path: &Path, copy: &Path) -> io::Result<()> {
    fs::copy(path, copy).map(drop)
}
