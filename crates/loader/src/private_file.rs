//! Files in the state directory that decide something, so that only the user may write them.
//!
//! Another program may read such a file at any moment, so it is written to a temporary file and renamed.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pintle_files::{private_dir_builder, private_options};
use serde::Serialize;

use crate::file_facts::{self, OTHERS_WRITE};

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
    let mode = |dir: &Path| fs::metadata(dir).map(|found| file_facts::mode(dir, &found)).unwrap_or_default();
    let is_open = |(depth, dir): &(usize, &Path)| match depth {
        0 => mode(dir) & OTHERS_WRITE != 0,
        _ => mode(dir) & EVERYBODY_WRITES != 0 && mode(dir) & STICKY == 0,
    };
    // Without modes, the directories above the user's own one are the system's.
    let depth = if cfg!(unix) { usize::MAX } else { 1 };
    real.ancestors().skip(1).take(depth).enumerate().find(is_open).map(|(_, dir)| dir.to_owned())
}

/// Replaces a file in one step. Only the user may read and write it.
pub(crate) fn replace_private_json(path: &Path, form: &impl Serialize) -> io::Result<()> {
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    let written = write_new(&beside, form).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // It may not have been created.
        let _ = fs::remove_file(&beside);
    }
    written?;
    // The new name is durable only after its directory is synced, which only Unix can do.
    #[cfg(unix)]
    std::fs::File::open(path.parent().unwrap_or(Path::new(".")))?.sync_all()?;
    Ok(())
}

fn write_new(path: &Path, form: &impl Serialize) -> io::Result<()> {
    // The leftover of a program that was killed here.
    let _ = fs::remove_file(path);
    let mut file = private_options().create_new(true).write(true).open(path)?;
    let mut text = serde_json::to_vec_pretty(form)?;
    text.push(b'\n');
    file.write_all(&text)?;
    file.sync_all()
}
