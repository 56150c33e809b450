//! The open file of a tape, and checks that it is still what was written.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::TapeError;

/// The open file of a tape.
#[derive(Debug)]
pub(super) struct TapeFile {
    file: File,
    /// Its absolute path, because a program may change its working directory.
    path: PathBuf,
    /// The size of the complete records.
    size_bytes: u64,
    /// Whether it is a regular file. A device or a pipe has no size that could be compared.
    is_regular: bool,
}

impl TapeFile {
    /// Takes a file that ends with a complete record.
    pub(super) fn new(file: File, path: &Path, size_bytes: u64) -> Self {
        let is_regular = file.metadata().is_ok_and(|known| known.is_file());
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Self { file, path, size_bytes, is_regular }
    }

    /// The size of what was written.
    pub(super) fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Appends a line. If it cannot be written completely, the written part is removed again.
    pub(super) fn append(&mut self, line: &[u8]) -> io::Result<()> {
        match self.file.write_all(line) {
            Ok(()) => self.size_bytes += line.len() as u64,
            Err(error) => {
                // If that fails too, the next reader finds a torn record.
                let _ = if self.is_regular { self.file.set_len(self.size_bytes) } else { Ok(()) };
                return Err(error);
            }
        }
        Ok(())
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Checks that the file is still what was written, under the same path.
    pub(super) fn check(&self) -> Result<(), TapeError> {
        let changed = |change: String| TapeError::Changed { path: self.path.clone(), change };
        if !self.is_regular {
            return Ok(());
        }
        let open = self.file.metadata().map_err(|error| changed(format!("cannot be inspected: {error}")))?;
        let named = match fs::metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(changed(String::from("was deleted or moved")));
            }
            named => named.map_err(|error| changed(format!("cannot be inspected: {error}")))?,
        };
        if !is_same_file(&open, &named) {
            return Err(changed(String::from("was replaced by another file")));
        }
        let (found, written) = (open.len(), self.size_bytes);
        if found != written {
            let what = if found < written { "was truncated" } else { "was written to by another program" };
            return Err(changed(format!("{what}: it has {found} bytes, but {written} were written")));
        }
        Ok(())
    }
}

/// Reads a file from an offset to its end.
pub(super) fn read_from(file: &mut File, begin: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(begin))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(unix)]
fn is_same_file(open: &Metadata, named: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    open.nlink() > 0 && (open.dev(), open.ino()) == (named.dev(), named.ino())
}

/// On other systems an open file can be neither deleted nor replaced.
#[cfg(not(unix))]
fn is_same_file(_open: &Metadata, named: &Metadata) -> bool {
    named.is_file()
}
