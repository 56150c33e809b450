//! Files in the state directory that decide something, so that only the user may write them.
//!
//! Another program may read such a file at any moment, so it is written to a temporary file and renamed.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use pintle_files::{private_dir_builder, replace_private_file, sync_dir_of};
use serde::Serialize;

use crate::file_facts::{self, OTHERS_WRITE, is_own, mode};

/// The mode bit that lets everyone write.
const EVERYBODY_WRITES: u32 = 0o002;
/// The mode bit of a directory in which users can remove only their own files.
const STICKY: u32 = 0o1000;

/// Creates a directory that only the user may use, unless it exists.
pub(crate) fn create_private_dir(dir: &Path) -> io::Result<()> {
    private_dir_builder().recursive(true).create(dir)
}

/// The directory through which other users could replace this file: its own if other users can write to it, or one
/// further up if everyone can write to it and remove other users' files.
pub(crate) fn find_writable_folder(path: &Path) -> Option<PathBuf> {
    let real = pintle_files::canonicalize(path).ok()?;
    let mode = |dir: &Path| pintle_files::metadata(dir).map(|found| file_facts::mode(dir, &found)).unwrap_or_default();
    let is_open = |(depth, dir): &(usize, &Path)| match depth {
        0 => mode(dir) & OTHERS_WRITE != 0,
        _ => mode(dir) & EVERYBODY_WRITES != 0 && mode(dir) & STICKY == 0,
    };
    // Without modes, the directories above the user's own one are the system's.
    let depth = if cfg!(unix) { usize::MAX } else { 1 };
    real.ancestors().skip(1).take(depth).enumerate().find(is_open).map(|(_, dir)| dir.to_owned())
}

/// Reads a file that is the user's own, and that no other user can read, write or replace; `None` if it is not, or is larger
/// than allowed.
pub(crate) fn read_private_file(path: &Path, most_bytes: u64) -> Option<Vec<u8>> {
    if find_writable_folder(path).is_some() || pintle_files::symlink_metadata(path).ok()?.is_symlink() {
        return None;
    }
    let file = pintle_files::open(path).ok()?;
    let metadata = file.metadata().ok()?;
    let is_private = is_own(path, &metadata) && mode(path, &metadata) & 0o077 == 0 && metadata.len() <= most_bytes;
    if !is_private {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default() + 1);
    file.take(most_bytes).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Replaces a file in one step, so that it lasts. Only the user may read and write it.
pub(crate) fn replace_private_json(path: &Path, form: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(form)?;
    text.push(b'\n');
    replace_private_file(path, |file| file.write_all(&text).and_then(|()| file.sync_all()))?;
    sync_dir_of(path)
}
