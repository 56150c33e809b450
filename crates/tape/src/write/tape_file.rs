//! The open file of a tape, and checks that it is still what was written.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::file;
use super::line_buffer::LineBuffer;
use crate::TapeError;

/// The size up to which the lines of a batch are collected. A longer line is written at once.
const MOST_BATCH_BYTES: usize = 128 << 10;

/// The file of a tape.
#[derive(Debug)]
pub(super) struct TapeFile {
    file: FileHandle,
    /// Its absolute path, because a program may change its working directory.
    path: PathBuf,
    /// The size of the complete records.
    size_bytes: u64,
    /// Whether it is a regular file. A device or a pipe has no size that could be compared.
    is_regular: bool,
    /// The lines of a batch that are not written yet.
    batch: Option<Vec<u8>>,
}

/// The file, or what it was when it was closed.
#[derive(Debug)]
enum FileHandle {
    Open(File),
    Closed(Box<Metadata>),
}

impl FileHandle {
    fn metadata(&self) -> io::Result<Metadata> {
        match self {
            Self::Open(file) => file.metadata(),
            Self::Closed(known) => Ok(Metadata::clone(known)),
        }
    }
}

impl TapeFile {
    /// Takes a file that ends with a complete record.
    pub(super) fn new(file: File, path: &Path, size_bytes: u64) -> Self {
        let is_regular = file.metadata().is_ok_and(|known| known.is_file());
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Self { file: FileHandle::Open(file), path, size_bytes, is_regular, batch: None }
    }

    /// The size of what was written.
    pub(super) fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// The same file for later.
    pub(super) fn keep(&self) -> io::Result<File> {
        match &self.file {
            FileHandle::Open(file) => file.try_clone(),
            FileHandle::Closed(_) => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Closes the file until it is needed again.
    pub(super) fn close(&mut self) {
        if let FileHandle::Open(file) = &self.file
            && self.is_regular
            && let Ok(known) = file.metadata()
        {
            self.file = FileHandle::Closed(Box::new(known));
        }
    }

    /// The open file. One that was closed must be what it was then.
    fn open(&mut self) -> io::Result<&mut File> {
        if let FileHandle::Closed(known) = &self.file {
            let opened = file::reopen(&self.path).map_err(|error| io::Error::other(error.to_string()))?;
            if !is_same_file(known, &opened.metadata()?) {
                return Err(io::Error::other("the file was replaced by another one"));
            }
            self.check().map_err(|error| io::Error::other(error.to_string()))?;
            self.file = FileHandle::Open(opened);
        }
        match &mut self.file {
            FileHandle::Open(file) => Ok(file),
            FileHandle::Closed(_) => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Whether lines are collected.
    pub(super) fn has_batch(&self) -> bool {
        self.batch.is_some()
    }

    pub(super) fn begin_batch(&mut self) {
        self.batch.get_or_insert_default();
    }

    pub(super) fn end_batch(&mut self) -> io::Result<()> {
        self.batch.take().map_or(Ok(()), |lines| self.write_lines(lines.len(), |file| file.write_all(&lines)))
    }

    /// Appends a line. If it cannot be written completely, the written part is removed again.
    pub(super) fn append(&mut self, line: &LineBuffer) -> io::Result<()> {
        let size_bytes = line.size_bytes();
        if let Some(batch) = &mut self.batch {
            if batch.len() + size_bytes < MOST_BATCH_BYTES {
                line.parts().for_each(|part| batch.extend_from_slice(part));
                return Ok(());
            }
            let lines = std::mem::take(batch);
            self.write_lines(lines.len(), |file| file.write_all(&lines))?;
        }
        self.write_lines(size_bytes, |file| line.write_to(file))
    }

    /// Writes complete lines of this size.
    fn write_lines(&mut self, lines_bytes: usize, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
        let (size_bytes, is_regular) = (self.size_bytes, self.is_regular);
        let file = self.open()?;
        if let Err(error) = write(file) {
            // If that fails too, the next reader finds a torn record.
            let _ = if is_regular { file.set_len(size_bytes) } else { Ok(()) };
            return Err(error);
        }
        self.size_bytes += lines_bytes as u64;
        Ok(())
    }

    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.open()?.sync_data()
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
        let (found, written) = (named.len(), self.size_bytes);
        if found != written {
            let what = if found < written { "was truncated" } else { "was written to by another program" };
            return Err(changed(format!("{what}: it has {found} bytes, but {written} were written")));
        }
        // Another file may have the number of one that was deleted while it was closed.
        if let FileHandle::Closed(known) = &self.file
            && known.modified().ok() != named.modified().ok()
        {
            return Err(changed(String::from("was replaced by another file")));
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
