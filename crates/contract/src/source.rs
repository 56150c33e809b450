//! Positions in the files that users wrote.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file's text, kept for diagnostics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The path as the user specified it.
    pub path: PathBuf,
    /// The complete text of the file.
    pub text: String,
}

/// A range of bytes in a [`SourceFile`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ByteSpan {
    /// The offset of the first byte.
    pub start: usize,
    /// The offset after the last byte.
    pub end: usize,
}

/// The place where something was declared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Location {
    /// The file; `None` if it was registered in code.
    pub file: Option<Arc<SourceFile>>,
    /// The range in the file.
    pub span: ByteSpan,
}

impl Location {
    /// Creates a location in a file.
    #[must_use]
    pub fn new(file: Arc<SourceFile>, span: ByteSpan) -> Self {
        Self { file: Some(file), span }
    }

    /// The path of the file, if there is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|file| file.path.as_path())
    }

    /// The line and column of the start, both from 1; `None` without a file. Columns count characters.
    #[must_use]
    pub fn line_column(&self) -> Option<(usize, usize)> {
        self.file.as_ref().map(|file| file.line_column(self.span.start))
    }
}

impl SourceFile {
    /// The line and column of a byte offset, both from 1. Columns count characters. An offset past the end means the
    /// end.
    #[must_use]
    pub fn line_column(&self, byte: usize) -> (usize, usize) {
        let mut end = byte.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = self.text.get(..end).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |index| index + 1);
        let line = before.matches('\n').count() + 1;
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        (line, column)
    }

    /// The byte offset at which a line starts. Lines count from 1; a line past the last means the end of the text.
    #[must_use]
    pub fn line_start(&self, line: usize) -> usize {
        if line <= 1 {
            return 0;
        }
        self.text.match_indices('\n').nth(line - 2).map_or(self.text.len(), |(index, _)| index + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_survive_any_byte() {
        let file = SourceFile { path: PathBuf::from("a.md"), text: String::from("ab\ncdé\n\nx") };
        assert_eq!(file.line_column(0), (1, 1));
        assert_eq!(file.line_column(3), (2, 1));
        // The second byte of `é` counts as its first.
        assert_eq!(file.line_column(6), (2, 3));
        assert_eq!(file.line_column(999), (4, 2));
        assert_eq!(file.line_start(2), 3);
        assert_eq!(file.line_start(9), file.text.len());
    }
}
