//! Collects the diagnostics of one file.

use std::cell::{OnceCell, RefCell};
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use pintle_contract::{ByteSpan, Diagnostic, Location, Severity, SourceFile};

use super::{DocNode, MapEntry};

/// The diagnostics of one file.
///
/// Errors have a prefix that names the operation, such as `parse hook guard.md: `; warnings and notes do not.
#[derive(Debug)]
pub struct FileReport {
    file: Arc<SourceFile>,
    prefix: String,
    format: &'static str,
    /// Where each line of the file but the first starts. A file may have a value, or an error, at every other byte.
    line_starts: OnceCell<Vec<usize>>,
    findings: RefCell<Vec<Diagnostic>>,
}

impl FileReport {
    /// Creates a report for a file, with the prefix of its errors.
    #[must_use]
    pub fn new(file: Arc<SourceFile>, prefix: impl Into<String>) -> Self {
        Self {
            file,
            prefix: prefix.into(),
            format: "yaml",
            line_starts: OnceCell::new(),
            findings: RefCell::new(Vec::new()),
        }
    }

    /// The same report for a format other than YAML.
    #[must_use]
    pub fn with_format(self, format: &'static str) -> Self {
        Self { format, ..self }
    }

    /// The file of the report.
    #[must_use]
    pub fn file(&self) -> &Arc<SourceFile> {
        &self.file
    }

    /// The line of a byte offset, from 1.
    pub(super) fn line(&self, byte: usize) -> usize {
        let find_starts = || self.file.text.match_indices('\n').map(|(index, _)| index + 1).collect();
        self.line_starts.get_or_init(find_starts).partition_point(|start| *start <= byte) + 1
    }

    /// A location in the file.
    #[must_use]
    pub fn location(&self, span: ByteSpan) -> Location {
        Location::new(Arc::clone(&self.file), span)
    }

    /// The first line of a span, for diagnostics about the whole of it.
    #[must_use]
    pub fn first_line(&self, span: ByteSpan) -> ByteSpan {
        let line = self.file.text.get(span.start..span.end).and_then(|text| text.lines().next()).unwrap_or_default();
        ByteSpan { start: span.start, end: span.start + line.trim_end().len() }
    }

    /// Adds a diagnostic.
    pub fn add(&self, diagnostic: Diagnostic) {
        self.findings.borrow_mut().push(diagnostic);
    }

    /// Adds an error about the document: prefix and message.
    pub fn error(&self, code: &'static str, message: impl Display, span: ByteSpan, help: impl Into<NextStep>) {
        let diagnostic = Diagnostic::error(code, format!("{}{message}", self.prefix), self.location(span));
        self.add(Diagnostic { help: help.into().0, ..diagnostic });
    }

    /// Adds an error about a value in the document: prefix, `yaml: line N: ` and message.
    pub fn value_error(&self, code: &'static str, message: impl Display, span: ByteSpan, help: impl Into<NextStep>) {
        let line = self.line(span.start);
        self.error(code, format!("{}: line {line}: {message}", self.format), span, help);
    }

    /// Adds the error that a value has the wrong type: `owner` must be `wanted`.
    pub fn wrong_type(&self, owner: impl Display, wanted: &str, node: &DocNode, help: impl Into<NextStep>) {
        let message = format!("{owner} must be {wanted}, not {}", node.describe());
        self.value_error("wrong_type", message, node.span, help);
    }

    /// The entries of a mapping; a value of another type is reported.
    pub fn entries<'n>(
        &self,
        owner: impl Display,
        wanted: &str,
        node: &'n DocNode,
        help: impl Into<NextStep>,
    ) -> Option<&'n [MapEntry]> {
        node.entries().or_else(|| {
            self.wrong_type(owner, wanted, node, help);
            None
        })
    }

    /// The items of a list; a value of another type is reported.
    pub fn items<'n>(
        &self,
        owner: impl Display,
        wanted: &str,
        node: &'n DocNode,
        help: impl Into<NextStep>,
    ) -> Option<&'n [DocNode]> {
        node.items().or_else(|| {
            self.wrong_type(owner, wanted, node, help);
            None
        })
    }

    /// Adds a warning.
    pub fn warning(&self, code: &'static str, message: impl Into<String>, span: ByteSpan, help: impl Into<NextStep>) {
        let diagnostic = Diagnostic::warning(code, message, self.location(span));
        self.add(Diagnostic { help: help.into().0, ..diagnostic });
    }

    /// Adds a note.
    pub fn note(&self, code: &'static str, message: impl Into<String>, span: ByteSpan, help: impl Into<NextStep>) {
        let diagnostic = Diagnostic::note(code, message, self.location(span));
        self.add(Diagnostic { help: help.into().0, ..diagnostic });
    }

    /// The number of errors so far.
    #[must_use]
    pub fn error_count(&self) -> usize {
        self.findings.borrow().iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
    }

    /// The collected diagnostics.
    #[must_use]
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.findings.into_inner()
    }
}

/// The next step that a diagnostic names, if there is one.
#[derive(Debug)]
pub struct NextStep(Option<String>);

impl From<Option<String>> for NextStep {
    fn from(help: Option<String>) -> Self {
        Self(help)
    }
}

impl From<String> for NextStep {
    fn from(help: String) -> Self {
        Self(Some(help))
    }
}

impl From<&str> for NextStep {
    fn from(help: &str) -> Self {
        Self(Some(help.to_owned()))
    }
}

/// Makes every diagnostic one line without control characters, whatever the names in it contain.
pub fn sanitize(findings: &mut [Diagnostic]) {
    for diagnostic in findings {
        for text in std::iter::once(&mut diagnostic.message).chain(&mut diagnostic.help) {
            if text.contains(char::is_control) {
                let plain = |character: char| match character.is_control() {
                    true => character.escape_default().to_string(),
                    false => character.to_string(),
                };
                *text = text.chars().map(plain).collect();
            }
        }
    }
}

/// The maximum size of a file, 1 MiB. An artifact is a page of text; anything larger is a mistake.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

/// Creates a source file from bytes.
///
/// Bytes that are not UTF-8 produce a file with replacement characters, to show the location, and an error; such a file
/// must not be read further.
#[must_use]
pub fn source_file(path: &Path, bytes: Vec<u8>) -> (Arc<SourceFile>, Option<Diagnostic>) {
    match String::from_utf8(bytes) {
        Ok(text) => (Arc::new(SourceFile { path: path.to_owned(), text }), None),
        Err(error) => {
            let index = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let file = Arc::new(SourceFile { path: path.to_owned(), text });
            // The replacement character that is now at that position is three bytes long.
            let location = Location::new(Arc::clone(&file), ByteSpan { start: index, end: index + 3 });
            let diagnostic = Diagnostic::error(
                "not_utf8",
                format!("the file is not UTF-8: invalid byte at offset {index}"),
                location,
            )
            .help("save the file as UTF-8");
            (file, Some(diagnostic))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_that_is_no_character_is_named_with_its_place() {
        let (file, error) = source_file(Path::new("a.md"), b"---\nevent: \xFFx\n".to_vec());
        let error = error.unwrap();
        assert_eq!(error.message, "the file is not UTF-8: invalid byte at offset 11");
        assert_eq!(error.location.line_column(), Some((2, 8)));
        assert_eq!(file.text, "---\nevent: \u{FFFD}x\n");
        assert!(source_file(Path::new("a.md"), b"caf\xC3\xA9".to_vec()).1.is_none());
    }
}
