//! The errors of templates, with their positions.

use std::fmt;

/// The reason why a text is not a valid template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TemplateError {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The column in characters, from 1.
    pub(crate) column: usize,
    /// The error, in one line.
    pub(crate) message: String,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for TemplateError {}

/// An error at a byte offset of the text.
#[derive(Debug)]
pub(super) struct TemplateErrorAt {
    pub(super) byte: usize,
    pub(super) message: String,
}

impl TemplateErrorAt {
    pub(super) fn new(index: usize, message: impl Into<String>) -> Self {
        Self { byte: index, message: message.into() }
    }

    /// The error with line and column.
    pub(super) fn with_position(self, text: &str) -> TemplateError {
        let (line, column) = line_and_column(text, self.byte);
        TemplateError { line, column, message: self.message }
    }
}

/// Line and column of a byte offset, both from 1.
fn line_and_column(text: &str, index: usize) -> (usize, usize) {
    let before = text.get(..text.floor_char_boundary(index)).unwrap_or_default();
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}
