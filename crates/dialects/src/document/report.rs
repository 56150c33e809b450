//! Collecting what is found in one file.

use std::cell::RefCell;
use std::sync::Arc;

use pintle_contract::{ByteSpan, Diagnostic, Location, Severity, SourceFile};

/// The findings of one file.
///
/// Errors carry a prefix that says what was being read, such as `parse hook guard.md: `; warnings and notes do not.
#[derive(Debug)]
pub struct FileReport {
    file: Arc<SourceFile>,
    prefix: String,
    format: &'static str,
    findings: RefCell<Vec<Diagnostic>>,
}

impl FileReport {
    /// A report on a file, with the words that go before each error.
    #[must_use]
    pub fn new(file: Arc<SourceFile>, prefix: impl Into<String>) -> Self {
        Self { file, prefix: prefix.into(), format: "yaml", findings: RefCell::new(Vec::new()) }
    }

    /// The same report on a file in another format than YAML.
    #[must_use]
    pub fn with_format(self, format: &'static str) -> Self {
        Self { format, ..self }
    }

    /// The file reported on.
    #[must_use]
    pub fn file(&self) -> &Arc<SourceFile> {
        &self.file
    }

    /// A place in the file.
    #[must_use]
    pub fn location(&self, span: ByteSpan) -> Location {
        Location::new(Arc::clone(&self.file), span)
    }

    /// Adds a finding.
    pub fn add(&self, finding: Diagnostic) {
        self.findings.borrow_mut().push(finding);
    }

    /// Adds an error about the document: prefix and message.
    pub fn error(&self, code: &'static str, message: &str, span: ByteSpan, help: Option<String>) {
        let finding = Diagnostic::error(code, format!("{}{message}", self.prefix), self.location(span));
        self.add(Diagnostic { help, ..finding });
    }

    /// Adds an error about a value in the document: prefix, `yaml: line N: ` and message (AI Harness reference,
    /// Validation surface).
    pub fn value_error(&self, code: &'static str, message: &str, span: ByteSpan, help: Option<String>) {
        let (line, _) = self.file.line_column(span.start);
        self.error(code, &format!("{}: line {line}: {message}", self.format), span, help);
    }

    /// Adds a warning.
    pub fn warning(&self, code: &'static str, message: impl Into<String>, span: ByteSpan, help: Option<String>) {
        let finding = Diagnostic::warning(code, message, self.location(span));
        self.add(Diagnostic { help, ..finding });
    }

    /// Adds a note.
    pub fn note(&self, code: &'static str, message: impl Into<String>, span: ByteSpan, help: Option<String>) {
        let finding = Diagnostic::note(code, message, self.location(span));
        self.add(Diagnostic { help, ..finding });
    }

    /// How many errors there are so far.
    #[must_use]
    pub fn error_count(&self) -> usize {
        self.findings.borrow().iter().filter(|finding| finding.severity == Severity::Error).count()
    }

    /// What was found.
    #[must_use]
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.findings.into_inner()
    }
}

/// Keeps findings to one line each and free of control characters, whatever the names in them hold.
pub fn sanitize(findings: &mut [Diagnostic]) {
    for finding in findings {
        for text in std::iter::once(&mut finding.message).chain(&mut finding.help) {
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
